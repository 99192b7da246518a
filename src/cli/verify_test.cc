// Runs `lockstep verify` and `lockstep doctor` as programs.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

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
  Command() {
    folder_ = testing::TempDir() + "lockstep_command_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  ~Command() override { std::filesystem::remove_all(folder_); }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Ran Shell(const std::string& command) const {
    const std::string whole =
        "{ " + command + " ; } >'" + folder_ + "/out' 2>'" + folder_ + "/err'";
    const int ended = std::system(whole.c_str());
    return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, Read("out"), Read("err")};
  }
  Ran Lockstep(const std::string& arguments, const std::string& variables = "") const {
    return Shell(variables + " LOCKSTEP_LOG=off '" LOCKSTEP_PROGRAM "' " + arguments);
  }
  std::string folder_;
};

constexpr char kTrain[] = "train --examples 320 --batch-size 64 --steps 6";

TEST_F(Command, VerifyFindsDevicesAndWorkersEqual) {
  const Ran devices = Lockstep(std::string("verify --devices 1,2,3 -- lockstep ") + kTrain);
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_THAT(devices.out, HasSubstr("3 runs, all the same\n"));
  const Ran workers =
      Lockstep(std::string("verify --devices 1 --workers 1,2 --json -- lockstep ") + kTrain);
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
       "must be a JSON object with weights_digest; let it print one (lockstep "
       "train --json); got 'hello' (1 device)"},
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
  const Ran text = Lockstep("doctor",
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
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
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
  if (std::system("command -v mpirun >/dev/null") != 0) {
    GTEST_SKIP() << "mpirun is not installed (group launchers of packages.txt)";
  }
  // Each to a file of its own, as mpirun mixes what its tasks print.
  const Ran ran = Shell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LOCKSTEP_LOG=off "
      "mpirun --oversubscribe -n 4 sh -c 'exec \"$0\" doctor --json >" +
      folder_ + "/rank$OMPI_COMM_WORLD_RANK' '" LOCKSTEP_PROGRAM "'");
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
  const Ran ran =
      Shell("LOCKSTEP_LOG=off '" LOCKSTEP_SOURCE_DIR
            "/tests/launchers/with_slurm' srun --ntasks=3 '" LOCKSTEP_PROGRAM "' doctor --json");
  if (ran.status == 77) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  std::istringstream lines(ran.out);
  std::vector<int> ranks;
  for (std::string line; std::getline(lines, line);) {
    const json report = json::parse(line);
    EXPECT_EQ(report["resolver"], "Slurm");
    EXPECT_EQ(report["num_ranks"], 3);
    EXPECT_EQ(report["local_size"], 3);
    ranks.push_back(report["rank"]);
  }
  EXPECT_THAT(ranks, testing::UnorderedElementsAre(0, 1, 2));
}

TEST_F(Command, DoctorSeesTheTasksOfLaunch) {
  const Ran ran = Lockstep("launch --workers 2 --json -- lockstep doctor --json");
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_EQ(ran.object()["resolver"], "lockstep launch");
  EXPECT_EQ(ran.object()["rank"], 0);
  EXPECT_EQ(ran.object()["num_ranks"], 2);
}

}  // namespace
}  // namespace lockstep::cli
