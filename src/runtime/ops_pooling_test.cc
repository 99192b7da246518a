// Pooling and its gradients, carried out eagerly.

#include <cmath>
#include <cstring>

#include "kernels/division_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/pooling.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using kernels::ExpectDivisionKeepsBits;
using runtime::ExpectGradients;
using runtime::ExpectSecondGradients;
using runtime::RandomTensor;

std::vector<float> Values(const Tensor& tensor) { return tensor.ToVector<float>(); }

TEST(MaxPool, TakesTheLargest) {
  const Tensor x = Constant<float>({1, 5, 2, 0, -1, 3, 7, 4, 9}, {1, 3, 3, 1});
  EXPECT_EQ(Values(MaxPool(x, {2, 2})), (std::vector<float>{5, 5, 7, 9}));
  EXPECT_EQ(Values(MaxPool(x, {2, 2}, {.strides = {2, 2}, .padding = Padding::kSame})),
            (std::vector<float>{5, 3, 7, 9}));
  const Tensor negative = Constant<float>({-3, -1}, {1, 1, 2, 1});
  EXPECT_EQ(Values(MaxPool(negative, {3, 3}, {.padding = Padding::kSame})),
            (std::vector<float>{-1, -1}));
  const Tensor nan = Constant<float>({3, NAN, 4}, {1, 1, 3, 1});
  EXPECT_TRUE(std::isnan(Values(MaxPool(nan, {1, 3}))[0]));
}

TEST(MaxPool, TakesWholeNumbers) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kInt8, DType::kUInt8}) {
    const Tensor x = Cast(Tensor::FromVector<float>({1, 5, 3, 2, 7, 0, 4, 9}, {1, 2, 4, 1}), dtype);
    const Tensor y = MaxPool(x, {2, 2}, {.strides = {2, 2}});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(Values(Cast(y, DType::kFloat32)), (std::vector<float>{7, 9})) << DTypeName(dtype);
  }
}

TEST(MaxPool, GivesTiesToTheFirst) {
  const Tensor x = Constant<float>({1, 1, 1, 1}, {1, 2, 2, 1});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = MaxPool(x, {2, 2});
  const Tensor dx = tape.Gradient(y, x, {.output_gradients = {Constant<float>({5}, {1, 1, 1, 1})}});
  EXPECT_EQ(Values(dx), (std::vector<float>{5, 0, 0, 0}));
}

// Two by two, side by side, has a way of its own; a window of an odd image takes the general one.
TEST(MaxPool, QuartersAsAnyOtherWindows) {
  const Tensor even = RandomTensor<float>({2, 6, 4, 19}, 5);
  const Tensor odd = Pad(even, {{0, 0}, {0, 1}, {0, 1}, {0, 0}});
  const Tensor gradient = RandomTensor<float>({2, 3, 2, 19}, 6) * -0.0f;
  for (const Tensor& upstream : {RandomTensor<float>({2, 3, 2, 19}, 7), gradient}) {
    std::vector<Tensor> results;
    for (const Tensor& x : {even, odd}) {
      GradientTape tape;
      tape.Watch(x);
      const Tensor y = MaxPool(x, {2, 2}, {.strides = {2, 2}});
      const Tensor dx = tape.Gradient(y, x, {.output_gradients = {upstream}});
      results.push_back(y);
      results.push_back(Slice(dx, {0, 0, 0, 0}, {2, 6, 4, 19}));
    }
    for (const size_t i : {0, 1}) {
      const auto got = results[i].data<float>(), want = results[i + 2].data<float>();
      ASSERT_EQ(std::memcmp(got.data(), want.data(), got.size_bytes()), 0) << i;
    }
  }
}

TEST(AvgPool, DividesByTheCellsInside) {
  const Tensor x = Constant<float>({1, 5, 2, 0, -1, 3, 7, 4, 9}, {1, 3, 3, 1});
  EXPECT_EQ(Values(AvgPool(x, {2, 2}, {.strides = {2, 2}, .padding = Padding::kSame})),
            (std::vector<float>{1.25f, 2.5f, 5.5f, 9}));
}

TEST(Pooling, GradientsAreTheDerivativeToAnyOrder) {
  const PoolingOptions choices[] = {
      {},
      {.strides = {2, 1}, .padding = Padding::kSame},
      {.strides = {2, 2}, .padding = Padding::kExplicit, .explicit_paddings = {1, 0, 1, 1}}};
  for (const PoolingOptions& options : choices) {
    for (const bool max : {true, false}) {
      auto function = [&](const std::vector<Tensor>& a) {
        return std::vector<Tensor>{max ? MaxPool(a[0], {3, 2}, options)
                                       : AvgPool(a[0], {3, 2}, options)};
      };
      const std::vector<Tensor> inputs = {RandomTensor<double>({2, 4, 5, 2}, 1)};
      ExpectGradients(function, inputs);
    }
  }
  // The pools are piecewise linear; squares give them a second derivative.
  for (const bool max : {true, false}) {
    auto function = [&](const std::vector<Tensor>& a) {
      return std::vector<Tensor>{Square(max ? MaxPool(a[0], {2, 2}) : AvgPool(a[0], {2, 2}))};
    };
    ExpectSecondGradients(function, {RandomTensor<double>({1, 3, 4, 2}, 1)});
  }
}

TEST(Pooling, AnyDivisionOfRowsGivesTheSameBits) {
  const ops::Attributes attributes = {{"strides", std::vector<int64_t>{2, 1}},
                                      {"padding", std::string("SAME")},
                                      {"ksize", std::vector<int64_t>{3, 2}}};
  const Tensor x = RandomTensor<float>({5, 7, 6, 9}, 1), g = RandomTensor<float>({5, 4, 6, 9}, 2);
  const Tensor y = MaxPool(x, {3, 2}, {.strides = {2, 1}, .padding = Padding::kSame});
  ExpectDivisionKeepsBits({"MaxPool", {x}, attributes});
  ExpectDivisionKeepsBits({"MaxPoolGrad", {x, y, g}, attributes});
  ExpectDivisionKeepsBits({"MaxPoolGradGrad", {x, y, x}, attributes});
  ExpectDivisionKeepsBits({"AvgPool", {x}, attributes});
  ExpectDivisionKeepsBits({"AvgPoolGrad", {x, g}, attributes});
  ExpectDivisionKeepsBits({"AvgPool", {RandomTensor<bfloat16>({5, 7, 6, 9}, 1)}, attributes});
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  try {
    MaxPool(RandomTensor<float>({1, 4, 4, 1}, 1), {5, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(error.status().message(),
              "[MaxPool] the window must fit into the padded input; got a window that reaches over "
              "5 cells of 4");
  }
}

}  // namespace
}  // namespace lockstep
