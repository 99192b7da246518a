#include <algorithm>
#include <numeric>

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/reduce_operators.h"

namespace lockstep::kernels {
namespace {

// The first k of a row in order; of equal ones the lower place first. A NaN counts as larger than
// every number.
template <typename T>
class TopK : public Kernel {
 public:
  explicit TopK(const KernelSpec& spec) : ascending_(spec.attributes.Get<bool>("ascending")) {
    const Shape& shape = spec.inputs[0].shape;
    size_ = shape[shape.rank() - 1];
    k_ = spec.outputs[0].shape[shape.rank() - 1];
    rows_ = shape.product(0, shape.rank() - 1);
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return 16 * static_cast<double>(size_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    static thread_local std::vector<int32_t> places;
    places.resize(size_);
    for (int64_t r = begin; r < end; ++r) {
      const T* x = memory.in<T>(0) + r * size_;
      std::iota(places.begin(), places.end(), 0);
      const auto before = [&](int32_t a, int32_t b) {
        const auto left = static_cast<CompareType<T>>(x[a]);
        const auto right = static_cast<CompareType<T>>(x[b]);
        if (Less(left, right)) return ascending_;
        if (Less(right, left)) return !ascending_;
        return a < b;
      };
      std::partial_sort(places.begin(), places.begin() + k_, places.end(), before);
      for (int64_t i = 0; i < k_; ++i) {
        memory.out<T>(0)[r * k_ + i] = x[places[i]];
        memory.out<int32_t>(1)[r * k_ + i] = places[i];
      }
    }
  }

 private:
  static bool Less(CompareType<T> a, CompareType<T> b) {
    if (a != a) return false;
    return b != b || a < b;
  }

  bool ascending_;
  int64_t size_;
  int64_t k_;
  int64_t rows_;
};

std::unique_ptr<Kernel> MakeTopK(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<TopK<T>>(spec);
  });
}
const RegisterKernel kTopK("TopKV2", MakeTopK);

}  // namespace
}  // namespace lockstep::kernels
