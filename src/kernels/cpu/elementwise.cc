#include "kernels/cpu/elementwise.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/broadcast_walk.h"
#include "kernels/cpu/widen.h"

namespace lockstep::kernels {

namespace {

// Elements that are widened at a time: three pieces stay in the first level of the cache.
constexpr int64_t kHalvesAtATime = 1024;

BroadcastWalk WalkOf(const KernelSpec& spec) {
  std::vector<Shape> inputs;
  for (const ops::TensorType& input : spec.inputs) inputs.push_back(input.shape);
  return BroadcastWalk(spec.outputs[0].shape, inputs);
}

class Elementwise : public Kernel {
 public:
  Elementwise(const KernelSpec& spec, const LoopChoice& loop, std::vector<double> parameters)
      : walk_(WalkOf(spec)),
        loop_(loop),
        in_(spec.inputs[0].dtype),
        in_size_(DTypeSize(in_)),
        out_(spec.outputs[0].dtype),
        out_size_(DTypeSize(out_)),
        parameters_(std::move(parameters)) {
    parameters_.resize(2, 0.0);
  }

  int64_t rows() const override { return walk_.rows(); }
  int64_t row_grain() const override {
    return walk_.elements_per_row() == 1 ? 64 / static_cast<int64_t>(out_size_) : 1;
  }
  uint32_t aligned_inputs() const override { return walk_.aligned_inputs(); }
  double cost_per_row() const override { return loop_.cost * walk_.elements_per_row(); }

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    char* out = memory.out<char>(0);
    const char* a = memory.in<char>(0);
    if (loop_.unary != nullptr) {
      walk_.ForEachRun(begin, end, [&](int64_t to, const auto& from, int64_t count) {
        Unary(a + from[0] * in_size_, out + to * out_size_, count);
      });
      return;
    }
    const char* b = memory.in<char>(1);
    const StayingOperands staying = (walk_.stays(0) ? 1 : 0) | (walk_.stays(1) ? 2 : 0);
    walk_.ForEachRun(begin, end, [&](int64_t to, const auto& from, int64_t count) {
      Binary(a + from[0] * in_size_, b + from[1] * in_size_, out + to * out_size_, count, staying);
    });
  }

 private:
  void Unary(const char* a, char* out, int64_t count) const {
    if (!loop_.widen) return loop_.unary(a, out, count, parameters_.data());
    alignas(64) float wide[kHalvesAtATime];
    alignas(64) float result[kHalvesAtATime];
    for (int64_t i = 0; i < count; i += kHalvesAtATime) {
      const int64_t n = std::min(kHalvesAtATime, count - i);
      Widen(in_, a + i * in_size_, wide, n);
      if (out_ != in_) {
        loop_.unary(wide, out + i * out_size_, n, parameters_.data());
      } else {
        loop_.unary(wide, result, n, parameters_.data());
        Narrow(out_, result, out + i * out_size_, n);
      }
    }
  }

  void Binary(const char* a, const char* b, char* out, int64_t count,
              StayingOperands staying) const {
    if (!loop_.widen) return loop_.binary(a, b, out, count, staying, parameters_.data());
    alignas(64) float left[kHalvesAtATime];
    alignas(64) float right[kHalvesAtATime];
    alignas(64) float result[kHalvesAtATime];
    for (int64_t i = 0; i < count; i += kHalvesAtATime) {
      const int64_t n = std::min(kHalvesAtATime, count - i);
      const bool left_stays = staying & 1, right_stays = staying & 2;
      Widen(in_, left_stays ? a : a + i * in_size_, left, left_stays ? 1 : n);
      Widen(in_, right_stays ? b : b + i * in_size_, right, right_stays ? 1 : n);
      if (out_ != in_) {
        loop_.binary(left, right, out + i * out_size_, n, staying, parameters_.data());
      } else {
        loop_.binary(left, right, result, n, staying, parameters_.data());
        Narrow(out_, result, out + i * out_size_, n);
      }
    }
  }

  const BroadcastWalk walk_;
  const LoopChoice loop_;
  const DType in_;
  const size_t in_size_;
  const DType out_;
  const size_t out_size_;
  std::vector<double> parameters_;
};

}  // namespace

std::unique_ptr<Kernel> MakeElementwise(const KernelSpec& spec, const LoopChoice& loop,
                                        std::vector<double> parameters) {
  if (loop.unary == nullptr && loop.binary == nullptr) return nullptr;
  return std::make_unique<Elementwise>(spec, loop, std::move(parameters));
}

}  // namespace lockstep::kernels
