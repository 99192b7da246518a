#include "kernels/copy.h"

#include <cstring>

namespace lockstep::kernels {

namespace {

class Copy : public Kernel {
 public:
  explicit Copy(const KernelSpec& spec) {
    const Shape& shape = spec.outputs[0].shape;
    rows_ = shape.rank() > 0 ? shape[0] : 1;
    row_bytes_ = rows_ == 0 ? 0 : shape.num_elements() / rows_ * DTypeSize(spec.outputs[0].dtype);
    aligned_ = spec.inputs[0].shape == shape;
  }
  int64_t rows() const override { return rows_; }
  uint32_t aligned_inputs() const override { return aligned_ ? 1 : 0; }
  double cost_per_row() const override { return row_bytes_ / 8.0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (end > begin && row_bytes_ > 0) {
      std::memcpy(memory.out<char>(0) + begin * row_bytes_, memory.in<char>(0) + begin * row_bytes_,
                  (end - begin) * row_bytes_);
    }
  }

 private:
  int64_t rows_;
  size_t row_bytes_;
  bool aligned_;
};

}  // namespace

std::unique_ptr<Kernel> MakeCopy(const KernelSpec& spec) { return std::make_unique<Copy>(spec); }

}  // namespace lockstep::kernels
