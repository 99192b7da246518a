#include "kernels/cpu/segment_sum.h"
#include "kernels/failure.h"

#include "kernels/cpu/for_dtype.h"
#include "kernels/cpu/gather_layout.h"
#include "kernels/cpu/leaves_of.h"
#include "tensor/buffer.h"
#include "tensor/sizes.h"

namespace lockstep::kernels {
namespace {

template <typename T, typename Index>
class UnsortedSegmentSum : public Kernel {
 public:
  explicit UnsortedSegmentSum(const KernelSpec& spec)
      : segments_(spec.outputs[0].shape[0]), leaves_(spec.leaves) {
    const Shape& data = spec.inputs[0].shape;
    const Shape& ids = spec.inputs[1].shape;
    count_ = ids.num_elements();
    inner_ = data.product(ids.rank(), data.rank());
    RequireLeaves(leaves_, ids.rank() > 0 ? ids[0] : 0);
    for (int64_t& offset : leaves_) offset *= ids.product(1, ids.rank());
  }
  int64_t rows() const override { return segments_; }
  double cost_per_row() const override { return static_cast<double>(count_ + inner_); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const Index* ids = memory.in<Index>(1);
    for (int64_t i = 0; i < count_; ++i) {
      if (ids[i] >= segments_) ThrowIndex("UnsortedSegmentSum", i, ids[i], segments_);
    }
    SumSegments(memory.in<T>(0), ids, count_, inner_, leaves_, begin, end,
                memory.out<T>(0) + begin * inner_);
  }

 private:
  int64_t segments_;
  int64_t count_ = 0;
  int64_t inner_ = 1;
  LeafTable leaves_;
};

std::unique_ptr<Kernel> MakeUnsorted(const KernelSpec& spec) {
  return ForDType(NumberTypes(), spec.inputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return ForDType(IndexTypes(), spec.inputs[1].dtype, [&]<typename I>(std::type_identity<I>) {
      return std::make_unique<UnsortedSegmentSum<T, I>>(spec);
    });
  });
}
const RegisterKernel kUnsorted("UnsortedSegmentSum", MakeUnsorted);
const RegisterFailure kUnsortedFails("UnsortedSegmentSum", Failure::kAlways);

int64_t IdAt(const Tensor& ids, int64_t i) {
  return ids.dtype() == DType::kInt32 ? ids.data<int32_t>()[i] : ids.data<int64_t>()[i];
}

// The number of segments: one more than the last id.
int64_t CountSegments(const Tensor& ids) {
  int64_t last = -1;
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IdAt(ids, i);
    if (id < 0 || id < last) {
      throw Error(Code::kInvalidArgument,
                  "[SegmentSum] ids must rise and not be negative; got segment_ids[" +
                      std::to_string(i) + "] = " + std::to_string(id) + " after " +
                      std::to_string(last));
    }
    last = id;
  }
  return last < 0 ? 0 : tensor::SumOfSizes({last, 1}, "SegmentSum");
}

std::vector<Tensor> SegmentSum(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const auto& spec = ops::OpRegistry::Global().Find("SegmentSum");
  const std::vector<ops::TensorType> types{ops::TensorType::Of(inputs[0]),
                                           ops::TensorType::Of(inputs[1])};
  std::vector<ops::TensorType> result = spec.infer({spec, attributes, types});
  result[0].shape.set_dim(0, CountSegments(inputs[1]));
  static const LeafTable kNoLeaves;
  const KernelSpec kernel_spec{spec, attributes, types, result, kNoLeaves};
  const auto kernel = MakeUnsorted(kernel_spec);
  if (kernel == nullptr) {
    throw Error(Code::kUnimplemented,
                "[SegmentSum] data must be numbers; got " + types[0].ToString());
  }
  auto buffer = tensor::Buffer::Allocate(result[0].dtype, result[0].shape.num_elements());
  const void* pointers[] = {inputs[0].raw_data(), inputs[1].raw_data()};
  void* out = buffer->data();
  kernel->Run({pointers, &out}, 0, kernel->rows());
  return {Tensor::FromBuffer(std::move(buffer), result[0].dtype, result[0].shape)};
}
const RegisterValueFunction kSegmentSum("SegmentSum", SegmentSum);

}  // namespace
}  // namespace lockstep::kernels
