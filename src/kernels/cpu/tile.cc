// Tile, and its adjoint, which adds the tiles up.

#include "kernels/cpu/axis_split.h"
#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"
#include "kernels/cpu/reduce_order.h"

namespace lockstep::kernels {
namespace {

// The shapes of a tile and of the whole; at least one axis.
struct Tiling {
  Shape tile;
  Shape whole;
  std::vector<int64_t> multiples;
  int64_t tile_row = 1;  // elements of a row of axis 0
  int64_t whole_row = 1;

  Tiling(const Shape& tile_shape, const Shape& whole_shape, const ops::Attributes& attributes)
      : tile(tile_shape),
        whole(whole_shape),
        multiples(attributes.Get<std::vector<int64_t>>("multiples")) {
    if (tile.rank() == 0) {
      tile.Append(1);
      whole.Append(1);
      multiples.push_back(1);
    }
    tile_row = tile.product(1, tile.rank());
    whole_row = whole.product(1, whole.rank());
  }
};

class Tile : public Kernel {
 public:
  explicit Tile(const KernelSpec& spec)
      : tiling_(spec.inputs[0].shape, spec.outputs[0].shape, spec.attributes),
        element_(DTypeSize(spec.inputs[0].dtype)) {}
  int64_t rows() const override { return tiling_.whole[0]; }
  uint32_t aligned_inputs() const override { return tiling_.multiples[0] == 1 ? 1 : 0; }
  double cost_per_row() const override { return static_cast<double>(tiling_.whole_row); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    for (int64_t r = begin; r < end && tiling_.whole_row > 0; ++r) {
      Fill(1, memory.in<char>(0) + r % tiling_.tile[0] * tiling_.tile_row * element_,
           memory.out<char>(0) + r * tiling_.whole_row * element_);
    }
  }

 private:
  // Writes one element of the axis before `axis`; returns the end of what was written.
  char* Fill(int axis, const char* from, char* to) const {
    if (axis == tiling_.tile.rank()) {
      CopyRun(to, from, element_);
      return to + element_;
    }
    char* const start = to;
    const bool last = axis == tiling_.tile.rank() - 1;
    const size_t part = tiling_.tile.product(axis + 1, tiling_.tile.rank()) * element_;
    if (last) {
      CopyRun(to, from, tiling_.tile[axis] * element_);
      to += tiling_.tile[axis] * element_;
    } else {
      for (int64_t i = 0; i < tiling_.tile[axis]; ++i) to = Fill(axis + 1, from + i * part, to);
    }
    const size_t once = to - start;
    for (int64_t k = 1; k < tiling_.multiples[axis]; ++k, to += once) CopyRun(to, start, once);
    return to;
  }

  Tiling tiling_;
  size_t element_;
};

std::unique_ptr<Kernel> MakeTile(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  return std::make_unique<Tile>(spec);
}
const RegisterKernel kTile("Tile", MakeTile);

// Every element is a chain over the tiles, row-major, from +0.
template <typename T>
class TileAdjoint : public Kernel {
 public:
  explicit TileAdjoint(const KernelSpec& spec)
      : tiling_(spec.outputs[0].shape, spec.inputs[0].shape, spec.attributes) {}
  int64_t rows() const override { return tiling_.tile[0]; }
  uint32_t aligned_inputs() const override { return tiling_.multiples[0] == 1 ? 1 : 0; }
  double cost_per_row() const override {
    return static_cast<double>(tiling_.whole_row * tiling_.multiples[0]);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    static thread_local std::vector<SumType<T>> sums;
    for (int64_t r = begin; r < end; ++r) {
      sums.assign(tiling_.tile_row, 0);
      for (int64_t k = 0; k < tiling_.multiples[0]; ++k) {
        Add(1, memory.in<T>(0) + (k * tiling_.tile[0] + r) * tiling_.whole_row, sums.data());
      }
      T* out = memory.out<T>(0) + r * tiling_.tile_row;
      for (int64_t i = 0; i < tiling_.tile_row; ++i) out[i] = static_cast<T>(sums[i]);
    }
  }

 private:
  void Add(int axis, const T* from, SumType<T>* to) const {
    const int rank = tiling_.tile.rank();
    if (axis == rank) {
      to[0] += static_cast<SumType<T>>(from[0]);
      return;
    }
    const int64_t size = tiling_.tile[axis];
    const int64_t tile_part = tiling_.tile.product(axis + 1, rank);
    const int64_t whole_part = tiling_.whole.product(axis + 1, rank);
    for (int64_t k = 0; k < tiling_.multiples[axis]; ++k) {
      const T* tile = from + k * size * whole_part;
      if (axis == rank - 1) {
        CombineRow<SumOperator<T>>(to, tile, size);
        continue;
      }
      for (int64_t i = 0; i < size; ++i) Add(axis + 1, tile + i * whole_part, to + i * tile_part);
    }
  }

  Tiling tiling_;
};

std::unique_ptr<Kernel> MakeTileAdjoint(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<TileAdjoint<T>>(spec);
  });
}
const RegisterKernel kTileAdjoint("TileAdjoint", MakeTileAdjoint);

}  // namespace
}  // namespace lockstep::kernels
