#include "lockstep/cluster/cluster_spec.h"

#include <gtest/gtest.h>

#include "lockstep/base/status.h"

namespace lockstep {
namespace {

std::string MessageOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.status().message();
  }
  return "nothing was thrown";
}

TEST(ClusterSpec, AnswersAsTensorFlowDoes) {
  ClusterSpec spec{{"worker", {"a:1", "b:1"}}, {"ps", {"p:1"}}};
  EXPECT_EQ(spec.jobs(), (std::vector<std::string>{"ps", "worker"}));
  EXPECT_EQ(spec.num_tasks("worker"), 2);
  EXPECT_EQ(spec.task_address("worker", 1), "b:1");
  EXPECT_EQ(spec.job_tasks("worker"), (std::vector<std::string>{"a:1", "b:1"}));
  spec.set_task_address("worker", 4, "c:1");
  EXPECT_EQ(spec.task_indices("worker"), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(spec.job_tasks("worker"), (std::vector<std::string>{"a:1", "b:1", "", "", "c:1"}));
  EXPECT_EQ(spec.ToJson(), R"({"ps": ["p:1"], "worker": {"0": "a:1", "1": "b:1", "4": "c:1"}})");
  EXPECT_EQ(spec, ClusterSpec(spec.as_dict()));
  EXPECT_TRUE(ClusterSpec().empty());
  EXPECT_EQ(ClusterSpec().ToJson(), "{}");
}

TEST(ClusterSpec, RefusesUnknownJobsAndTasks) {
  const ClusterSpec spec{{"worker", {"a:1", "b:1"}}};
  EXPECT_EQ(MessageOf([&] { (void)spec.num_tasks("ps"); }),
            "[cluster_spec] the cluster must have the job; got 'ps' (jobs: worker)");
  EXPECT_EQ(MessageOf([&] { (void)spec.task_address("worker", 2); }),
            "[cluster_spec] the job must have the task; got worker 2 (tasks: 0, 1)");
  EXPECT_EQ(MessageOf([] { (void)ClusterSpec().task_indices("worker"); }),
            "[cluster_spec] the cluster must have the job; got 'worker' (jobs: none)");
}

}  // namespace
}  // namespace lockstep
