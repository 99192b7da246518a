// Updates whose gradient is a product that sums over examples: a block of the gradient at a time is
// made, leaves folded in registers, and given to the update while it is in the nearest cache.

#include <algorithm>
#include <optional>

#include "kernels/cpu/gradient_tile.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/product_pack.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/sparse_gradient.h"
#include "kernels/cpu/training_kernel.h"
#include "kernels/cpu/zeros.h"

namespace lockstep::kernels {
namespace {

// A block's weights, slots, gradient and elements of A share the nearest cache with columns of G.
constexpr int64_t kBlockRows = 24;
// The same where zeros are left out.
constexpr int64_t kSparseBlockRows = 64;
// A look at an element of A is worth this much work on it.
constexpr int64_t kColumnsThatPayLooking = 32;

// gradient[rows, columns] = the sum over examples r of A[r, rows] * G[r, columns].
struct GradientGeometry {
  int64_t rows, columns, examples;
};

// What a call of a weight's update makes its gradient from. A: T, or uint8_t with the numbers.
template <typename T, typename A>
struct GradientSources {
  const A* a;
  const T* g;
  const ByteNumbers* numbers;
};

// Blocks of the gradient for the weight's rows [begin, end): each some rows of a panel of columns,
// row by row, for A's sake.
template <typename T, typename A>
class GradientBlocks : public UpdateBlocks {
 public:
  GradientBlocks(const GradientGeometry& geometry, const LeafTable& leaves,
                 const GradientSources<T, A>& sources, int64_t begin, int64_t end)
      : geometry_(geometry),
        sources_(sources),
        plan_(leaves),
        sparse_(IsSparse(begin, end)),
        block_rows_(sparse_ ? kSparseBlockRows : kBlockRows),
        panel_(sparse_ ? SparseGradientColumns() : GradientTileColumns<T>()),
        end_(end),
        gradient_(ThreadScratch<T>(ScratchUse::kGradientBlock, block_rows_ * panel_)),
        row_(begin) {
    if (end - begin > kBlockRows && panel_ < geometry.columns) PackG();
  }

  bool Next(UpdateBlock& block) override {
    if (column_ >= geometry_.columns) {
      column_ = 0;
      row_ += block_rows_;
    }
    if (row_ >= end_) return false;
    block.first = row_ * geometry_.columns + column_;
    block.stride = geometry_.columns;
    block.rows = std::min(block_rows_, end_ - row_);
    block.width = std::min(panel_, geometry_.columns - column_);
    block.gradient = gradient_;
    block.gradient_stride = block.width;
    Compute(block);
    if (block.width == block.stride) {  // no gaps: one run
      block.width *= block.rows;
      block.rows = 1;
    }
    column_ += panel_;
    return true;
  }

 private:
  // Whether zeros of A are left out where there are many.
  bool IsSparse(int64_t begin, int64_t end) const {
    if constexpr (std::is_same_v<T, float>) {
      return end - begin >= kBlockRows && geometry_.columns >= kColumnsThatPayLooking &&
             (sources_.numbers == nullptr || sources_.numbers->finite()) &&
             SeemsSparse(sources_.a + begin, geometry_.rows, geometry_.examples, end - begin,
                         kSparseGradient) &&
             AllFinite(sources_.g, geometry_.columns, geometry_.examples, geometry_.columns);
    }
    return false;
  }

  void PackG() {
    const int64_t panels = (geometry_.columns + panel_ - 1) / panel_;
    packed_g_ = ThreadScratch<T>(ScratchUse::kPackedColumns, panels * panel_ * geometry_.examples);
    PackColumns(sources_.g, geometry_.columns, false, geometry_.examples, geometry_.columns, panel_,
                packed_g_);
  }

  void Compute(const UpdateBlock& block) const {
    GradientTile<T> tile;
    tile.g = packed_g_ != nullptr ? packed_g_ + column_ * geometry_.examples : sources_.g + column_;
    tile.g_step = packed_g_ != nullptr ? panel_ : geometry_.columns;
    tile.c = gradient_;
    tile.c_step = block.gradient_stride;
    tile.rows = block.rows;
    tile.columns = block.width;
    tile.plan = &plan_;
    if constexpr (std::is_same_v<T, float>) {
      const Factor<A> a = {sources_.a + row_, geometry_.rows, sources_.numbers};
      if (sparse_) {
        const bool ends_row = column_ + block.width == geometry_.columns;
        const int64_t next = std::min(block_rows_, end_ - row_ - block.rows);
        return ComputeSparseGradient(tile, a, ends_row ? next : 0);
      }
      return ComputeWholeGradient(tile, a);
    } else {
      tile.a = sources_.a + row_;
      tile.a_step = geometry_.rows;
      ComputeGradientTile(tile);
    }
  }

  const GradientGeometry& geometry_;
  const GradientSources<T, A>& sources_;
  const FoldPlan plan_;
  const bool sparse_;
  const int64_t block_rows_, panel_, end_;
  T* const gradient_;
  T* packed_g_ = nullptr;
  int64_t row_;
  int64_t column_ = 0;
};

template <typename T, typename A = T>
class ProductUpdateKernel : public Kernel {
 public:
  ProductUpdateKernel(const KernelSpec& spec, UpdateFunction function)
      : attributes_(spec.attributes),
        extras_(spec.attributes.GetOr<int64_t>("extras", 0)),
        function_(function),
        gradient_(1 + ops::RuleOf(spec.op.name).slots),
        g_(static_cast<int>(spec.inputs.size()) - (kBytes ? 2 : 1)) {
    const Shape& a = spec.inputs[gradient_].shape;
    geometry_ = {a[1], spec.inputs[g_].shape[1], a[0]};
    leaves_ = LeavesOf(spec.leaves, geometry_.examples);
    if ((extras_ & ops::kUpdateEnabled) != 0) enabled_ = g_ - 1;
    has_direction_ = !spec.outputs.empty();
  }

  int64_t rows() const override { return geometry_.rows; }
  int64_t row_grain() const override { return kBlockRows; }
  uint32_t aligned_inputs() const override { return (1u << gradient_) - 1; }
  int64_t min_rows() const override { return geometry_.rows; }  // packs G a call
  double cost_per_row() const override {
    return static_cast<double>(geometry_.columns) *
           (20.0 + 2.0 * static_cast<double>(geometry_.examples));
  }
  bool mirrors() const override { return !has_direction_ && enabled_ < 0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (enabled_ >= 0 && !*memory.in<bool>(enabled_)) return;
    std::optional<ByteNumbers> numbers;
    if constexpr (kBytes) numbers.emplace(*memory.in<T>(g_ + 1));
    const GradientSources<T, A> sources = {memory.in<A>(gradient_), memory.in<T>(g_),
                                           kBytes ? &*numbers : nullptr};
    GradientBlocks<T, A> blocks(geometry_, leaves_, sources, begin, end);
    function_({attributes_, kDTypeOf<T>, extras_}, memory, blocks);
  }

 private:
  static constexpr bool kBytes = !std::is_same_v<T, A>;

  const ops::Attributes attributes_;
  int64_t extras_;
  UpdateFunction function_;
  int gradient_, g_;
  GradientGeometry geometry_;
  LeafTable leaves_;
  bool has_direction_ = false;
  int enabled_ = -1;
};

}  // namespace

std::unique_ptr<Kernel> MakeProductUpdate(const KernelSpec& spec, UpdateFunction function) {
  const size_t a = 1 + static_cast<size_t>(ops::RuleOf(spec.op.name).slots);
  if (spec.inputs[a].dtype == DType::kUInt8)
    return std::make_unique<ProductUpdateKernel<float, uint8_t>>(spec, function);
  if (spec.inputs[0].dtype == DType::kFloat32) {
    return std::make_unique<ProductUpdateKernel<float>>(spec, function);
  }
  if (spec.inputs[0].dtype == DType::kFloat64) {
    return std::make_unique<ProductUpdateKernel<double>>(spec, function);
  }
  return nullptr;
}

}  // namespace lockstep::kernels
