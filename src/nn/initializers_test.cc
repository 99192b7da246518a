#include "lockstep/nn/initializers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lockstep/ops/linalg.h"

namespace lockstep {
namespace {

std::vector<float> Values(const InitializerPtr& initializer, const Shape& shape) {
  return initializer->Make(shape, DType::kFloat32, 99).ToVector<float>();
}

std::string MessageOf(const InitializerPtr& initializer, const Shape& shape, DType dtype) {
  try {
    initializer->Make(shape, dtype, 0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.status().message();
  }
  return "";
}

TEST(InitializersTest, GlorotUniformHasKerasBits) {
  EXPECT_EQ(Values(initializers::GlorotUniform(7), {3, 2}),
            (std::vector<float>{0x1.152838p-1f, 0x1.824808p-2f, -0x1.f00df6p-1f, 0x1.4389c8p-2f,
                                -0x1.e20012p-1f, 0x1.794028p-2f}));
}

TEST(InitializersTest, OwnSeedsRepeatAndDrawnSeedsDecideOtherwise) {
  const auto own = initializers::HeNormal(5);
  EXPECT_EQ(own->Make({4}, DType::kFloat32, 1).ToVector<float>(),
            own->Make({4}, DType::kFloat32, 2).ToVector<float>());
  const auto drawn = initializers::HeNormal();
  EXPECT_EQ(drawn->Make({4}, DType::kFloat32, 5).ToVector<float>(), Values(own, {4}));
  EXPECT_NE(drawn->Make({4}, DType::kFloat32, 6).ToVector<float>(), Values(own, {4}));
}

TEST(InitializersTest, FansFollowFromTheShape) {
  using initializers::Distribution;
  using initializers::FanMode;
  const auto largest = [](FanMode mode, const Shape& shape) {
    double most = 0;
    for (float v :
         Values(initializers::VarianceScaling(
                    {.scale = 3, .mode = mode, .distribution = Distribution::kUniform, .seed = 1}),
                shape))
      most = std::max(most, std::fabs(static_cast<double>(v)));
    return most;
  };
  // The limit is sqrt(3 * scale / fan) = 3 / sqrt(fan); thousands of numbers come close to it.
  EXPECT_NEAR(largest(FanMode::kIn, {5, 5, 4, 64}), 0.3, 0.002);
  EXPECT_NEAR(largest(FanMode::kOut, {5, 5, 4, 64}), 3 / std::sqrt(1600.0), 0.002);
  EXPECT_NEAR(largest(FanMode::kAverage, {40, 60}), 3 / std::sqrt(50.0), 0.002);
  EXPECT_EQ(Values(initializers::LecunUniform(1), {}).size(), 1u);
}

TEST(InitializersTest, OrthogonalColumnsOrRows) {
  for (const Shape& shape : {Shape{7, 4}, Shape{4, 7}, Shape{3, 3, 2, 5}}) {
    const Tensor w = initializers::Orthogonal(2, 3)->Make(shape, DType::kFloat64, 0);
    const int64_t columns = shape[shape.rank() - 1];
    const Tensor matrix = w.WithShape({w.num_elements() / columns, columns});
    const bool tall = matrix.shape()[0] >= columns;
    const auto product = MatMul(matrix, matrix, tall, !tall).ToVector<double>();
    const int64_t size = static_cast<int64_t>(std::sqrt(product.size()));
    for (int64_t i = 0; i < size * size; ++i)
      EXPECT_NEAR(product[i], i % (size + 1) == 0 ? 4.0 : 0.0, 1e-12) << shape.ToString();
  }
}

TEST(InitializersTest, ConstantsAndIdentity) {
  EXPECT_EQ(Values(initializers::Constant(0.5), {2}), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(Values(initializers::Identity(2), {2, 3}), (std::vector<float>{2, 0, 0, 0, 2, 0}));
  EXPECT_TRUE(Values(initializers::Ones(), {0, 3}).empty());
}

TEST(InitializersTest, RefuseShapesAndDtypes) {
  EXPECT_EQ(MessageOf(initializers::Identity(), {2}, DType::kFloat32),
            "[identity] the weight must be a matrix; got [2]");
  EXPECT_EQ(MessageOf(initializers::Orthogonal(), {5}, DType::kFloat32),
            "[orthogonal] the weight must have two axes or more; got [5]");
  EXPECT_EQ(MessageOf(initializers::Ones(), {2}, DType::kInt32),
            "[initializer] a weight is of a floating dtype; got int32");
  EXPECT_THROW(initializers::VarianceScaling({.scale = 0}), Error);
}

TEST(InitializersTest, DefaultSeedsAreKerass) {
  SetRandomSeed(11);
  EXPECT_EQ(NextDefaultSeed(), 485738844);
  EXPECT_EQ(NextDefaultSeed(), 929583700);
  EXPECT_EQ(RandomSeed(), 11);
  SetRandomSeed(0);
}

}  // namespace
}  // namespace lockstep
