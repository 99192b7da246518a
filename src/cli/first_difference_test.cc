#include "cli/first_difference.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

SavedState Made(float value) {
  SavedState state;
  state.tensors = {{"a", Tensor::FromVector(std::vector<float>{1, 2, 3, 4, 5, value}, Shape{2, 3})},
                   {"b", Tensor::FromVector(std::vector<int32_t>{7, value == 6 ? 8 : 9}, Shape{2})},
                   {"c", Tensor::FromVector(std::vector<double>{0.5}, Shape{1})}};
  state.metadata = R"({"writers": [{"variable": "b", "op": "Assign_4", "phase": 1, "from": []},
                                   {"variable": "a", "op": "Adam_9", "phase": 2,
                                    "from": ["MatMul_7", "Mul_8"]}]})";
  return state;
}

TEST(FirstDifference, IsTheOneThatThePlanWritesFirst) {
  EXPECT_FALSE(FindDifference(Made(6), Made(6)));
  const auto found = FindDifference(Made(6), Made(7));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->variable, "b");
  EXPECT_EQ(found->element, 1);
  EXPECT_EQ(found->place, "[1]");
  EXPECT_EQ(found->first, "0x00000008");
  EXPECT_EQ(found->second, "0x00000009");
  EXPECT_EQ(found->op, "Assign_4 in phase 1");
  EXPECT_EQ(found->variables, 2);
  EXPECT_EQ(found->of_variables, 3);
}

TEST(FirstDifference, TellsBitsApartThatCompareEqual) {
  SavedState zero, negative;
  zero.tensors = {{"a", Tensor::FromVector(std::vector<float>{1, 0, 0, 0}, Shape{2, 2})}};
  negative.tensors = {{"a", Tensor::FromVector(std::vector<float>{1, 0, -0.f, -0.f}, Shape{2, 2})}};
  const auto found = FindDifference(zero, negative);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, "[1,0]");
  EXPECT_EQ(found->first, "0x00000000 (0)");
  EXPECT_EQ(found->second, "0x80000000 (-0)");
  EXPECT_EQ(found->elements, 2);
  EXPECT_EQ(found->of_elements, 4);
  EXPECT_EQ(found->op, "");
}

TEST(FirstDifference, NamesWhatIsAbsentOrOfAnotherShape) {
  SavedState first = Made(6), second = Made(6);
  second.tensors.erase(second.tensors.begin());
  EXPECT_EQ(FindDifference(first, second)->second, "absent");
  second = Made(6);
  second.tensors[0].value = Tensor::FromVector(std::vector<float>{1, 2}, Shape{2});
  const auto found = FindDifference(first, second);
  EXPECT_EQ(found->variable, "a");
  EXPECT_EQ(found->first, "[2,3]");
  EXPECT_EQ(found->second, "[2]");
  EXPECT_EQ(found->op, "Adam_9 in phase 2, from MatMul_7 and Mul_8");
}

}  // namespace
}  // namespace lockstep::cli
