#include "graph/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/graph/device.h"

namespace lockstep::graph {
namespace {

using testing::HasSubstr;

std::string Parsed(const std::string& text) { return DeviceSpec::Parse(text).OrThrow().ToString(); }

TEST(DeviceSpec, ReadsWholeAndPartialNames) {
  EXPECT_EQ(Parsed(""), "");
  EXPECT_EQ(Parsed("/job:ps/replica:0/task:12/device:CPU:0"),
            "/job:ps/replica:0/task:12/device:CPU:0");
  EXPECT_EQ(Parsed("/task:1/job:ps"), "/job:ps/task:1");
  EXPECT_EQ(Parsed("cpu:0"), "/device:CPU:0");
  EXPECT_EQ(Parsed("/gpu:3"), "/device:GPU:3");
  EXPECT_EQ(Parsed("/device:gpu:*"), "/device:GPU:*");
  EXPECT_EQ(Parsed("/job:a_1/device:CPU"), "/job:a_1/device:CPU:*");
  EXPECT_EQ(Parsed(Parsed("/device:CPU")), "/device:CPU:*");
  for (const char* wrong : {"/job", "/job:", "/task:x", "/job:a-b", "/device:", "//", "/foo:1",
                            "/task:-1", "/task:12345678901"}) {
    const auto spec = DeviceSpec::Parse(wrong);
    ASSERT_FALSE(spec.ok()) << wrong;
    EXPECT_EQ(spec.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(spec.status().message(), HasSubstr(std::string("in \"") + wrong + "\""));
  }
}

TEST(DeviceSpec, MergesAndMatches) {
  const auto spec = [](const char* text) { return DeviceSpec::Parse(text).OrThrow(); };
  EXPECT_EQ(spec("/task:1").Within(spec("/job:ps/task:0/device:CPU:2")).ToString(),
            "/job:ps/task:1/device:CPU:2");
  EXPECT_EQ(spec("/device:GPU").Within(spec("/device:CPU:2")).ToString(), "/device:GPU:*");
  EXPECT_TRUE(spec("/job:ps").Matches(spec("/task:3")));
  EXPECT_FALSE(spec("/job:ps").Matches(spec("/job:worker/task:3")));
  EXPECT_TRUE(spec("").empty());
}

TEST(DeviceFunctions, SpreadVariables) {
  const auto round = RoundRobinVariables(2);
  const OpToPlace variable{.op = "VarHandleOp", .dtype = DType::kFloat32, .shape = {10}};
  const OpToPlace other{.op = "MatMul"};
  EXPECT_EQ(round(variable), "/job:ps/task:0");
  EXPECT_EQ(round(other), "");
  EXPECT_EQ(round({.op = "MatMul", .device = "/task:3"}), "/task:3");
  EXPECT_EQ(round(variable), "/job:ps/task:1");
  EXPECT_EQ(round(variable), "/job:ps/task:0");
  const auto size = VariablesBySize(2, "server");
  const OpToPlace large{.op = "VarHandleOp", .dtype = DType::kFloat64, .shape = {100}};
  EXPECT_EQ(size(large), "/job:server/task:0");
  EXPECT_EQ(size(variable), "/job:server/task:1");
  EXPECT_EQ(size(variable), "/job:server/task:1");
  OpToPlace pinned = large;
  pinned.device = "/task:0/device:CPU:0";
  EXPECT_EQ(VariablesBySize(2)(pinned), "/job:ps/task:0/device:CPU:0");
  EXPECT_THROW(RoundRobinVariables(0), Error);
}

class Placement : public testing::Test {
 protected:
  Endpoint Variable(const std::string& name, const std::string& device) {
    struct Resource : TensorObject {};
    const Tensor handle =
        Tensor::FromObject(std::make_shared<Resource>(), DType::kResource, {2}, DType::kFloat32);
    const Endpoint e = graph.AddConstant(handle);
    graph.node(e.node).name = name;
    graph.node(e.node).device = device;
    return e;
  }
  Node& Read(Endpoint variable, const std::string& name, const std::string& device = "") {
    Node& node = graph.AddNode("ReadVariableOp", {variable});
    node.name = name;
    node.device = device;
    return node;
  }
  std::string Failure() {
    try {
      Place(&graph, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.what();
    }
    return "placed";
  }

  Graph graph;
  const std::string worker = "/job:worker/replica:0/task:0/device:CPU:0";
  const std::string server = "/job:ps/replica:0/task:1/device:CPU:0";
  PlacementOptions options{.devices = {"/job:ps/replica:0/task:0/device:CPU:0", server, worker,
                                       "/job:worker/replica:0/task:0/device:CPU:1"},
                           .default_device = worker};
};

TEST_F(Placement, PutsOpsBesideTheirVariables) {
  const Endpoint v = Variable("v", "/job:ps/task:1");
  const int read = Read(v, "v/Read").id;
  graph.AddNode("Square", {{read, 0}});
  graph.node(read + 1).name = "square";
  graph.AddNode("Square", {{read, 0}});
  graph.node(read + 2).name = "beside";
  graph.node(read + 2).attributes.Set("_class", std::string("loc:@v"));
  const auto placed = Place(&graph, options);
  EXPECT_EQ(placed[0].ToString(),
            "v (VarHandleOp) on " + server + ": its device scope says /job:ps/task:1");
  EXPECT_EQ(placed[1].ToString(), "v/Read (ReadVariableOp) on " + server + ": beside 'v'");
  EXPECT_EQ(placed[2].ToString(),
            "square (Square) on " + worker + ": nothing binds it, so the session's own task");
  EXPECT_EQ(placed[3].device, server);
  EXPECT_EQ(graph.node(read).device, server);
}

TEST_F(Placement, TakesAnotherDeviceOfTheTaskWhereItMay) {
  const Endpoint v = Variable("v", "/job:worker/device:GPU:0");
  Read(v, "read", "/device:CPU:1");
  const auto placed = Place(&graph, options);
  EXPECT_EQ(placed[0].device, worker);
  EXPECT_THAT(placed[0].reason, HasSubstr("/job:worker/device:GPU:0 is not there"));
  graph.node(0).device = "/job:worker/device:GPU:0";
  options.soft = false;
  EXPECT_THAT(Failure(), HasSubstr("got 'v' on /job:worker/device:GPU:0 and 'read' on"));
}

TEST_F(Placement, RefusesWhatIsNotThere) {
  const Endpoint v = Variable("v", "/job:ps/task:7");
  Read(v, "read");
  EXPECT_THAT(Failure(), HasSubstr("got 'v' on /job:ps/task:7, where there are /job:ps/replica:0"));
  graph.node(0).device = "/job:ps/task:0";
  Read(v, "other", "/job:worker");
  EXPECT_THAT(Failure(), HasSubstr("got 'v' on /job:ps/task:0 and 'other' on /job:worker"));
}

}  // namespace
}  // namespace lockstep::graph
