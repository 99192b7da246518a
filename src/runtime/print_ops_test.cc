// What is printed and asserted without Python. Texts: TensorFlow 2.21.

#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/summarize.h"

namespace lockstep::runtime {
namespace {

TEST(Summarize, ShowsTheFirstElements) {
  const Tensor matrix({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(SummarizedFlat(Scalar(0.5f), 3), "0.5");
  EXPECT_EQ(SummarizedFlat(Constant<int32_t>({1, 2, 3, 4, 5}), 3), "1 2 3...");
  EXPECT_EQ(SummarizedFlat(Constant<int32_t>({1, 2, 3, 4, 5}), -1), "1 2 3 4 5");
  EXPECT_EQ(SummarizedFlat(matrix, 3), "[1 2 3]...");
  EXPECT_EQ(SummarizedFlat(matrix, 5), "[1 2 3][4 5...]...");
  const Tensor cube = Reshape(Constant<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}), {2, 2, 2});
  EXPECT_EQ(SummarizedFlat(cube, 5), "[[0 1][2 3]][[4...]]...");
  EXPECT_EQ(SummarizedFlat(Tensor::FromStrings({"a", "b"}, {2}), 3), "a b");
  EXPECT_EQ(SummarizedFlat(Constant<float>({}, {0}), 3), "");
}

TEST(Summarize, NestsAllAxes) {
  EXPECT_EQ(SummarizedNested(Constant<int64_t>({1, 2, 3, 4, 5, 6, 7, 8}), 3), "[1 2 3 ... 6 7 8]");
  EXPECT_EQ(SummarizedNested(Tensor({{1, 2}, {3, 4}}), 3), "[[1 2]\n [3 4]]");
  EXPECT_EQ(SummarizedNested(Constant<float>({0.1f, 1e-5f, 16777216.f}), 3),
            "[0.1 1e-05 16777216]");
  EXPECT_EQ(SummarizedNested(Constant<double>({0.1, 1.0 / 3}), -1), "[0.1 0.33333333333333331]");
  EXPECT_EQ(SummarizedNested(Tensor::FromStrings({"a"}, {1}), 3), "[\"a\"]");
  EXPECT_EQ(SummarizedNested(Tensor::FromBools({true, false}, {2}), 3), "[1 0]");
  EXPECT_EQ(SummarizedNested(Constant<float>({}, {0}), 3), "[]");
}

TEST(AssertOp, ShowsItsData) {
  const Tensor text = Tensor::FromStrings({"boom"}, {});
  ops::Emit("Assert", {Scalar(true), text});
  ExpectError(Code::kInvalidArgument, "assertion failed: [boom] [1 2 3...]", [&] {
    ops::Emit("Assert", {Scalar(false), text, Constant<int32_t>({1, 2, 3, 4})});
  });
}

TEST(PrintOp, FillsItsTemplate) {
  ::testing::internal::CaptureStderr();
  ops::Emit("PrintV2", {Constant<int32_t>({1, 2}), Tensor::FromStrings({"lone"}, {})},
            {{"template", std::string("a \x01 b {'k': \x02}\n")}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "a [1 2] b {'k': \"lone\"}\n");
}

}  // namespace
}  // namespace lockstep::runtime
