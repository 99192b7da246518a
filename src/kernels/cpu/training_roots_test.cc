#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/product_reference.h"
#include "kernels/kernel.h"
#include "ops/training.h"

namespace lockstep::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// 1 / (sqrt(v) + epsilon), as the step of an Adam whose means stay as they are, but for what a
// gradient adds to v.
std::vector<float> Inverses(std::vector<float> v, double epsilon, float gradient_of_all = 0) {
  const Shape shape({static_cast<int64_t>(v.size())});
  std::vector<float> weight(v.size()), m(v.size(), 1.0f), gradient(v.size(), gradient_of_all);
  const float rate = -1.0f;
  const ops::TensorType of_all{DType::kFloat32, shape, DType::kFloat32};
  const ops::TensorType of_one{DType::kFloat32, Shape(), DType::kFloat32};
  ops::Attributes attributes = {
      {"beta_1", 1.0}, {"beta_2", gradient_of_all == 0 ? 1.0 : 0.999}, {"epsilon", epsilon}};
  attributes.Set("extras", int64_t{0});
  const std::vector<ops::TensorType> types = {of_all, of_all, of_all, of_all, of_one};
  const auto kernel = KernelRegistry::Cpu().Make(
      {ops::OpRegistry::Global().Find("ResourceApplyAdam"), attributes, types, {}, {}});
  const void* inputs[] = {weight.data(), m.data(), v.data(), gradient.data(), &rate};
  kernel->Run({inputs, nullptr}, 0, kernel->rows());
  return weight;
}

TEST(TrainingRoots, ErrByAtMostFourUnitsInTheLastPlace) {
  std::vector<float> v;
  for (uint32_t bits = 0x00800000; bits < 0x7f800000; bits += 1009) {
    v.push_back(std::bit_cast<float>(bits));
  }
  OnEveryTarget([&] {
    for (const double epsilon : {0.0, 1e-7, 1e-3}) {
      const std::vector<float> inverses = Inverses(v, epsilon);
      double worst = 0;
      for (size_t i = 0; i < v.size(); ++i) {
        const double exact = 1 / (std::sqrt(double{v[i]}) + static_cast<float>(epsilon));
        const float nearest = static_cast<float>(exact);
        const double unit = std::nextafter(nearest, kInfinity) - nearest;
        worst = std::max(worst, std::abs(inverses[i] - exact) / unit);
      }
      EXPECT_LE(worst, 4) << "epsilon " << epsilon;
      EXPECT_GT(worst, 0);
    }
  });
}

TEST(TrainingRoots, OfZeroInfinityAndNoNumber) {
  OnEveryTarget([&] {
    const std::vector<float> with =
        Inverses({0, std::nanf(""), std::numeric_limits<float>::max()}, 1e-7);
    EXPECT_NEAR(with[0], 1e7f, 4);
    EXPECT_TRUE(std::isnan(with[1]));
    EXPECT_NEAR(with[2], 5.421e-20f, 1e-23);
    EXPECT_EQ(Inverses({1, 1}, 1e-7, 1e30f)[0], 0);
    EXPECT_EQ(Inverses({0, 0, 0}, 0)[1], kInfinity);
  });
}

}  // namespace
}  // namespace lockstep::kernels
