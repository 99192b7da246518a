#include "runtime/open_variable.h"

#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/ops/array.h"
#include "ops/builder.h"
#include "runtime/element_types.h"

namespace lockstep::runtime {
namespace {

Tensor OpenHandle(const Shape& shape, ops::Attributes* types) {
  SetElementTypes({{DType::kFloat32, shape, DType::kFloat32}}, types);
  return MakeNamedObject("open_variable", "v", *types);
}

TEST(OpenVariableTest, TakesValuesThatFit) {
  ops::Attributes types;
  const Tensor handle = OpenHandle(Shape{-1, 2}, &types);
  const auto carry = [&](const char* op, const Tensor& value) {
    return ops::Emit(op, {handle, value}, types)[0];
  };
  ExpectError(Code::kFailedPrecondition, "must have a value before it is read; got 'v'",
              [&] { ops::Emit("OpenVariableRead", {handle}, types); });
  carry("OpenVariableAssign", Tensor({{1.f, 2.f}}));
  const Tensor before = ops::Emit("OpenVariableRead", {handle}, types)[0];
  carry("OpenVariableAssign", Tensor({{1.f, 2.f}, {3.f, 4.f}}));
  EXPECT_EQ(before.shape(), (Shape{1, 2}));  // a snapshot
  EXPECT_EQ(carry("OpenVariableAdd", Tensor({{1.f, 1.f}, {1.f, 1.f}})).data<float>()[3], 5);
  ExpectError(Code::kInvalidArgument,
              "Cannot update variable with shape [2,2] using a Tensor with shape [1,2]", [&] {
                carry("OpenVariableSubtract", Tensor({{1.f, 1.f}}));
              });
  ExpectError(Code::kInvalidArgument, "[assign] the value must fit",
              [&] { carry("OpenVariableAssign", Tensor({1.f})); });
}

TEST(OpenVariableTest, HasNoRankWhereNoneIsDeclared) {
  ops::Attributes types;
  const Tensor handle = OpenHandle(Shape::Unranked(), &types);
  for (const Tensor& value : {Scalar(1.f), Tensor({{1.f, 2.f}})}) {
    ops::Emit("OpenVariableAssign", {handle, value}, types);
    EXPECT_EQ(ops::Emit("OpenVariableRead", {handle}, types)[0].shape(), value.shape());
  }
}

}  // namespace
}  // namespace lockstep::runtime
