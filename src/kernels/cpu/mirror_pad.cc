// MirrorPad, and its adjoint, which adds the mirrored parts up.

#include <cstring>

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

// For each axis and place of the padded array the place that it shows.
struct MirrorMap {
  Shape inner;   // what is padded
  Shape padded;  // what it is padded to
  std::vector<std::vector<int64_t>> places;

  MirrorMap(const Shape& inner_shape, const Shape& padded_shape, const ops::Attributes& attributes)
      : inner(inner_shape), padded(padded_shape) {
    const auto& paddings = attributes.Get<std::vector<int64_t>>("paddings");
    const int64_t border = attributes.Get<bool>("reflect") ? 1 : 0;
    if (padded.num_elements() == 0) return;  // an axis may be long all the same
    for (int i = 0; i < inner.rank(); ++i) {
      const int64_t size = inner[i];
      places.emplace_back();
      for (int64_t k = 0; k < padded[i]; ++k) {
        int64_t place = k - paddings[2 * i];
        if (place < 0) place = -place - 1 + border;
        if (place >= size) place = 2 * size - place - 1 - border;
        places.back().push_back(place);
      }
    }
    if (inner.rank() == 0) {
      inner.Append(1);
      padded.Append(1);
      places.push_back({0});
    }
  }

  // Calls visit(padded element, inner element) for the padded rows [begin, end) of axis 0, in
  // order. `skip(place)` tells which rows are not wanted.
  template <typename Visit, typename Skip>
  void ForEach(int64_t begin, int64_t end, Skip skip, Visit visit) const {
    for (int64_t r = begin; r < end; ++r) {
      if (!skip(places[0][r])) Level(1, r, places[0][r], visit);
    }
  }

 private:
  template <typename Visit>
  void Level(int axis, int64_t from, int64_t to, Visit& visit) const {
    if (axis == inner.rank()) return visit(from, to);
    for (int64_t k = 0; k < padded[axis]; ++k) {
      Level(axis + 1, from * padded[axis] + k, to * inner[axis] + places[axis][k], visit);
    }
  }
};

template <typename Bits>
class MirrorPad : public Kernel {
 public:
  explicit MirrorPad(const KernelSpec& spec)
      : map_(spec.inputs[0].shape, spec.outputs[0].shape, spec.attributes) {}
  int64_t rows() const override { return map_.padded[0]; }
  uint32_t aligned_inputs() const override { return map_.padded[0] == map_.inner[0] ? 1 : 0; }
  double cost_per_row() const override {
    return 4 * static_cast<double>(map_.padded.product(1, map_.padded.rank()));
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const Bits* x = memory.in<Bits>(0);
    Bits* out = memory.out<Bits>(0);
    map_.ForEach(
        begin, end, [](int64_t) { return false; },
        [&](int64_t padded, int64_t inner) { out[padded] = x[inner]; });
  }

 private:
  MirrorMap map_;
};

std::unique_ptr<Kernel> MakeMirrorPad(const KernelSpec& spec) {
  if (spec.inputs[0].dtype == DType::kString) return nullptr;
  switch (DTypeSize(spec.inputs[0].dtype)) {
    case 1:
      return std::make_unique<MirrorPad<uint8_t>>(spec);
    case 2:
      return std::make_unique<MirrorPad<uint16_t>>(spec);
    case 4:
      return std::make_unique<MirrorPad<uint32_t>>(spec);
    default:
      return std::make_unique<MirrorPad<uint64_t>>(spec);
  }
}
const RegisterKernel kMirrorPad("MirrorPad", MakeMirrorPad);

// Every element is a chain over the places that show it, in their order, from +0.
template <typename T>
class MirrorPadAdjoint : public Kernel {
 public:
  explicit MirrorPadAdjoint(const KernelSpec& spec)
      : map_(spec.outputs[0].shape, spec.inputs[0].shape, spec.attributes) {}
  int64_t rows() const override { return map_.inner[0]; }
  uint32_t aligned_inputs() const override { return map_.padded[0] == map_.inner[0] ? 1 : 0; }
  double cost_per_row() const override {
    return 4 * static_cast<double>(map_.padded.product(1, map_.padded.rank()));
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const int64_t row = map_.inner.product(1, map_.inner.rank());
    const int64_t first = begin * row;
    static thread_local std::vector<SumType<T>> sums;
    sums.assign((end - begin) * row, 0);
    const T* gradient = memory.in<T>(0);
    map_.ForEach(
        0, map_.padded[0], [&](int64_t place) { return place < begin || place >= end; },
        [&](int64_t padded, int64_t inner) {
          sums[inner - first] += static_cast<SumType<T>>(gradient[padded]);
        });
    T* out = memory.out<T>(0) + first;
    for (size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<T>(sums[i]);
  }

 private:
  MirrorMap map_;
};

std::unique_ptr<Kernel> MakeMirrorPadAdjoint(const KernelSpec& spec) {
  return ForDType(FloatingTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<MirrorPadAdjoint<T>>(spec);
  });
}
const RegisterKernel kMirrorPadAdjoint("MirrorPadAdjoint", MakeMirrorPadAdjoint);

}  // namespace
}  // namespace lockstep::kernels
