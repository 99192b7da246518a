#include "graph/partition.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "base/event_loop.h"
#include "graph/tracer.h"
#include "lockstep/graph/device.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/variable.h"
#include "runtime/op_probe.h"
#include "runtime/rendezvous.h"

namespace lockstep::runtime {
namespace {

using testing::Random;

// The parts of one step in this process: a program a device, all on one event loop.
class Step {
 public:
  Step(const graph::Graph& graph, const std::string& default_device) : graph_(graph) {
    for (auto& [device, part] : graph::PartitionByDevice(graph, default_device)) {
      programs_.push_back({part, std::make_unique<SegmentedProgram>(part.graph)});
    }
  }
  size_t num_parts() const { return programs_.size(); }

  Result<std::vector<Tensor>> Run(const std::vector<Tensor>& arguments) {
    base::EventLoop loop;
    base::Team team(2);
    Rendezvous rendezvous;
    const std::map<std::string, AsynchronousOp> handlers = {{"_Send", rendezvous.SendOp(loop)},
                                                            {"_Recv", rendezvous.ReceiveOp(loop)}};
    SegmentedProgram::Context context{loop, team, handlers};
    std::vector<Tensor> results(graph_.results().size());
    size_t done = 0;
    Status status;
    for (auto& [part, program] : programs_) {
      std::vector<Tensor> local;
      for (int parameter : part.parameters) local.push_back(arguments[parameter]);
      const std::vector<int> places = part.results;
      program->Start(local, context, [&, places](Result<std::vector<Tensor>> values) {
        ++done;
        if (!values.ok()) {
          status = values.status();
          rendezvous.Abort(status);
          return;
        }
        for (size_t i = 0; i < places.size(); ++i) results[places[i]] = (*values)[i];
      });
    }
    EXPECT_TRUE(loop.RunUntil([&] { return done == programs_.size(); }, std::chrono::seconds(20)));
    if (!status.ok()) return status;
    return results;
  }

 private:
  struct PlacedProgram {
    graph::Part part;
    std::unique_ptr<SegmentedProgram> program;
  };
  const graph::Graph graph_;
  std::vector<PlacedProgram> programs_;
};

std::vector<Tensor> OverThreeDevices(const std::vector<Tensor>& a) {
  const auto on = [&](const char* device, const std::function<Tensor()>& body) {
    const Device scope(device);
    return body();
  };
  const Tensor hidden = on("/device:CPU:0", [&] { return Relu(MatMul(a[0], a[1])); });
  const Tensor left = on("/device:CPU:1", [&] { return hidden * 2.0f; });
  const Tensor right = on("/device:CPU:2", [&] { return Square(hidden); });
  const Tensor sum = on("/device:CPU:1", [&] { return left + right; });  // back and forth
  return {sum, on("/device:CPU:0", [&] { return ReduceSum(sum); }), right};
}

TEST(Partition, ThreeDevicesGiveTheBitsOfOne) {
  const std::vector<Tensor> arguments{Random({8, 5}, 1), Random({5, 6}, 2)};
  const auto expected = OverThreeDevices(arguments);
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  {
    ops::BuilderScope scope(&tracer);
    for (const Tensor& result : OverThreeDevices(parameters)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
  }
  Step step(*tracer.graph(), "/device:CPU:0");
  ASSERT_EQ(step.num_parts(), 3u);
  const auto results = step.Run(arguments);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(
        std::memcmp((*results)[i].raw_data(), expected[i].raw_data(), expected[i].num_bytes()), 0)
        << i;
  }
}

TEST(Partition, AControlEdgeBetweenDevicesOrdersMemory) {
  Variable x(Tensor{1, 2}, {.name = "x"});
  graph::Tracer tracer;
  const Tensor delta = tracer.AddParameter({DType::kFloat32, Shape{2}, DType::kFloat32});
  {
    ops::BuilderScope scope(&tracer);
    {
      const Device scope("/device:CPU:1");
      ops::Emit("AssignAddVariableOp", {x.handle(), delta});
    }
    const Device other("/device:CPU:0");
    tracer.PushControl({tracer.graph()->num_nodes() - 1});
    tracer.graph()->results().push_back(tracer.EndpointOf(x.value()));
    tracer.PopControl();
  }
  Step step(*tracer.graph(), "/device:CPU:0");
  for (int i = 1; i <= 20; ++i) {
    const auto results = step.Run({Tensor{1, 1}});
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    EXPECT_EQ((*results)[0].ToVector<float>(), (std::vector<float>{1.0f + i, 2.0f + i}));
  }
}

TEST(Rendezvous, WhatIsSentDoesNotChangeWithALaterAssignment) {
  base::EventLoop loop;
  Rendezvous rendezvous;
  Variable x(Tensor{1, 2});
  ASSERT_TRUE(rendezvous.Send("a;b;x", x.value()).ok());
  x.AssignAdd(Tensor{5, 5});
  std::optional<Tensor> received;
  rendezvous.Receive("a;b;x", loop, [&](Result<Tensor> value) { received = *value; });
  EXPECT_TRUE(loop.RunUntil([&] { return received.has_value(); }, std::chrono::seconds(5)));
  EXPECT_EQ(received->ToVector<float>(), (std::vector<float>{1, 2}));
}

TEST(Rendezvous, AnAbortReachesWaitersAndLatecomers) {
  base::EventLoop loop;
  Rendezvous rendezvous;
  std::vector<Code> codes;
  const auto note = [&](Result<Tensor> value) { codes.push_back(value.status().code()); };
  rendezvous.Receive("never", loop, note);
  rendezvous.Abort(Status(Code::kAborted, "[test] the peer has gone"));
  rendezvous.Receive("later", loop, note);
  EXPECT_TRUE(loop.RunUntil([&] { return codes.size() == 2; }, std::chrono::seconds(5)));
  EXPECT_EQ(codes, (std::vector<Code>{Code::kAborted, Code::kAborted}));
  EXPECT_EQ(rendezvous.Send("never", Tensor{1}).code(), Code::kAborted);
}

}  // namespace
}  // namespace lockstep::runtime
