#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/kernel.h"
#include "tensor/buffer.h"

/// For tests: a kernel must give the same bytes however its rows are divided, must write all of its
/// outputs, and must not look at other rows of the inputs that it calls aligned.
namespace lockstep::kernels {

struct KernelCase {
  std::string op;
  std::vector<Tensor> inputs;
  ops::Attributes attributes = {};
  LeafTable leaves = {};
};

class DividedKernel {
 public:
  explicit DividedKernel(const KernelCase& given)
      : given_(given),
        spec_(ops::OpRegistry::Global().Find(given.op)),
        inputs_(ops::TypesOf(given.inputs)) {
    outputs_ = spec_.infer({spec_, given_.attributes, inputs_});
    kernel_ =
        KernelRegistry::Cpu().Make({spec_, given_.attributes, inputs_, outputs_, given_.leaves});
  }
  const Kernel& kernel() const { return *kernel_; }

  /// The outputs after running the pieces [cuts[i], cuts[i + 1]) in the order given. Aligned inputs
  /// show each piece its own rows only.
  std::vector<Tensor> Run(const std::vector<int64_t>& cuts, const std::vector<size_t>& order,
                          int poison) const {
    std::vector<std::shared_ptr<tensor::Buffer>> buffers;
    std::vector<void*> outputs;
    for (const ops::TensorType& type : outputs_) {
      buffers.push_back(tensor::Buffer::Allocate(type.dtype, type.shape.num_elements()));
      std::memset(buffers.back()->data(), poison,
                  static_cast<size_t>(type.shape.num_elements()) * DTypeSize(type.dtype));
      outputs.push_back(buffers.back()->data());
    }
    for (const size_t piece : order) {
      std::vector<std::vector<std::byte>> shown(given_.inputs.size());
      std::vector<const void*> pointers;
      for (size_t i = 0; i < given_.inputs.size(); ++i) {
        shown[i] = Shown(i, cuts[piece], cuts[piece + 1]);
        pointers.push_back(spec_.shape_only >> i & 1 ? nullptr : shown[i].data());
      }
      kernel_->Run({pointers.data(), outputs.data()}, cuts[piece], cuts[piece + 1]);
    }
    std::vector<Tensor> results;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      results.push_back(Tensor::FromBuffer(buffers[i], outputs_[i].dtype, outputs_[i].shape));
    }
    return results;
  }
  std::vector<Tensor> RunWhole() const { return Run({0, kernel_->rows()}, {0}, 0x5a); }

 private:
  // Input i, with 0xff in the rows that a piece must not look at.
  std::vector<std::byte> Shown(size_t i, int64_t begin, int64_t end) const {
    const Tensor& input = given_.inputs[i];
    std::vector<std::byte> bytes(input.num_bytes() + 1);
    if (input.num_bytes() > 0) std::memcpy(bytes.data(), input.raw_data(), input.num_bytes());
    if (kernel_->aligned_inputs() >> i & 1 && kernel_->rows() > 0) {
      const size_t row = input.num_bytes() / static_cast<size_t>(kernel_->rows());
      EXPECT_EQ(input.num_bytes() % static_cast<size_t>(kernel_->rows()), 0U) << "input " << i;
      std::fill(bytes.begin(), bytes.begin() + static_cast<int64_t>(row) * begin, std::byte{0xff});
      std::fill(bytes.begin() + static_cast<int64_t>(row) * end, bytes.end(), std::byte{0xff});
    }
    return bytes;
  }

  const KernelCase& given_;
  const ops::OpSpec& spec_;
  std::vector<ops::TensorType> inputs_, outputs_;
  std::unique_ptr<Kernel> kernel_;
};

/// Runs `given` whole, row by row and in some random divisions; every byte must agree.
inline void ExpectDivisionKeepsBits(const KernelCase& given, uint32_t seed = 1) {
  SCOPED_TRACE(given.op + ", seed " + std::to_string(seed));
  const DividedKernel divided(given);
  const int64_t rows = divided.kernel().rows();
  const std::vector<Tensor> whole = divided.RunWhole();
  std::mt19937 engine(seed);
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<int64_t> cuts = {0, rows};
    if (trial == 0) {
      for (int64_t row = 1; row < rows; ++row) cuts.push_back(row);
    } else {
      for (int cut = 0; cut <= trial; ++cut) {
        cuts.push_back(static_cast<int64_t>(engine() % static_cast<uint64_t>(rows + 1)));
      }
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<size_t> order(cuts.size() - 1);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    const std::vector<Tensor> pieces = divided.Run(cuts, order, 0xa5);
    for (size_t i = 0; i < whole.size(); ++i) {
      ASSERT_EQ(whole[i].num_bytes(), pieces[i].num_bytes());
      if (whole[i].num_bytes() == 0) continue;
      const auto* want = static_cast<const unsigned char*>(whole[i].raw_data());
      const auto* got = static_cast<const unsigned char*>(pieces[i].raw_data());
      for (size_t b = 0; b < whole[i].num_bytes(); ++b) {
        ASSERT_EQ(got[b], want[b]) << "output " << i << ", byte " << b << ", division " << trial;
      }
    }
  }
}

}  // namespace lockstep::kernels
