// Kernels must give the same bits with AVX2 and AVX-512.

#include <cstring>

#include "kernels/cpu/product_reference.h"
#include "kernels/division_test.h"

namespace lockstep::kernels {
namespace {

Tensor Floats(const Shape& shape, uint32_t seed) {
  return Tensor::FromVector(RandomValues<float>(shape.num_elements(), seed), shape);
}
Tensor Doubles(const Shape& shape, uint32_t seed) {
  return Tensor::FromVector(RandomValues<double>(shape.num_elements(), seed), shape);
}

void ExpectSameBitsOnEveryTarget(const KernelCase& given) {
  SCOPED_TRACE(given.op);
  std::vector<Tensor> first;
  OnEveryTarget([&] {
    const std::vector<Tensor> outputs = DividedKernel(given).RunWhole();
    if (first.empty()) first = outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(std::memcmp(outputs[i].raw_data(), first[i].raw_data(), first[i].num_bytes()), 0)
          << "output " << i;
    }
  });
}

TEST(InstructionSets, DoNotChangeABit) {
  const Tensor labels = Constant<int32_t>({3, 0, 36, 7, 20});
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    ExpectSameBitsOnEveryTarget({op, {Floats({5, 37}, 1)}});
    ExpectSameBitsOnEveryTarget({op, {Doubles({5, 37}, 1)}});
  }
  ExpectSameBitsOnEveryTarget(
      {"SparseSoftmaxCrossEntropyWithLogits", {Floats({5, 37}, 1), labels}});
  for (const char* op : {"SoftmaxCrossEntropyWithLogits", "SigmoidCrossEntropyWithLogits"}) {
    ExpectSameBitsOnEveryTarget({op, {Floats({5, 37}, 1), Floats({5, 37}, 2)}});
    ExpectSameBitsOnEveryTarget({op, {Doubles({5, 37}, 1), Doubles({5, 37}, 2)}});
  }
  ExpectSameBitsOnEveryTarget(
      {"LayerNorm", {Floats({5, 37}, 1), Floats({37}, 2), Floats({37}, 3)}, {{"epsilon", 0.125}}});
  const Tensor statistic = Floats({5}, 4);
  ExpectSameBitsOnEveryTarget(
      {"LayerNormGrad",
       {Floats({5, 37}, 1), Floats({37}, 2), statistic, statistic, Floats({5, 37}, 5)}});
  ExpectSameBitsOnEveryTarget(
      {"LayerNormScaleGrad", {Floats({5, 37}, 1), statistic, statistic, Floats({5, 37}, 5)}});
  const ops::Attributes attention = {{"causal", true}, {"scale", 0.5}};
  const Tensor q = Floats({2, 70, 5}, 1), k = Floats({2, 75, 5}, 2), v = Floats({2, 75, 6}, 3);
  const KernelCase forward = {"ScaledDotProductAttention", {q, k, v}, attention};
  ExpectSameBitsOnEveryTarget(forward);
  const std::vector<Tensor> y = DividedKernel(forward).RunWhole();
  ExpectSameBitsOnEveryTarget(
      {"ScaledDotProductAttentionGrad", {q, k, v, y[0], y[1], Floats({2, 70, 6}, 4)}, attention});
  const ops::Attributes pool = {{"ksize", std::vector<int64_t>{3, 2}},
                                {"padding", std::string("SAME")}};
  for (const char* op : {"MaxPool", "AvgPool"}) {
    ExpectSameBitsOnEveryTarget({op, {Floats({2, 5, 6, 9}, 1)}, pool});
  }
}

}  // namespace
}  // namespace lockstep::kernels
