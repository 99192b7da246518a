#include "cluster/doctor.h"

#include <gtest/gtest.h>

namespace lockstep::cluster {
namespace {

using Level = Finding::Level;

class MadeUpMachine : public Machine {
 public:
  std::vector<std::string> Resolve(const std::string& host, std::string* why) override {
    if (host != "gone") return {"10.0.0.1"};
    *why = "Name or service not known";
    return {};
  }
  bool CanListen(const std::string& host, int port, std::string* why) override {
    if (port != 7) return true;
    *why = "Address already in use, by nginx (12)";
    return false;
  }
};

std::vector<Finding> Examine(const Environment& environment) {
  MadeUpMachine machine;
  return ExamineCluster(SurveyCluster(environment), machine);
}

TEST(Doctor, FindsNothingWhereThereIsNoCluster) { EXPECT_TRUE(Examine({}).empty()); }

TEST(Doctor, ChecksNamesAndTheOwnPort) {
  const auto findings = Examine(
      {{"TF_CONFIG",
        R"({"cluster": {"worker": ["a:7", "gone:2"]}, "task": {"type": "worker", "index": 0}})"},
       {"LOCKSTEP_COORDINATOR", "c:9"}});
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].text, "a is 10.0.0.1");
  EXPECT_EQ(findings[1].text, "c is 10.0.0.1");
  EXPECT_EQ(findings[2].text,
            "the host 'gone' of worker 1 has no address: Name or service not known");
  EXPECT_EQ(findings[2].level, Level::kProblem);
  EXPECT_EQ(findings[3].text,
            "worker 0 cannot listen at a:7: Address already in use, by nginx (12)");
  EXPECT_EQ(findings[3].level, Level::kProblem);
}

TEST(Doctor, NamesMistakesContradictionsAndHints) {
  const auto wrong = Examine({{"TF_CONFIG", R"({"cluster": {"workers": ["a:1"]}})"}});
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].level, Level::kProblem);
  EXPECT_EQ(
      wrong[0].cure,
      R"(export TF_CONFIG='{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}')");
  const auto both = Examine(
      {{"TF_CONFIG", R"({"cluster": {"worker": ["a:1"]}})"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
  ASSERT_GE(both.size(), 1u);
  EXPECT_EQ(both[0].level, Level::kProblem);
  EXPECT_EQ(
      both[0].text,
      "[Open MPI] it must agree with TF_CONFIG; got worker 1, rank 1 of 2 and worker 0, rank 0 of "
      "1 (TF_CONFIG goes before Open MPI); start as many tasks as TF_CONFIG lists, or unset it");
  const auto pod = Examine({{"JOB_COMPLETION_INDEX", "0"}});
  ASSERT_EQ(pod.size(), 1u);
  EXPECT_EQ(pod[0].level, Level::kDoubt);
  EXPECT_EQ(pod[0].text,
            "[JOB_COMPLETION_INDEX] for one training of all pods their number is needed; got no "
            "LOCKSTEP_WORKERS: one process alone");
  EXPECT_EQ(pod[0].cure,
            "under env: of the container\n"
            "- {name: LOCKSTEP_WORKERS, value: \"NUMBER-OF-COMPLETIONS\"}");
  EXPECT_EQ(Examine({{"SLURM_JOB_ID", "1"}})[0].cure, "srun PROGRAM ARGUMENTS");
  for (const char* rank : {"RANK", "PMI_RANK", "PMIX_RANK"}) {
    const auto lone = Examine({{rank, "1"}});
    ASSERT_EQ(lone.size(), 1u) << rank;
    EXPECT_EQ(lone[0].level, Level::kDoubt);
    EXPECT_TRUE(
        lone[0].text.starts_with("[" + std::string(rank) +
                                 "] for one training of all tasks their number is needed; got no "))
        << lone[0].text;
  }
}

TEST(Doctor, LooksAtTheBoundsOfAnElasticJob) {
  const auto wrong = Examine({{"LOCKSTEP_MIN_WORKERS", "4"}, {"LOCKSTEP_MAX_WORKERS", "2"}});
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].level, Level::kProblem);
  EXPECT_EQ(wrong[0].text,
            "[LOCKSTEP_MIN_WORKERS] it must be at most LOCKSTEP_MAX_WORKERS; got 4 and 2; exchange "
            "them");
  EXPECT_EQ(wrong[0].cure, "export LOCKSTEP_MIN_WORKERS='2'\nexport LOCKSTEP_MAX_WORKERS='4'");
  const Environment two = {{"PMI_RANK", "1"},
                           {"PMI_SIZE", "2"},
                           {"MPI_LOCALNRANKS", "2"},
                           {"MPI_LOCALRANKID", "1"},
                           {"LOCKSTEP_COORDINATOR", "127.0.0.1:2222"},
                           {"LOCKSTEP_MIN_WORKERS", "3"}};
  const auto doubt = Examine(two);
  ASSERT_GE(doubt.size(), 1u);
  EXPECT_EQ(doubt[0].level, Level::kDoubt);
  EXPECT_EQ(doubt[0].text,
            "[LOCKSTEP_MIN_WORKERS] it should be at most the number of tasks; got 3 for 2; the job "
            "would end with the first task that is lost");
  Environment nowhere = two;
  nowhere.erase("LOCKSTEP_COORDINATOR");
  nowhere.erase("LOCKSTEP_MIN_WORKERS");
  const auto problem = Examine(nowhere);
  ASSERT_GE(problem.size(), 1u);
  EXPECT_EQ(problem[0].level, Level::kProblem);
  EXPECT_EQ(problem[0].cure, "export LOCKSTEP_COORDINATOR='127.0.0.1:2222'");
}

}  // namespace
}  // namespace lockstep::cluster
