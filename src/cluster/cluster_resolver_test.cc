#include "lockstep/cluster/cluster_resolver.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lockstep/base/status.h"

namespace lockstep {
namespace {

// Variables of this process, as long as it lives.
class Variables {
 public:
  Variables(std::initializer_list<std::pair<const std::string, std::string>> variables)
      : variables_(variables) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> variables_;
};

template <typename Body>
Status Thrown(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.status();
  }
  return {};
}

TEST(ClusterResolver, SimpleKnowsWhatItWasTold) {
  const ClusterSpec spec{{"worker", {"a:1", "b:1"}}, {"ps", {"p:1"}}};
  const SimpleClusterResolver resolver(spec, {.task_type = "worker",
                                              .task_id = 1,
                                              .environment = "cloud",
                                              .num_accelerators = {{"GPU", 2}},
                                              .rpc_layer = "grpc"});
  EXPECT_EQ(resolver.cluster_spec(), spec);
  EXPECT_EQ(resolver.master(), "grpc://b:1");
  EXPECT_EQ(resolver.master("ps", 0), "grpc://p:1");
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 1);
  EXPECT_EQ(resolver.environment(), "cloud");
  EXPECT_EQ(resolver.num_accelerators().at("GPU"), 2);
  EXPECT_EQ(Thrown([&] { (void)resolver.master("chief", 0); }).code(), Code::kInvalidArgument);
  EXPECT_EQ(SimpleClusterResolver(spec, {.master = "here"}).master(), "here");
  EXPECT_EQ(SimpleClusterResolver(ClusterSpec{{"worker", {"a:1"}}}).master(), "");
  EXPECT_EQ(SimpleClusterResolver(ClusterSpec{}).master(), "");
}

TEST(ClusterResolver, TfConfigCanBeOverruled) {
  EXPECT_TRUE(TFConfigClusterResolver().cluster_spec().empty());
  const Variables variables({{"TF_CONFIG", R"({"cluster": {"worker": ["a:1", "b:1"]},
                         "task": {"type": "worker", "index": 0}, "rpc_layer": "grpc"})"}});
  EXPECT_EQ(TFConfigClusterResolver().master(), "grpc://a:1");
  const TFConfigClusterResolver second({.task_id = 1, .rpc_layer = ""});
  EXPECT_EQ(second.task_id(), 1);
  EXPECT_EQ(second.master(), "b:1");
  EXPECT_EQ(Thrown([] { TFConfigClusterResolver({.task_id = 2}); }).message(),
            "[cluster_spec] the job must have the task; got worker 2 (tasks: 0, 1)");
  const Variables wrong({{"TF_CONFIG", "{\"cluster\": {\"worker\": [\"a\"]}}"}});
  const Status status = Thrown([] { TFConfigClusterResolver(); });
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(
      status.message(),
      "[TF_CONFIG] an address must have a port; got \"a\" (cluster.worker[0], line 1, column 25); "
      "write host:port\nto paste:\nexport TF_CONFIG='{\"cluster\": {\"worker\": [\"a:2222\"]}, "
      "\"task\": {\"type\": \"worker\", \"index\": 0}}'");
}

TEST(ClusterResolver, EnvironmentTakesWhoeverDescribes) {
  EXPECT_EQ(EnvironmentClusterResolver().source(), "none");
  const Variables variables({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}});
  const EnvironmentClusterResolver resolver;
  EXPECT_EQ(resolver.source(), "Open MPI");
  EXPECT_EQ(resolver.task_id(), 1);
  EXPECT_EQ(resolver.cluster_spec().num_tasks("worker"), 3);
}

TEST(ClusterResolver, SlurmCutsAStepIntoJobs) {
  EXPECT_EQ(Thrown([] { SlurmClusterResolver(); }).code(), Code::kFailedPrecondition);
  const Variables variables({{"SLURM_STEP_NUM_TASKS", "3"},
                             {"SLURM_PROCID", "1"},
                             {"SLURM_STEP_NODELIST", "n[1-2]"},
                             {"SLURM_STEP_TASKS_PER_NODE", "2,1"}});
  const SlurmClusterResolver resolver({.jobs = {{"ps", 1}, {"worker", 2}}});
  EXPECT_EQ(resolver.cluster_spec(),
            (ClusterSpec{{"ps", {"n1:8888"}}, {"worker", {"n1:8889", "n2:8888"}}}));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 0);
  EXPECT_EQ(resolver.master(), "grpc://n1:8889");
  EXPECT_EQ(Thrown([] {
              SlurmClusterResolver({.jobs = {{"worker", 2}}});
            }).message(),
            "[slurm] the jobs must have as many tasks as the step; got 2 and 3");
}

TEST(ClusterResolver, SlurmKeepsTheTasksOfEachHost) {
  const Variables variables({{"SLURM_STEP_NUM_TASKS", "3"},
                             {"SLURM_PROCID", "0"},
                             {"SLURM_STEP_NODELIST", "n2,n1"},
                             {"SLURM_STEP_TASKS_PER_NODE", "2,1"}});
  EXPECT_EQ(SlurmClusterResolver().cluster_spec(),
            (ClusterSpec{{"worker", {"n1:8888", "n2:8888", "n2:8889"}}}));
  EXPECT_EQ(SlurmClusterResolver({.tasks_by_host = {{"n1", 2}, {"n2", 1}}}).cluster_spec(),
            (ClusterSpec{{"worker", {"n1:8888", "n1:8889", "n2:8888"}}}));
  EXPECT_EQ(SlurmClusterResolver({.jobs = {{"worker", 4}}, .tasks_per_host = 2}).cluster_spec(),
            (ClusterSpec{{"worker", {"n1:8888", "n1:8889", "n2:8888", "n2:8889"}}}));
}

TEST(ClusterResolver, UnionJoinsJobs) {
  const auto simple = [](ClusterSpec spec) {
    return std::make_shared<SimpleClusterResolver>(
        std::move(spec), SimpleClusterResolverOptions{.task_type = "worker", .task_id = 1});
  };
  const ClusterSpec first{{"worker", {"a:1", "b:1"}}}, second{{"worker", {"c:1"}}, {"ps", {"p:1"}}};
  const UnionResolver joined({simple(first), simple(second)});
  EXPECT_EQ(joined.cluster_spec(),
            (ClusterSpec{{"worker", {"a:1", "b:1", "c:1"}}, {"ps", {"p:1"}}}));
  EXPECT_EQ(joined.task_id(), 1);
  const ClusterSpec holes(ClusterSpec::Jobs{{"worker", {{1, "x:1"}}}});
  EXPECT_EQ(Thrown([&] {
              UnionResolver({simple(first), simple(holes)}).cluster_spec();
            }).message(),
            "[union_resolver] every task must be named once; got worker 1 twice");
  EXPECT_EQ(Thrown([] { UnionResolver({}); }).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
