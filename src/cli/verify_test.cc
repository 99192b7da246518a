// Runs `lockstep verify` and `lockstep doctor` as programs.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/folder_test.h"
#include "cli/doctor_pairs.h"
#include "net/grpc_test.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Ran {
  int status = -1;
  std::string out, err;
  json object() const { return json::parse(out.substr(out.rfind('\n', out.size() - 2) + 1)); }
};

class Command : public testing::Test {
 protected:
  std::string Read(const std::string& name) const { return folder_.Read(name); }
  Ran Shell(const std::string& command) const {
    const std::string whole =
        "{ " + command + " ; } >'" + folder_.path() + "/out' 2>'" + folder_.path() + "/err'";
    const int ended = std::system(whole.c_str());
    return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, Read("out"), Read("err")};
  }
  Ran Lockstep(const std::string& arguments, const std::string& variables = "") const {
    return Shell(variables + " LOCKSTEP_LOG=off '" LOCKSTEP_PROGRAM "' " + arguments);
  }
  const base::TestFolder folder_;
};

constexpr char kTrain[] = "train --examples 320 --batch-size 64 --steps 6";

TEST_F(Command, VerifyFindsDevicesEqual) {
  const Ran devices = Lockstep(std::string("verify --devices 1,2,3 -- lockstep ") + kTrain);
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_THAT(devices.out, HasSubstr("3 runs, all the same\n"));
}

TEST_F(Command, VerifyFindsWorkersEqual) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const Ran workers = Lockstep(std::string("verify --devices 1 --workers 1,2 --json -- lockstep ") +
                               kTrain + " --strategy multi_worker");
  EXPECT_EQ(workers.status, 0) << workers.err;
  EXPECT_EQ(workers.object()["equal"], true);
  EXPECT_EQ(workers.object()["runs"][1]["workers"], 2);
}

TEST_F(Command, VerifyNamesTheFirstDifference) {
  // A program whose learning rate depends on the number of devices.
  const std::string program = std::string("sh -c 'exec \"$0\" ") + kTrain +
                              " --json --verbose 0 --digest-every 1 --learning-rate "
                              "0.00$LOCKSTEP_DEVICES' '" LOCKSTEP_PROGRAM "'";
  const Ran ran = Lockstep("verify --devices 1,2 --json -- " + program);
  EXPECT_EQ(ran.status, 1) << ran.err;
  const json difference = ran.object()["first_difference"];
  EXPECT_EQ(difference["step"], 1);
  EXPECT_EQ(difference["key"], "digests");
  EXPECT_THAT(difference["variable"].get<std::string>(), testing::StartsWith("dense"));
  EXPECT_NE(difference["bits"][0], difference["bits"][1]);
  EXPECT_THAT(difference["op"].get<std::string>(),
              testing::ContainsRegex("^ResourceApplyAdam.* in phase [0-9]+"));
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("2 devices +[0-9a-f]{32} differs\n  first at step 1: "));
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("  dense[a-z_0-9/]*\\[[0-9,]+\\]: 0x[0-9a-f]{8} \\("));
}

TEST_F(Command, VerifyComparesWhatProgramsReport) {
  const Ran other = Lockstep(
      "verify --devices 1,2 -- sh -c "
      "'echo \"{\\\"weights_digest\\\": \\\"$LOCKSTEP_DEVICES\\\"}\"'");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("2 differs\n  in weights_digest: \"1\" and \"2\"\n"));
  const std::pair<std::string, const char*> cases[] = {
      {"/bin/echo hello",
       "must be a JSON object with weights_digest, a text; let it print one (lockstep "
       "train --json); got 'hello' (1 device)"},
      {"/bin/echo '{\"weights_digest\": 5}'",
       "must be a JSON object with weights_digest, a text; let it print one (lockstep "
       "train --json); got '{\"weights_digest\": 5}' (1 device)"},
      {"/bin/echo '{\"weights_digest\": \"a\", \"digests\": [\"b\"]}'",
       "digests must be a list with [STEP, DIGEST] for each step that is compared; got [\"b\"] (1 "
       "device)"},
      {"sh -c 'echo oh no >&2; exit 3'", "must end with status 0; got 3\noh no\n (1 device)"},
      {std::string("lockstep ") + kTrain + " --devices 2",
       "must take its devices from LOCKSTEP_DEVICES; leave out --devices; got 2 (1 device)"},
      {"/no/such/program", "No such file or directory"}};
  for (const auto& [program, text] : cases) {
    const Ran ran = Lockstep("verify -- " + program);
    EXPECT_EQ(ran.status, 1) << program;
    EXPECT_THAT(ran.err, HasSubstr(text));
  }
}

TEST_F(Command, VerifyRefusesWhatComparesNothing) {
  const Ran one = Lockstep("verify --devices 1 -- true");
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("--devices: one way (1 device) leaves nothing to compare"));
  const Ran alone = Lockstep(std::string("verify --devices 1 --workers 1,2 -- lockstep ") + kTrain);
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err, HasSubstr("[verify] all workers must train together; give --strategy "
                                   "multi_worker or parameter_server; got 1 (2 workers of 1 "
                                   "device)"));
}

TEST_F(Command, TrainTakesItsDevicesFromTheEnvironment) {
  const std::string train = std::string(kTrain) + " --json --verbose 0";
  EXPECT_EQ(Lockstep(train, "LOCKSTEP_DEVICES=3").object()["devices"], 3);
  EXPECT_EQ(Lockstep(train + " --devices 2", "LOCKSTEP_DEVICES=3").object()["devices"], 2);
  const Ran wrong = Lockstep(train, "LOCKSTEP_DEVICES=many");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err,
              HasSubstr("[LOCKSTEP_DEVICES] it must be a number from 1 to 1024; got 'many'"));
}

TEST_F(Command, DoctorSaysWhoDescribesTheCluster) {
  const Ran alone = Lockstep("doctor --json");
  EXPECT_EQ(alone.status, 0) << alone.out;
  EXPECT_EQ(alone.object()["resolver"], "none");
  const Ran text = Lockstep("doctor --wait 0",
                            "RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "
                            "LOCAL_WORLD_SIZE=2 LOCAL_RANK=1");
  EXPECT_EQ(text.status, 0) << text.out;
  EXPECT_THAT(text.out, HasSubstr("worker 1, rank 1 of 2, as torchrun says\n"
                                  "  number of tasks: 2 (WORLD_SIZE)\n"));
  EXPECT_THAT(text.out, HasSubstr("all is fine\n"));
  for (const char* topic : {"interfaces: lo", "cores: ", "isa: kernels use avx",
                            "libraries: ", "shared memory: /dev/shm has ", "open files: "}) {
    EXPECT_THAT(text.out, HasSubstr(topic));
  }
}

TEST_F(Command, DoctorPrintsWhatToPaste) {
  const Ran wrong =
      Lockstep("doctor", "TF_CONFIG='{\"cluster\": {\"workers\": [\"127.0.0.1:1\",]}}'");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("a list must not end with a comma; got ,]"));
  EXPECT_THAT(wrong.out,
              HasSubstr("    export TF_CONFIG='{\"cluster\": {\"worker\": [\"127.0.0.1:1\"]}, "
                        "\"task\": {\"type\": \"worker\", \"index\": 0}}'\n"));
  EXPECT_THAT(wrong.out, HasSubstr("2 problems\n"));
}

TEST_F(Command, DoctorSaysWhoHasAPort) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Ran taken =
      Lockstep("doctor", "TF_CONFIG='{\"cluster\": {\"worker\": [\"127.0.0.1:" + port + "\"]}}'");
  close(listener);
  EXPECT_EQ(taken.status, 1);
  EXPECT_THAT(taken.out, HasSubstr("worker 0 cannot listen at 127.0.0.1:" + port +
                                   ": [port] binding must succeed; got Address already in use"));
  EXPECT_THAT(taken.out, HasSubstr("it is taken by cli_test (" + std::to_string(getpid()) + ")"));
}

TEST_F(Command, DoctorSeesTheRanksOfMpirun) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  if (std::system("command -v mpirun >/dev/null") != 0) {
    GTEST_SKIP() << "mpirun is not installed (group launchers of packages.txt)";
  }
  // Each to a file of its own, as mpirun mixes what its tasks print.
  const Ran ran = Shell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LOCKSTEP_LOG=off "
      "mpirun --oversubscribe -n 4 sh -c 'exec \"$0\" doctor --json >" +
      folder_.path() + "/rank$OMPI_COMM_WORLD_RANK' '" LOCKSTEP_PROGRAM "'");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (int rank = 0; rank < 4; ++rank) {
    const json report = json::parse(Read("rank" + std::to_string(rank)));
    EXPECT_EQ(report["resolver"], "Open MPI");
    EXPECT_EQ(report["num_ranks"], 4);
    EXPECT_EQ(report["local_size"], 4);
    EXPECT_EQ(report["local_index"], rank);
    EXPECT_EQ(report["rank"], rank);
  }
}

TEST_F(Command, DoctorSeesTheTasksOfSlurm) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const Ran ran = Shell("LOCKSTEP_LOG=off '" LOCKSTEP_SOURCE_DIR
                        "/tests/launchers/with_slurm' srun --ntasks=3 --output='" +
                        folder_.path() + "/rank%t' '" LOCKSTEP_PROGRAM "' doctor --json");
  if (ran.status == 77) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  for (int rank = 0; rank < 3; ++rank) {
    const json report = json::parse(Read("rank" + std::to_string(rank)));
    EXPECT_EQ(report["resolver"], "Slurm");
    EXPECT_EQ(report["num_ranks"], 3);
    EXPECT_EQ(report["local_size"], 3);
    EXPECT_EQ(report["rank"], rank);
    EXPECT_EQ(report.contains("pairs"), rank == 0);
  }
}

TEST_F(Command, DoctorSeesTheTasksOfLaunch) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const Ran ran = Lockstep("launch --workers 2 --json -- lockstep doctor --json");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_EQ(ran.object()["resolver"], "lockstep launch");
  EXPECT_EQ(ran.object()["rank"], 0);
  EXPECT_EQ(ran.object()["num_ranks"], 2);
  ASSERT_EQ(ran.object()["tasks"].size(), 2u);
  EXPECT_EQ(ran.object()["tasks"][1]["task"], "worker 1");
  const json pairs = ran.object()["pairs"];
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0]["from"], "worker 0");
  EXPECT_EQ(pairs[0]["to"], "worker 1");
  for (const json& pair : pairs) {
    EXPECT_EQ(pair["road"], "shared memory");
    EXPECT_GT(pair["latency_us"].get<double>(), 0);
    EXPECT_GT(pair["mebibytes_per_second"].get<double>(), 0);
  }
  const Ran text = Lockstep("launch --workers 2 -- lockstep doctor");
  EXPECT_EQ(text.status, 0) << text.err << text.out;
  EXPECT_THAT(text.out, HasSubstr("pairs: shared memory: 2 ways, latency "));
  EXPECT_THAT(text.out, HasSubstr("worker 0 |   worker 1 to worker 0: shared memory, "));
}

TEST_F(Command, DoctorSaysWhoIsMissing) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const Ran ran = Lockstep(
      "launch --workers 2 -- sh -c '[ \"$LOCKSTEP_TASK\" = \"worker 1\" ] || "
      "exec \"$0\" doctor --wait 0.5' '" LOCKSTEP_PROGRAM "'");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("doubt +pairs: .*all workers must come in time; got 1 "
                                     "of 2 here; missing worker 1 at 127.0.0.1:"));
  EXPECT_THAT(ran.out, HasSubstr("run lockstep doctor in all tasks at once"));
}

TEST(ExaminePairs, NamesWhoIsFarSlowerThanOthersOfItsRoad) {
  std::vector<distribute::PairSpeed> pairs = distribute::PairsOf(3);
  std::vector<std::string> roads;
  for (auto& pair : pairs) {
    pair.latency_us = 10 + pair.from;
    pair.mebibytes_per_second = 1000;
    roads.push_back("TLS");
  }
  const std::vector<std::string> names = {"worker 0", "worker 1", "worker 2"};
  auto findings = ExaminePairs(pairs, roads, names);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "TLS: 6 ways, latency 10 to 12 us, 1000 to 1000 MiB/s");
  pairs[1].mebibytes_per_second = 12;  // from 0 to 2
  pairs[4].latency_us = 40'000;        // from 2 to 0
  findings = ExaminePairs(pairs, roads, names);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[1].level, cluster::Finding::Level::kDoubt);
  EXPECT_EQ(findings[1].text,
            "from worker 0 to worker 2 by TLS: 10 us, 12 MiB/s, where others have 11, 1000");
  EXPECT_EQ(findings[2].text,
            "from worker 2 to worker 0 by TLS: 40000 us, 1000 MiB/s, where others have 11, 1000");
  // Too few to compare, and another road.
  roads = {"TLS", "TLS", "shared memory", "shared memory", "shared memory", "TLS"};
  EXPECT_EQ(ExaminePairs(pairs, roads, names).size(), 2u);
}

}  // namespace
}  // namespace lockstep::cli
