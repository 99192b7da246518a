#include "cluster/resolvers.h"

#include <gtest/gtest.h>

#include "base/cores.h"
#include "base/randomness.h"

namespace lockstep::cluster {
namespace {

Description Right(const Environment& environment) {
  const auto description = ResolveCluster(environment);
  EXPECT_TRUE(description.ok()) << description.status().message();
  return description.ok() ? *description : Description{};
}
std::string Message(const Environment& environment) {
  const auto description = ResolveCluster(environment);
  EXPECT_EQ(description.status().code(), Code::kInvalidArgument);
  return description.status().message();
}

const Environment kTorchrun = {{"RANK", "3"},           {"WORLD_SIZE", "4"},
                               {"LOCAL_RANK", "1"},     {"LOCAL_WORLD_SIZE", "2"},
                               {"GROUP_RANK", "1"},     {"MASTER_ADDR", "node0"},
                               {"MASTER_PORT", "29500"}};
const Environment kOpenMpi = {
    {"OMPI_COMM_WORLD_SIZE", "4"},
    {"OMPI_COMM_WORLD_RANK", "3"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
    {"PMIX_RANK", "3"},
    {"PMIX_NAMESPACE", "1657733121"},
    {"OMPI_MCA_orte_hnp_uri", "1657733120.0;tcp://10.0.0.2,10.1.0.2:36903;tcp6://[fd00::2]:45371"}};
const Environment kSlurm = {{"SLURM_JOB_ID", "4098"},
                            {"SLURM_STEP_ID", "1"},
                            {"SLURM_STEP_NUM_TASKS", "5"},
                            {"SLURM_PROCID", "3"},
                            {"SLURM_LOCALID", "1"},
                            {"SLURM_NODEID", "1"},
                            {"SLURM_STEP_NODELIST", "n[01-02],login"},
                            {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};
const Environment kJob = {
    {"JOB_COMPLETION_INDEX", "2"}, {"LOCKSTEP_WORKERS", "3"}, {"HOSTNAME", "train-2"}};
const Environment kJobSet = {{"JOB_COMPLETION_INDEX", "1"}, {"LOCKSTEP_WORKERS", "4"},
                             {"JOBSET_NAME", "mnist"},      {"JOBSET_REPLICATED_JOB", "workers"},
                             {"JOBSET_REPLICAS", "2"},      {"JOBSET_JOB_INDEX", "1"}};

Environment With(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}
Environment Without(Environment environment, const std::string& name) {
  environment.erase(name);
  return environment;
}

// The same whoever numbers the tasks.
TEST(Resolvers, TellJobsByAVariable) {
  const auto jobs_of = [](const Environment& environment) {
    std::string text;
    for (const TaskName& task : Right(environment).Tasks()) text += task.ToString() + ", ";
    return text;
  };
  for (const Environment& each : {kTorchrun, kOpenMpi, kJobSet}) {
    const Environment environment = With(each, "LOCKSTEP_JOBS", "ps:1,worker:2,evaluator:1");
    EXPECT_EQ(jobs_of(environment), "worker 0, worker 1, ps 0, evaluator 0, ");
    const Description own = Right(environment);
    EXPECT_EQ(own.task.ToString(), "evaluator 0");
    EXPECT_EQ(own.num_ranks(), 2);
    EXPECT_EQ(own.rank(), -1);
    EXPECT_EQ(own.local_size, Right(each).local_size);
    EXPECT_EQ(own.coordinator, Right(each).coordinator);
    EXPECT_EQ(own.AddressOf({"worker", 0}), Right(each).AddressOf({"worker", 0}));
  }
  EXPECT_EQ(jobs_of(With(kSlurm, "LOCKSTEP_JOBS", "worker:2,ps:2,chief:1")),
            "chief 0, worker 0, worker 1, ps 0, ps 1, ");
  Description server = Right(With(kSlurm, "LOCKSTEP_JOBS", "worker:3,ps:2"));
  EXPECT_EQ(server.task.ToString(), "ps 0");
  EXPECT_EQ(server.AddressOf(server.task), "n02:0");
  EXPECT_EQ(server.rank(), -1);
  server.servers_have_ranks = true;
  EXPECT_EQ(server.rank(), 3);
  EXPECT_EQ(server.num_ranks(), 5);
  EXPECT_EQ(server.TaskOfRank(4).ToString(), "ps 1");
  // Where the jobs are known they must agree; a plain source that numbers alike contradicts
  // nothing.
  const Environment config = {{"TF_CONFIG",
                               R"({"cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]},)"
                               R"( "task": {"type": "ps", "index": 0}})"}};
  EXPECT_EQ(jobs_of(With(config, "LOCKSTEP_JOBS", "ps:1,worker:2")), "worker 0, worker 1, ps 0, ");
  Environment both = With(kTorchrun, "LOCKSTEP_JOBS", "worker:2,ps:2");
  both.insert(kOpenMpi.begin(), kOpenMpi.end());
  EXPECT_TRUE(SurveyCluster(both).contradictions.empty());
}

TEST(Resolvers, SayWhatIsWrongWithJobs) {
  EXPECT_EQ(
      Message(With(kTorchrun, "LOCKSTEP_JOBS", "worker:2,ps:3")),
      "[LOCKSTEP_JOBS] it must say what each task is, a worker or chief among them; got 5 for "
      "4 tasks; let the numbers add up\n"
      "to paste:\nexport LOCKSTEP_JOBS='worker:1,ps:3'");
  EXPECT_EQ(Message(With(kTorchrun, "LOCKSTEP_JOBS", "servers:2,worker:2")),
            "[LOCKSTEP_JOBS] a job must be chief, worker, ps or evaluator; got 'servers'; call it "
            "ps\n"
            "to paste:\nexport LOCKSTEP_JOBS='worker:2,ps:2'");
  EXPECT_EQ(Message(With(kTorchrun, "LOCKSTEP_JOBS", "chief:2,worker:2")),
            "[LOCKSTEP_JOBS] the number of chief tasks must be from 0 to 1; got 'chief:2'; write "
            "chief:1\n"
            "to paste:\nexport LOCKSTEP_JOBS='chief:1,worker:3'");
  EXPECT_EQ(Message(With(kTorchrun, "LOCKSTEP_JOBS", "workers:3,ps=1")),
            "[LOCKSTEP_JOBS] a job must be chief, worker, ps or evaluator; got 'workers'; call it "
            "worker\n"
            "[LOCKSTEP_JOBS] a job and its number must be divided by a colon; got 'ps=1'; write "
            "ps:1\n"
            "to paste:\nexport LOCKSTEP_JOBS='worker:3,ps:1'");
  EXPECT_EQ(Message(With(kTorchrun, "LOCKSTEP_JOBS", "worker:2,worker:2")),
            "[LOCKSTEP_JOBS] each job must be there once; got 'worker' twice; add them\n"
            "to paste:\nexport LOCKSTEP_JOBS='worker:4'");
  EXPECT_EQ(Message({{"LOCKSTEP_JOBS", "ps:1"},
                     {"TF_CONFIG", R"({"cluster": {"worker": ["a:1"], "ps": ["c:1"]},)"
                                   R"( "task": {"type": "ps", "index": 0}})"}}),
            "[LOCKSTEP_JOBS] it must agree with the cluster, whose jobs are known; got ps:1 and "
            "worker:1,ps:1; unset it\n"
            "to paste:\nexport LOCKSTEP_JOBS='worker:1,ps:1'");
  // Where the launcher's own variables are broken, nobody knows how many tasks there are.
  const std::string text =
      Message(With(With(kTorchrun, "RANK", "9"), "LOCKSTEP_JOBS", "worker:2,ps:2"));
  EXPECT_EQ(text.find("LOCKSTEP_JOBS"), std::string::npos) << text;
}

TEST(Resolvers, SayWhatIsWrongWithVariablesOfOurOwn) {
  EXPECT_EQ(Message({{"LOCKSTEP_MIN_WORKERS", "foo"}}),
            "[LOCKSTEP_MIN_WORKERS] the least number of workers must be a number from 1 to 100000; "
            "got 'foo'; write 1\nto paste:\nexport LOCKSTEP_MIN_WORKERS='1'");
  EXPECT_EQ(Message(With(kTorchrun, "LOCKSTEP_MAX_WORKERS", "0")),
            "[LOCKSTEP_MAX_WORKERS] the greatest number of workers must be a number from 1 to "
            "100000; got '0'; write 1\nto paste:\nexport LOCKSTEP_MAX_WORKERS='1'");
  EXPECT_EQ(Message({{"LOCKSTEP_SPECULATE", "maybe"}}),
            "[LOCKSTEP_SPECULATE] the switch for slow workers must be a number from 0 to 1; got "
            "'maybe'; write 0\nto paste:\nexport LOCKSTEP_SPECULATE='0'");
  EXPECT_EQ(Right(With(kTorchrun, "LOCKSTEP_MIN_WORKERS", "2")).num_ranks(), 4);
}

TEST(Resolvers, FindNothingInAnEmptyEnvironment) {
  const Description alone = Right({{"HOME", "/root"}, {"RANK", "3"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(alone.resolver, "none");
  EXPECT_EQ(alone.num_ranks(), 1);
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_TRUE(alone.IsChief());
  EXPECT_EQ(Right({{"LOCKSTEP_DEVICES", "3"}}).devices, 3);
  EXPECT_EQ(Right({{"TF_CONFIG", ""}}).resolver, "none");
  // An indexed Job may be many programs that do not know of each other.
  EXPECT_EQ(Right({{"JOB_COMPLETION_INDEX", "1"}}).resolver, "none");
}

TEST(Resolvers, ReadTorchrun) {
  const Description third = Right(kTorchrun);
  EXPECT_EQ(third.resolver, "torchrun");
  EXPECT_EQ(third.rank(), 3);
  EXPECT_EQ(third.num_ranks(), 4);
  EXPECT_EQ(third.local_index, 1);
  EXPECT_EQ(third.local_size, 2);
  EXPECT_EQ(third.coordinator, "node0:29500");
  EXPECT_EQ(third.AddressOf({"worker", 0}), "node0:29500");
  EXPECT_EQ(third.facts[0].what, "number of tasks");
  EXPECT_EQ(third.facts[0].value, "4");
  EXPECT_EQ(third.facts[0].variable, "WORLD_SIZE");
  // The agent has a store of its own on the port.
  const Description agent = Right(With(kTorchrun, "TORCHELASTIC_RUN_ID", "none"));
  EXPECT_EQ(agent.coordinator, "node0:29501");
  EXPECT_EQ(agent.job_id, "torchrun-29500-none-0");
  // The variables of one machine, by hand.
  const Description here = Right(
      {{"WORLD_SIZE", "2"}, {"RANK", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}});
  EXPECT_TRUE(here.IsOneHost());
  EXPECT_EQ(here.local_index, 1);
  EXPECT_EQ(here.coordinator, "127.0.0.1:29500");
  // Kubeflow's trainer.
  const Description node = Right({{"PET_NNODES", "2"},
                                  {"PET_NODE_RANK", "1"},
                                  {"PET_NPROC_PER_NODE", "1"},
                                  {"PET_MASTER_ADDR", "job-node-0-0.job"},
                                  {"PET_MASTER_PORT", "29500"}});
  EXPECT_EQ(node.rank(), 1);
  EXPECT_EQ(node.coordinator, "job-node-0-0.job:29500");
}

TEST(Resolvers, ReadOpenMpiAndItsRelatives) {
  const Description third = Right(kOpenMpi);
  EXPECT_EQ(third.resolver, "Open MPI");
  EXPECT_EQ(third.rank(), 3);
  EXPECT_EQ(third.num_ranks(), 4);
  EXPECT_EQ(third.local_size, 2);
  EXPECT_EQ(third.coordinator, "10.0.0.2:64752");  // 1657733120 / 4096 % 4096 + 61440
  EXPECT_EQ(third.job_id, "mpi-1657733121-36903");
  const Description local = Right(With(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "4"));
  EXPECT_TRUE(local.IsOneHost());
  EXPECT_EQ(local.coordinator, "127.0.0.1:64752");
  EXPECT_EQ(local.AddressOf({"worker", 0}), "127.0.0.1:64752");
  EXPECT_EQ(local.AddressOf({"worker", 1}), "");
  const Environment pmi = {
      {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
  EXPECT_FALSE(Right(pmi).SaysWhereToMeet());
  EXPECT_EQ(
      NoMeetingPlace(Right(pmi)).ToString(),
      "[LOCKSTEP_COORDINATOR] it must say where the tasks meet; got nothing, and Open MPI does "
      "not say it; name rank 0's host and a free port, the same in every task");
  EXPECT_EQ(CorrectedMeetingPlace(Right(pmi)), "export LOCKSTEP_COORDINATOR='127.0.0.1:2222'");
  const Description mpich = Right(With(pmi, "LOCKSTEP_COORDINATOR", "127.0.0.1:2222"));
  EXPECT_TRUE(mpich.SaysWhereToMeet());
  EXPECT_EQ(mpich.rank(), 1);
  EXPECT_EQ(mpich.num_ranks(), 2);
  EXPECT_EQ(mpich.local_index, 1);
  EXPECT_TRUE(mpich.IsOneHost());
}

TEST(Resolvers, ReadSlurm) {
  const Description third = Right(kSlurm);
  EXPECT_EQ(third.resolver, "Slurm");
  EXPECT_EQ(third.rank(), 3);
  EXPECT_EQ(third.num_ranks(), 5);
  EXPECT_EQ(third.local_index, 1);
  EXPECT_EQ(third.local_size, 2);
  EXPECT_EQ(third.cluster.job_tasks("worker"),
            (std::vector<std::string>{"n01:61443", "n01:0", "n02:0", "n02:0", "login:0"}));
  EXPECT_EQ(third.coordinator, "n01:61443");  // (4098 + 1) % 4096 + 61440
  EXPECT_EQ(third.job_id, "slurm-4098-1");
  // Tasks dealt out in turns: nobody says where the others are.
  const Description cyclic = Right(With(With(kSlurm, "SLURM_NODEID", "0"), "SLURM_LOCALID", "1"));
  EXPECT_EQ(cyclic.AddressOf({"worker", 0}), "n01:61443");
  EXPECT_EQ(cyclic.AddressOf({"worker", 1}), "");
  EXPECT_EQ(cyclic.local_size, 2);
  // A batch script is no task.
  EXPECT_EQ(Right({{"SLURM_JOB_ID", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).resolver,
            "none");
}

TEST(Resolvers, ReadKubernetes) {
  const Description job = Right(kJob);
  EXPECT_EQ(job.resolver, "Kubernetes");
  EXPECT_EQ(job.rank(), 2);
  EXPECT_EQ(
      job.cluster.job_tasks("worker"),
      (std::vector<std::string>{"train-0.train:2222", "train-1.train:2222", "train-2.train:2222"}));
  EXPECT_EQ(Right(With(kJob, "LOCKSTEP_SUBDOMAIN", "svc")).AddressOf({"worker", 0}),
            "train-0.svc:2222");
  const Description set = Right(kJobSet);
  EXPECT_EQ(set.rank(), 3);
  EXPECT_EQ(
      set.cluster.job_tasks("worker"),
      (std::vector<std::string>{"mnist-workers-0-0.mnist:2222", "mnist-workers-0-1.mnist:2222",
                                "mnist-workers-1-0.mnist:2222", "mnist-workers-1-1.mnist:2222"}));
}

TEST(Resolvers, SayOfEachMistakeWhereItIsAndWhatToPaste) {
  const std::string torchrun =
      "to paste:\nexport MASTER_ADDR='node0'\nexport MASTER_PORT='29500'\nexport WORLD_SIZE='4'\n"
      "export RANK='3'\nexport LOCAL_WORLD_SIZE='2'\nexport LOCAL_RANK='1'";
  const std::string mpirun = "to paste:\nmpirun -n 4 PROGRAM ARGUMENTS";
  const std::string srun = "to paste:\nsrun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS";
  const std::string job =
      "to paste:\n- name: LOCKSTEP_WORKERS\n  value: \"3\"\n# and in the pod's spec: subdomain: "
      "NAME-OF-A-HEADLESS-SERVICE";
  struct {
    Environment environment;
    std::string message;
  } const cases[] = {
      {With(kTorchrun, "RANK", "4"),
       "[RANK] it must be below WORLD_SIZE; got 4 of 4; count from 0 to 3\n" + torchrun},
      {Without(kTorchrun, "MASTER_PORT"),
       "[MASTER_PORT] it must say the port of rank 0; got nothing; set it\n" + torchrun},
      {With(kTorchrun, "MASTER_PORT", "http"),
       "[MASTER_PORT] the port of rank 0 must be a number from 1 to 65535; got 'http'; write "
       "29500\n" +
           torchrun},
      {With(kTorchrun, "MASTER_ADDR", "node0:29500"),
       "[MASTER_ADDR] it must be a host alone; got 'node0:29500'; leave out protocol and port\n" +
           torchrun},
      {With(kTorchrun, "MASTER_ADDR", "tcp://node0"),
       "[MASTER_ADDR] it must be a host alone; got 'tcp://node0'; leave out protocol and port\n" +
           torchrun},
      {With(kTorchrun, "LOCAL_RANK", "2"),
       "[LOCAL_RANK] it must be below LOCAL_WORLD_SIZE; got 2 of 2; count from 0 to 1\n" +
           torchrun},
      {With(kTorchrun, "LOCAL_RANK", "-1"),
       "[LOCAL_RANK] the index on this host must be a number from 0 to 100000; got '-1'; write "
       "0\n" +
           std::string(torchrun).replace(torchrun.rfind("'1'"), 3, "'0'")},
      {With(kTorchrun, "MASTER_ADDR", "localhost"),
       "[MASTER_ADDR] tasks on other hosts must reach it; got 'localhost' with 2 of 4 tasks on "
       "this "
       "host; write the name of rank 0's host, or LOCAL_WORLD_SIZE=4 where all tasks are on this "
       "host\n" +
           std::string(torchrun).replace(torchrun.find("node0"), 5, "HOST-OF-RANK-0")},
      {With(kTorchrun, "MASTER_ADDR", "0.0.0.0"),
       "[MASTER_ADDR] it must be an address that the others can reach; got '0.0.0.0'; write the "
       "host's name\n" +
           std::string(torchrun).replace(torchrun.find("node0"), 5, "HOST-OF-RANK-0")},
      {With(kTorchrun, "LOCAL_WORLD_SIZE", "8"),
       "[LOCAL_WORLD_SIZE] it must be at most WORLD_SIZE; got 8 of 4; set WORLD_SIZE to the tasks "
       "of "
       "all hosts together\n" +
           std::string(torchrun).replace(torchrun.find("'2'"), 3, "'4'")},
      {Without(Without(kTorchrun, "LOCAL_RANK"), "RANK"),
       "[RANK] it must say the rank; got nothing; set it\nto paste:\nexport MASTER_ADDR='node0'\n"
       "export MASTER_PORT='29500'\nexport WORLD_SIZE='4'\nexport RANK='0'\n"
       "export LOCAL_WORLD_SIZE='2'"},
      {With(kOpenMpi, "OMPI_COMM_WORLD_RANK", "4"),
       "[OMPI_COMM_WORLD_RANK] it must be below OMPI_COMM_WORLD_SIZE; got 4 of 4; start all tasks "
       "by "
       "one mpirun\n" +
           mpirun},
      {Without(kOpenMpi, "OMPI_COMM_WORLD_RANK"),
       "[OMPI_COMM_WORLD_RANK] it must say the rank; got nothing; set it\n"
       "[PMIX_RANK] it must agree with OMPI_COMM_WORLD_RANK; got 3 and 0; start all tasks by one "
       "mpirun, and export none of its variables\n" +
           mpirun},
      {With(kOpenMpi, "PMIX_RANK", "1"),
       "[PMIX_RANK] it must agree with OMPI_COMM_WORLD_RANK; got 1 and 3; start all tasks by one "
       "mpirun, and export none of its variables\n" +
           mpirun},
      {With(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "5"),
       "[OMPI_COMM_WORLD_LOCAL_SIZE] it must be at most OMPI_COMM_WORLD_SIZE; got 5 of 4; start "
       "all "
       "tasks by one mpirun\n" +
           mpirun},
      {With(kSlurm, "SLURM_PROCID", "5"),
       "[SLURM_PROCID] it must be below SLURM_STEP_NUM_TASKS; got 5 of 5; start all tasks by one "
       "srun\n" +
           srun},
      {With(kSlurm, "SLURM_STEP_NODELIST", "n[01-02,login"),
       "[SLURM_STEP_NODELIST] a bracket must be closed by ]; got 'n[01-02,login' (column 2); start "
       "the program by srun\nto paste:\nsrun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_TASKS_PER_NODE", "2(x2)"),
       "[SLURM_STEP_TASKS_PER_NODE] its sum must be SLURM_STEP_NUM_TASKS; got 4 and 5; start all "
       "tasks by one srun\n" +
           srun},
      {With(kSlurm, "SLURM_STEP_TASKS_PER_NODE", "2x2,1"),
       "[SLURM_STEP_TASKS_PER_NODE] an entry must be a number or number(xtimes); got '2x2,1' "
       "(column "
       "1); start the program by srun\n" +
           srun},
      {With(kSlurm, "SLURM_STEP_TASKS_PER_NODE", "3,2"),
       "[SLURM_STEP_TASKS_PER_NODE] it must have as many entries as there are hosts; got 2 for 3; "
       "start all tasks by one srun\n" +
           srun},
      {With(kSlurm, "SLURM_NODEID", "3"),
       "[SLURM_NODEID] it must be below the number of hosts; got 3 of 3; start all tasks by one "
       "srun\n" +
           srun},
      {Without(kSlurm, "SLURM_PROCID"),
       "[SLURM_PROCID] it must say the rank; got nothing; set it\n" + srun},
      {With(kJob, "JOB_COMPLETION_INDEX", "3"),
       "[JOB_COMPLETION_INDEX] it must be below LOCKSTEP_WORKERS; got 3 of 3; let LOCKSTEP_WORKERS "
       "be "
       "the Job's completions\n" +
           job},
      {With(kJob, "HOSTNAME", "train-abc12"),
       "[HOSTNAME] an indexed pod must be called JOB-2; got 'train-abc12'; let the Job have "
       "completionMode: Indexed, and leave hostname to it\n" +
           job},
      {With(kJobSet, "LOCKSTEP_WORKERS", "5"),
       "[LOCKSTEP_WORKERS] it must be a multiple of JOBSET_REPLICAS; got 5 and 2; let it be the "
       "pods "
       "of all jobs together\nto paste:\n- name: LOCKSTEP_WORKERS\n  value: \"5\"\n"
       "- name: JOBSET_NAME\n  valueFrom: {fieldRef: {fieldPath: "
       "\"metadata.annotations['jobset.sigs.k8s.io/jobset-name']\"}}\n"
       "- name: JOBSET_REPLICATED_JOB\n  valueFrom: {fieldRef: {fieldPath: "
       "\"metadata.annotations['jobset.sigs.k8s.io/replicatedjob-name']\"}}\n"
       "- name: JOBSET_REPLICAS\n  valueFrom: {fieldRef: {fieldPath: "
       "\"metadata.annotations['jobset.sigs.k8s.io/replicatedjob-replicas']\"}}\n"
       "- name: JOBSET_JOB_INDEX\n  valueFrom: {fieldRef: {fieldPath: "
       "\"metadata.annotations['jobset.sigs.k8s.io/job-index']\"}}"},
      {With(kTorchrun, "LOCKSTEP_DEVICES", "none"),
       "[LOCKSTEP_DEVICES] the number of devices must be a number from 1 to 1024; got 'none'; "
       "write "
       "1\nto paste:\nexport LOCKSTEP_DEVICES='1'"},
      {With(kTorchrun, "LOCKSTEP_COORDINATOR", "http://a:1,b"),
       "[LOCKSTEP_COORDINATOR] an address must be host:port alone; got 'http://a:1'; leave out the "
       "protocol\n[LOCKSTEP_COORDINATOR] an address must have a port; got 'b'; write host:port\n"
       "to paste:\nexport LOCKSTEP_COORDINATOR='a:1,b:2222'"},
  };
  for (const auto& wrong : cases) EXPECT_EQ(Message(wrong.environment), wrong.message);
}

// Of one wrong variable nothing else is said to be wrong, and what was meant by it is kept.
TEST(Resolvers, KeepWhatWasMeantByNumbersAndNames) {
  struct {
    Environment environment;
    std::string messages, corrected;  // a line of the form to paste
  } const cases[] = {
      {With(kTorchrun, "WORLD_SIZE", "4 "),
       "[WORLD_SIZE] the number of tasks must be a number from 1 to 100000; got '4 '; write 4",
       "export WORLD_SIZE='4'"},
      {With(kTorchrun, "WORLD_SIZE", "4.0"),
       "[WORLD_SIZE] the number of tasks must be a number from 1 to 100000; got '4.0'; write 4",
       "export WORLD_SIZE='4'"},
      {With(kTorchrun, "RANK", ""), "[RANK] it must say the rank; got nothing; set it",
       "export RANK='0'"},
      {With(kTorchrun, "MASTER_PORT", "tcp://10.0.0.1:29500"),
       "[MASTER_PORT] the port of rank 0 must be a number from 1 to 65535; got "
       "'tcp://10.0.0.1:29500'; write 29500",
       "export MASTER_PORT='29500'"},
      {With(kTorchrun, "MASTER_ADDR", "node0 "),
       "[MASTER_ADDR] an address must not contain spaces; got 'node0 '; leave them out",
       "export MASTER_ADDR='node0'"},
      {With(kTorchrun, "MASTER_ADDR", "node0,node1"),
       "[MASTER_ADDR] a host must be a name or an address of letters, digits, '-', '.' and '_'; "
       "got 'node0,node1'; write the name of rank 0's host",
       "export MASTER_ADDR='HOST-OF-RANK-0'"},
      {With(kTorchrun, "MASTER_ADDR", "$(hostname)"),
       "[MASTER_ADDR] it must be a host alone; got '$(hostname)'; put the host's name in the place "
       "of the variable",
       "export MASTER_ADDR='HOST-OF-RANK-0'"},
      {With(kTorchrun, "MASTER_ADDR", "[::1"),
       "[MASTER_ADDR] brackets must hold an IPv6 address; got '[::1'; write the name of rank 0's "
       "host",
       "export MASTER_ADDR='HOST-OF-RANK-0'"},
      {With(kTorchrun, "MASTER_ADDR", "10.0.0.300"),
       "[MASTER_ADDR] an address of numbers must have four from 0 to 255; got '10.0.0.300'; write "
       "the name of rank 0's host",
       "export MASTER_ADDR='HOST-OF-RANK-0'"},
      {Without(kTorchrun, "WORLD_SIZE"),
       "[WORLD_SIZE] it must say the number of tasks; got nothing; set it",
       "export WORLD_SIZE='4'"},
      {With(kTorchrun, "RANK", "worker-3"),
       "[RANK] the rank must be a number from 0 to 100000; got 'worker-3'; write 3",
       "export RANK='3'"},
      {With(kOpenMpi, "OMPI_COMM_WORLD_SIZE", "x"),
       "[OMPI_COMM_WORLD_SIZE] the number of tasks must be a number from 1 to 100000; got 'x'; "
       "write 4",
       "mpirun -n 4 PROGRAM ARGUMENTS"},
      {With(Without(kOpenMpi, "PMIX_RANK"), "OMPI_COMM_WORLD_RANK", "0"),
       "[OMPI_COMM_WORLD_LOCAL_RANK] it must be at most OMPI_COMM_WORLD_RANK; got 1 with rank 0; "
       "start all tasks by one mpirun, and export none of its variables",
       "mpirun -n 4 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_NODELIST", "(null)"),
       "[SLURM_STEP_NODELIST] a host must be a name of letters, digits, '-', '.' and '_'; got "
       "'(null)' (column 1); start the program by srun",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_NUM_TASKS", "abc"),
       "[SLURM_STEP_NUM_TASKS] the number of the step's tasks must be a number from 1 to 100000; "
       "got 'abc'; write 5",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_JOB_ID", "12_3"),
       "[SLURM_JOB_ID] the number of the job must be a number from 0 to 999999999; got '12_3'; "
       "write 0",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_NODELIST", "n01 n02 login"),
       "[SLURM_STEP_NODELIST] a list must not have spaces; got 'n01 n02 login' (column 4); start "
       "the program by srun",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_NODELIST", "n[01-02],n01"),
       "[SLURM_STEP_NODELIST] each host must be there once; got 'n[01-02],n01' (column 1); start "
       "the program by srun",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {Without(kSlurm, "SLURM_STEP_NUM_TASKS"),
       "[SLURM_STEP_NUM_TASKS] it must say the number of the step's tasks; got nothing; set it",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kSlurm, "SLURM_STEP_NODELIST", "n[a-b],login"),
       "[SLURM_STEP_NODELIST] a range must be two numbers, as in [01-03,7]; got 'n[a-b],login' "
       "(column 3); start the program by srun",
       "srun --nodes=3 --ntasks=5 PROGRAM ARGUMENTS"},
      {With(kJob, "LOCKSTEP_WORKERS", "three"),
       "[LOCKSTEP_WORKERS] the number of all pods must be a number from 1 to 100000; got 'three'; "
       "write 3",
       "- name: LOCKSTEP_WORKERS\n  value: \"3\""},
      {With(kJob, "JOB_COMPLETION_INDEX", "two"),
       "[JOB_COMPLETION_INDEX] the index of this pod must be a number from 0 to 100000; got 'two'; "
       "write 0",
       "- name: LOCKSTEP_WORKERS\n  value: \"3\""},
      {With(kJob, "LOCKSTEP_SUBDOMAIN", "http://svc"),
       "[LOCKSTEP_SUBDOMAIN] a name must be of lower-case letters, digits, '-' and '.'; got "
       "'http://svc'; write the headless Service's name alone",
       "- name: LOCKSTEP_SUBDOMAIN\n  value: NAME-OF-THE-HEADLESS-SERVICE"},
      {With(kJob, "LOCKSTEP_SUBDOMAIN", "My_Svc"),
       "[LOCKSTEP_SUBDOMAIN] a name must be of lower-case letters, digits, '-' and '.'; got "
       "'My_Svc'; write the headless Service's name alone",
       "- name: LOCKSTEP_SUBDOMAIN\n  value: NAME-OF-THE-HEADLESS-SERVICE"},
      {With(kJobSet, "JOBSET_REPLICAS", "0"),
       "[JOBSET_REPLICAS] the number of jobs must be a number from 1 to 100000; got '0'; write 2",
       "- name: JOBSET_REPLICAS"},
      {Without(kJobSet, "LOCKSTEP_WORKERS"),
       "[LOCKSTEP_WORKERS] it must say the number of all pods; got nothing; set it",
       "- name: LOCKSTEP_WORKERS\n  value: \"4\""},
      {Without(kJobSet, "JOBSET_REPLICAS"),
       "[JOBSET_REPLICAS] it must say the number of jobs; got nothing; set it",
       "- name: JOBSET_REPLICAS"},
      {Without(kJobSet, "JOBSET_JOB_INDEX"),
       "[JOBSET_JOB_INDEX] it must say the index of the job; got nothing; set it",
       "- name: JOBSET_JOB_INDEX"},
      {With(kJobSet, "JOBSET_NAME", "mnist/1"),
       "[JOBSET_NAME] a name must be of lower-case letters, digits, '-' and '.'; got 'mnist/1'; "
       "set it from the pod's annotation",
       "- name: JOBSET_NAME"},
      {With(kJobSet, "JOBSET_REPLICATED_JOB", "Workers A"),
       "[JOBSET_REPLICATED_JOB] a name must be of lower-case letters, digits, '-' and '.'; got "
       "'Workers A'; set it from the pod's annotation",
       "- name: JOBSET_REPLICATED_JOB"},
      {With(kTorchrun, "LOCKSTEP_COORDINATOR", "a:1;b:2"),
       "[LOCKSTEP_COORDINATOR] addresses must be divided by commas; got 'a:1;b:2'; write a comma "
       "for each ;",
       "export LOCKSTEP_COORDINATOR='a:1,b:2'"},
      {With(kTorchrun, "LOCKSTEP_DEVICES", "auto"),
       "[LOCKSTEP_DEVICES] the number of devices must be a number from 1 to 1024; got 'auto'; "
       "write 1",
       "export LOCKSTEP_DEVICES='1'"},
  };
  for (const auto& wrong : cases) {
    const std::string message = Message(wrong.environment);
    EXPECT_EQ(message.substr(0, message.find("\nto paste:")), wrong.messages);
    EXPECT_NE(message.find("\n" + wrong.corrected), std::string::npos) << message;
  }
}

TEST(Resolvers, GoInOrderAndReportContradictions) {
  // Each of the later ones says something else, and the first one counts.
  Environment all;
  const std::pair<const char*, Environment> sources[] = {
      {"Kubernetes", kJob},
      {"Slurm", kSlurm},
      {"Open MPI", kOpenMpi},
      {"torchrun", With(kTorchrun, "RANK", "2")},
      {"TF_CONFIG",
       {{"TF_CONFIG",
         R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"}}},
      {"lockstep launch", {{"LOCKSTEP_CLUSTER", R"({"cluster": {"worker": ["c:1"]}})"}}}};
  size_t found = 0;
  for (const auto& [name, environment] : sources) {
    all.insert(environment.begin(), environment.end());
    const Survey survey = SurveyCluster(all);
    EXPECT_EQ(survey.found.size(), ++found);
    EXPECT_STREQ(survey.found.front().resolver->name(), name);
    EXPECT_EQ(Right(all).resolver, name);
    EXPECT_EQ(survey.contradictions.size(), found - 1);
  }
  EXPECT_EQ(
      SurveyCluster(all).contradictions[1].ToString(),
      "[torchrun] it must agree with lockstep launch; got worker 2, rank 2 of 4 and worker 0, rank "
      "0 of 1 (lockstep launch goes before torchrun); start as many tasks as lockstep launch "
      "lists, "
      "or unset it");
  // mpirun starts four tasks, and all of them have the same TF_CONFIG.
  Environment same = kOpenMpi;
  same["TF_CONFIG"] =
      R"({"cluster": {"worker": ["a:1", "b:1", "c:1", "d:1"]}, "task": {"type": "worker", "index": 0}})";
  const Survey survey = SurveyCluster(same);
  ASSERT_EQ(survey.contradictions.size(), 1u);
  EXPECT_EQ(survey.contradictions[0].cure, "let each task have its own TF_CONFIG, or unset it");
  // Sources that agree.
  same["OMPI_COMM_WORLD_RANK"] = same["PMIX_RANK"] = "0";
  EXPECT_TRUE(SurveyCluster(same).contradictions.empty());
}

// `srun --mpi=pmi2` sets PMI's variables, too, which number the tasks alike and name no place.
TEST(Resolvers, MeetAsAnAgreeingSourceSays) {
  Environment both = kSlurm;
  both["PMI_RANK"] = kSlurm.at("SLURM_PROCID");
  both["PMI_SIZE"] = "5";
  const Description description = Right(both);
  EXPECT_EQ(description.resolver, "Slurm");
  EXPECT_EQ(description.coordinator, Right(kSlurm).coordinator);
  EXPECT_TRUE(SurveyCluster(both).contradictions.empty());
  // Other numbers: an mpirun that Slurm has started.
  both["PMI_SIZE"] = "9";
  EXPECT_EQ(Right(both).resolver, "Open MPI");
  EXPECT_FALSE(Right(both).SaysWhereToMeet());
}

TEST(Resolvers, DoubtVariablesThatAreMisspelled) {
  const auto doubts = [](const Environment& environment) {
    const Survey survey = SurveyCluster(environment);
    std::string text;
    const Resolution& first = survey.found.empty() ? survey.alone : survey.found[0].resolution;
    for (const Mistake& doubt : first.doubts) text += doubt.ToString() + "\n";
    return text;
  };
  EXPECT_EQ(doubts(With(kTorchrun, "LOCKSTEP_MIN_WORKER", "2")),
            "[LOCKSTEP_MIN_WORKER] nobody reads this variable; got '2'; call it "
            "LOCKSTEP_MIN_WORKERS\n");
  EXPECT_EQ(doubts({{"LOCKSTEP_DEVICE", "2"}}),
            "[LOCKSTEP_DEVICE] nobody reads this variable; got '2'; call it LOCKSTEP_DEVICES\n");
  EXPECT_EQ(doubts({{"LOCKSTEP_DEVICES", "2"}, {"LOCKSTEP_MINE", "x"}}), "");
}

TEST(Resolvers, GiveEachTaskItsShareOfTheCores) {
  Description described = Right(kTorchrun);
  EXPECT_EQ(described.local_size, 2);
  EXPECT_EQ(described.DevicesHere(), std::max(1, base::Cores() / 2));
  described.local_size = 100 * base::Cores();
  EXPECT_EQ(described.DevicesHere(), 1);
  described.devices = 5;
  EXPECT_EQ(described.DevicesHere(), 5);
}

TEST(Resolvers, TakeWhatIsOursFromWhoeverDescribes) {
  Environment own = kTorchrun;
  own["LOCKSTEP_COORDINATOR"] = "a:1,[::1]:2";
  own["LOCKSTEP_DEVICES"] = "2";
  own["LOCKSTEP_JOB_DIR"] = "/tmp/job";
  const Description description = Right(own);
  EXPECT_EQ(description.coordinator, "a:1,[::1]:2");
  EXPECT_EQ(description.devices, 2);
  EXPECT_EQ(description.job_directory, "/tmp/job");
  EXPECT_EQ(description.facts.back().variable, "LOCKSTEP_JOB_DIR");
  EXPECT_EQ(description.facts.front().variable, "WORLD_SIZE");
}

// Whatever stands in the variables: no crash, and a description has its own task in it.
TEST(Resolvers, SurviveMutations) {
  base::SeededRandomness randomness(11);
  const Environment* const sources[] = {&kTorchrun, &kOpenMpi, &kSlurm, &kJob, &kJobSet};
  constexpr std::string_view kSigns = "0123456789-,[]()x:.a/ ";
  int right = 0;
  for (int round = 0; round < 3000; ++round) {
    Environment environment = *sources[randomness.Below(5)];
    auto place = environment.begin();
    std::advance(place, randomness.Below(environment.size()));
    std::string& value = place->second;
    for (uint64_t edits = randomness.Below(3); edits > 0; --edits) {
      const size_t at = randomness.Below(value.size() + 1);
      if (randomness.Chance(0.5) || at == value.size()) {
        value.insert(at, 1, kSigns[randomness.Below(kSigns.size())]);
      } else {
        value.erase(at, 1);
      }
    }
    const auto description = ResolveCluster(environment);
    if (!description.ok()) {
      EXPECT_FALSE(description.status().message().empty());
      continue;
    }
    ++right;
    EXPECT_GE(description->rank(), 0);
    EXPECT_LT(description->rank(), description->num_ranks());
    EXPECT_LT(description->local_index, description->local_size);
  }
  EXPECT_GT(right, 500);
}

}  // namespace
}  // namespace lockstep::cluster
