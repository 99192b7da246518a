#include "remote/beside_variables.h"

#include <gtest/gtest.h>

#include "graph/tracer.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "ops/builder.h"
#include "runtime/graph_builder.h"

namespace lockstep::remote {
namespace {

constexpr char kServer[] = "/job:ps/replica:0/task:0/device:CPU:0";

class BesideVariables : public testing::Test {
 protected:
  BesideVariables() : scope_(&tracer_) {
    auto variable = std::make_shared<runtime::GraphVariable>();
    variable->name = "w";
    variable->device = kServer;
    w = Tensor::FromObject(std::move(variable), DType::kResource, Shape({1000, 8}),
                           DType::kFloat32);
  }
  Tensor Parameter(DType dtype, const Shape& shape) {
    return tracer_.AddParameter({dtype, shape, dtype});
  }
  Tensor Read() const { return ops::Emit1("ReadVariableOp", {w}); }
  void Place(const std::vector<Tensor>& results) {
    for (const Tensor& result : results) {
      tracer_.graph()->results().push_back(tracer_.EndpointOf(result));
    }
    PlaceBesideVariables(tracer_.graph().get());
  }
  std::string DeviceOf(const Tensor& value) {
    return tracer_.graph()->node(tracer_.EndpointOf(value).node).device;
  }

  graph::Tracer tracer_;
  ops::BuilderScope scope_;
  Tensor w;
};

TEST_F(BesideVariables, RowsAreTakenWhereTheVariableIs) {
  const Tensor rows = Gather(Read(), Parameter(DType::kInt64, {4}));
  const Tensor product = MatMul(rows, Parameter(DType::kFloat32, {8, 8}));
  Place({product});
  EXPECT_EQ(DeviceOf(rows), kServer);
  EXPECT_EQ(DeviceOf(product), "");
}

TEST_F(BesideVariables, UpdatesTakeWhatIsSmallerThanTheirOwn) {
  const Tensor slices = Parameter(DType::kFloat32, {4, 8});
  const Tensor dense =
      IndexedSlices{slices, Parameter(DType::kInt64, {4}), Shape({1000, 8})}.ToDense();
  const Tensor scaled = dense * 0.5f;
  ops::Emit("AssignSubVariableOp", {w, scaled});
  const Tensor x = Parameter(DType::kFloat32, {1000, 1}), y = Parameter(DType::kFloat32, {1, 8});
  const Tensor product = MatMul(x, y);  // computing is the worker's, whatever it takes
  ops::Emit("AssignAddVariableOp", {w, product});
  Place({});
  EXPECT_EQ(DeviceOf(dense), kServer);
  EXPECT_EQ(DeviceOf(scaled), kServer);
  EXPECT_EQ(DeviceOf(product), "");
}

TEST_F(BesideVariables, WhatIsFetchedStays) {
  const Tensor made = Parameter(DType::kFloat32, {1000, 8}) * 2.f;
  ops::Emit("AssignAddVariableOp", {w, made});
  Place({made});
  EXPECT_EQ(DeviceOf(made), "");
}

TEST_F(BesideVariables, WhoOverwritesWhatItReadsHoldsItFromTheBeginning) {
  const Tensor value = Read();
  ops::Emit("AssignAddVariableOp", {w, value});
  EXPECT_EQ(HoldingOf(*tracer_.graph()), RunMode::kLate);
  ops::Emit("ResourceApplyGradientDescent", {w, value, Scalar(0.5f)});  // an update, too
  EXPECT_EQ(HoldingOf(*tracer_.graph()), RunMode::kLate);
  ops::Emit("AssignVariableOp", {w, value});
  EXPECT_EQ(HoldingOf(*tracer_.graph()), RunMode::kSerializable);
}

}  // namespace
}  // namespace lockstep::remote
