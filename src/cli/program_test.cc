// Runs the real program and looks at its status, text and JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/cores.h"
#include "base/folder_test.h"
#include "data/written_files_test.h"
#include "net/grpc_test.h"
#include "net/ports.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Ran {
  int status = -1;
  std::string out, err;
  json object() const {
    const std::string text = out.substr(out.rfind('\n', out.size() - 2) + 1);
    return json::parse(text);
  }
};

class Program : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string Read(const std::string& name) const { return folder_.Read(name); }
  Ran Run(const std::string& arguments, const std::string& variables = "LOCKSTEP_LOG=off") {
    const std::string command = variables + " '" LOCKSTEP_PROGRAM "' " + arguments + " >'" +
                                Path("out") + "' 2>'" + Path("err") + "'";
    const int ended = std::system(command.c_str());
    return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, Read("out"), Read("err")};
  }
  // Small enough for tests: 10 steps an epoch.
  Ran Train(const std::string& arguments) {
    return Run("train --examples 320 --verbose 0 --json " + arguments);
  }
  json Report(const std::string& arguments) {
    const Ran ran = Train(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? ran.object() : json::object();
  }

  const base::TestFolder folder_;
};

TEST_F(Program, SaysItsVersionAndWhatItCanDo) {
  const Ran version = Run("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("lockstep [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const Ran help = Run("help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, StartsWith("Lockstep: the same bits on any number of devices"));
  for (const char* command : {"train", "launch", "doctor"})
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + command + " "));
  const Ran train = Run("train --help");
  EXPECT_EQ(train.status, 0);
  EXPECT_EQ(Run("help train").out, train.out);
  const Ran ls = Run("checkpoint ls --help");
  EXPECT_EQ(Run("help checkpoint ls").out, ls.out);
  const Ran unknown = Run("help trian");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, StartsWith("command: trian not in {train,"));
  for (const char* flag : {"--model", "--checkpoint", "--checkpoint-every", "--resume",
                           "--digest-every", "--validation-split", "--verbose", "--json",
                           "--min-workers", "--max-workers", "--speculate"}) {
    EXPECT_THAT(train.out, HasSubstr(flag));
  }
}

// Not those of the machine: more lanes than cores would wait for each other.
TEST_F(Program, TakesTheCoresThatItMayRunOn) {
  const std::string on_one =
      "LOCKSTEP_LOG=off taskset -c " + std::to_string(base::CoreNumbers().front());
  const Ran ran = Run("train --examples 320 --steps 2 --verbose 0 --json", on_one);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.object()["devices"], 1);
  EXPECT_THAT(Run("doctor", on_one).out, HasSubstr(" 1 of "));
}

TEST_F(Program, RefusesBadUsageByFlagAndAllowedValues) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "A subcommand is required"},
      {"fly", "command: fly not in {train,"},
      {"checkpoint lss", "command: lss not in {ls,show,diff,convert,verify}"},
      {"train --model vgg", "--model: vgg not in {mlp,cnn,gpt}"},
      {"train --strategy horovod",
       "--strategy: horovod not in {default,one_device,mirrored,central_storage,multi_worker,"
       "parameter_server}"},
      {"train --isa neon", "--isa: neon not in {avx2,avx512}"},
      {"train --optimizer magic", "--optimizer: magic not in {sgd,"},
      {"train --epochs -1", "--epochs: Value -1 not in range"},
      {"train --steps 0", "--steps: Value 0 not in range 1 to"},
      {"train --devices 0", "--devices: Value 0 not in range"},
      {"train --batch-size 0", "--batch-size: Value 0 not in range"},
      {"train --batch-size many", "--batch-size: Value many not in range"},
      {"train --learning-rate 0", "--learning-rate: Value 0 not in range (0 - infinity)"},
      {"train --validation-split 1", "--validation-split: Value 1 not in range [0 - 1)"},
      {"train --seed many", "--seed: Value many not in range"},
      {"train --seed 99999999999999999999",
       "--seed: Value 99999999999999999999 not in range -9223372036854775808 to "
       "9223372036854775807"},
      {"train --threads 1024 --devices 1024",
       "--threads: 1024 devices of 1024 threads are more than 4096 threads"},
      {"train --strategy multi_worker --min-workers 5 --max-workers 3",
       "--min-workers: Value 5 not in range 1 to --max-workers 3"},
      {"train --strategy parameter_server --mode asynchronous --staleness 0",
       "--staleness: it needs --mode bounded"},
      {"launch --ps 1 --min-ps 5 -- true", "--min-ps: Value 5 not in range 0 to --ps 1"},
      {"launch --min-ps 1 -- true", "--min-ps: Value 1 not in range 0 to --ps 0"},
      {"launch --env =x -- true", "--env: Value '=x' is no NAME=VALUE and no NAME"},
      {"launch --hosts , -- true", "--hosts: Value ',' is no list of names, as in a,b"},
      {"train --verbose 3", "--verbose: Value 3 not in range"},
      {"train --checkpoint-every 5", "--checkpoint-every requires --checkpoint"},
      {"train --checkpoint ''", "--checkpoint: Value '' is no path; leave the flag out"},
      {"train --resume ''", "--resume: Value '' is no path"},
      {"train --data ''", "--data: Value '' is no path"},
      {"train --clipnorm 1 --clipvalue 1", "--clipnorm excludes --clipvalue"},
      {"train --frobnicate", "there is no flag --frobnicate\n"},
      {"train --step 5", "there is no flag --step; did you mean --steps?\n"},
      {"TRAIN", "; did you mean train?"},
      {"train --profile 5", "--profile: Value 5 is no FIRST:LAST of steps"},
      {"train --profile 5:4", "--profile: Value 5:4 is no FIRST:LAST of steps"},
      {"train --profile-dir x", "--profile-dir requires --profile"},
      {"train --metrics-address 127.0.0.1", "--metrics-address requires --metrics-port"},
      {"train --metrics-port 70000", "--metrics-port: Value 70000 not in range"},
      {"events tail", "DIR is required"},
      {"train --mode bounded", "--mode: bounded needs --strategy parameter_server"},
      {"train --strategy parameter_server --staleness 2", "--staleness: it needs --mode bounded"},
      {"train --strategy parameter_server --scale-by-staleness",
       "--scale-by-staleness: it needs --mode bounded or asynchronous"},
      {"verify --servers 1 -- true", "--servers requires --workers"},
      {"launch --wrokers 2 -- true", "there is no flag --wrokers"},
      {"launch --wrokers=2 -- true", "there is no flag --wrokers"},
      {"launch --evaluator --evaluators 1 -- true", "--evaluators excludes --evaluator"},
      {"train --strategy one_device --replicas 2",
       "--replicas: Value 2 not in {1} with --strategy one_device"},
  };
  for (const auto& [arguments, text] : cases) {
    const Ran ran = Run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_THAT(ran.err, HasSubstr(text)) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
  }
}

TEST_F(Program, ReportsWhatTheIssueLists) {
  const json report = Report("--epochs 2 --validation-split 0.1 --digest-every 4");
  std::vector<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.push_back(key);
  EXPECT_THAT(keys,
              testing::IsSupersetOf({"model", "strategy", "devices", "replicas", "shards", "isa",
                                     "steps", "loss", "accuracy", "test_loss", "test_accuracy",
                                     "seconds", "us_per_step", "mean_us_per_step", "examples_per_s",
                                     "peak_rss_mb", "weights_digest", "state_digest", "digests"}));
  EXPECT_EQ(report["model"], "mlp");
  EXPECT_EQ(report["strategy"], "mirrored");
  EXPECT_EQ(report["replicas"], 1);
  EXPECT_EQ(report["steps"], 18);  // 288 of 320 examples are trained on
  EXPECT_GT(report["us_per_step"].get<double>(), 0);
  EXPECT_GT(report["seconds"].get<double>(), 0);
  EXPECT_EQ(report["weights_digest"].get<std::string>().size(), 32u);
  ASSERT_EQ(report["digests"].size(), 4u);
  EXPECT_EQ(report["digests"][3][0], 16);
  EXPECT_EQ(Report("--epochs 2 --validation-split 0.1 --steps 16")["weights_digest"],
            report["digests"][3][1]);
}

TEST_F(Program, MakesTheKeysOfAJobOnce) {
  const std::string arguments = "cert --out '" + Path("keys") + "' --hosts node-1,10.0.0.7";
  const Ran ran = Run(arguments);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("server.key, client.pem, client.key, token; for 365 days"));
  EXPECT_THAT(Read("keys/server.pem"), StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_EQ(Read("keys/token").size(), 32u);
  const Ran again = Run(arguments);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("[cert] the file must not exist"));
  const Ran wrong = Run("cert --out '" + Path("other") + "' --hosts 'a b'");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("a host must be a name or an address; got 'a b'"));
  EXPECT_EQ(Run("cert").status, 2);
  // Half of the keys would be in the way of the next attempt.
  const std::string full = "cert --out '" + Path("full") + "'";
  const int ended = std::system(("( ulimit -f 0; LOCKSTEP_LOG=off exec '" LOCKSTEP_PROGRAM "' " +
                                 full + " ) 2>&1 | cat >'" + Path("err") + "'")
                                    .c_str());
  EXPECT_EQ(ended, 0);
  EXPECT_THAT(Read("err"),
              HasSubstr("[cert] the file must be written whole; got File too large ("));
  EXPECT_TRUE(std::filesystem::is_empty(Path("full")));
  EXPECT_EQ(Run(full).status, 0);
}

TEST_F(Program, PrintsALineAnEpoch) {
  const Ran ran = Run("train --examples 64 --epochs 2 --verbose 2 --validation-split 0.5");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex(
                           "Epoch 1/2\n1/1 - [0-9]+s - [0-9]+[mu]?s/step - accuracy: [0-9.e-]+ - "
                           "loss: [0-9.]+ - val_accuracy: [0-9.e-]+ - val_loss: [0-9.]+\n"));
  EXPECT_THAT(ran.out, HasSubstr("weights digest "));
}

TEST_F(Program, ResumesToTheSameDigests) {
  const json straight = Report("--epochs 2 --seed 4");
  const std::string saves = " --checkpoint " + Path("saves");
  for (const char* stop : {"7", "10", "13"}) {
    Report("--epochs 2 --seed 4 --devices 1 --steps " + std::string(stop) + saves);
    for (const char* devices : {"1", "3"}) {
      const json resumed = Report("--epochs 2 --seed 4 --devices " + std::string(devices) +
                                  " --resume " + Path("saves"));
      EXPECT_EQ(resumed["weights_digest"], straight["weights_digest"]) << stop;
      EXPECT_EQ(resumed["state_digest"], straight["state_digest"]) << stop;
      EXPECT_EQ(resumed["steps"], 20);
    }
  }
}

TEST_F(Program, SavesWhenAskedTo) {
  Report("--epochs 2 --checkpoint " + Path("epochs"));
  EXPECT_TRUE(std::filesystem::exists(Path("epochs/save-10.lockstep")));
  EXPECT_TRUE(std::filesystem::exists(Path("epochs/save-20.lockstep")));
  Report("--epochs 2 --checkpoint-every 7 --checkpoint " + Path("steps"));
  EXPECT_TRUE(std::filesystem::exists(Path("steps/save-14.lockstep")));
  EXPECT_EQ(Read("steps/latest"), "save-14.lockstep");
  // From step 14, inside the second epoch.
  EXPECT_EQ(Report("--epochs 2 --resume " + Path("steps"))["state_digest"],
            Report("--epochs 2")["state_digest"]);
}

TEST_F(Program, EndsAtAStepWhenInterrupted) {
  const std::string out = Path("out");
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr) _exit(9);
    if (std::freopen(Path("err").c_str(), "w", stderr) == nullptr) _exit(9);
    execl(LOCKSTEP_PROGRAM, "lockstep", "train", "--examples", "320", "--epochs", "1000000",
          "--checkpoint", Path("saves").c_str(), "--json", nullptr);
    _exit(9);
  }
  // The first save says that training has begun.
  for (int i = 0; i < 2000 && !std::filesystem::exists(Path("saves/latest")); ++i) usleep(5000);
  const Ran other = Train("--steps 1 --checkpoint " + Path("saves"));
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("[save] one training at a time may write to a directory of "
                                   "saves; got another that does (" +
                                   Path("saves") + "); wait for its end"));
  ASSERT_EQ(kill(child, SIGINT), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << Read("err");
  const Ran ran{0, Read("out"), ""};
  const json reached = ran.object();
  const std::string steps = std::to_string(reached["steps"].get<int64_t>());
  EXPECT_EQ(Read("saves/latest"), "save-" + steps + ".lockstep");
  const json resumed = Report("--epochs 1000000 --steps " + steps + " --resume " + Path("saves"));
  EXPECT_EQ(resumed["state_digest"], reached["state_digest"]);
}

// Without a launcher nobody else says whom it waits for.
TEST_F(Program, SaysWhoIsMissingBeforeTrainingBegins) {
  const int port = net::ReservedPort::Reserve("127.0.0.1").value().port();
  const std::string cluster = R"({"cluster": {"worker": ["127.0.0.1:)" + std::to_string(port) +
                              R"(", "127.0.0.1:9"]}, "task": {"type": "worker", "index": 0}})";
  const std::string command =
      "TF_CONFIG='" + cluster +
      "' '" LOCKSTEP_PROGRAM "' train --strategy multi_worker --replicas 8 2>'" + Path("err") +
      "' & p=$!; i=0; until grep -q 'missing worker 1' '" + Path("err") +
      "' || [ $i = 600 ]; do sleep 0.1; i=$((i+1)); done; kill -9 $p";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(Read("err"), HasSubstr("all workers must come before training begins; 1 of 2 here; "
                                     "missing worker 1 at 127.0.0.1:9, "));
}

TEST_F(Program, ReportsAnUnwritablePlaceBeforeTheFirstStep) {
  std::ofstream(Path("file")) << "text";
  for (const std::string& flag :
       {"--checkpoint " + Path("file"), "--checkpoint " + Path("file") + "/below",
        std::string("--checkpoint /proc/lockstep"), "--profile 2:3 --profile-dir " + Path("file"),
        "--log-dir " + Path("file")}) {
    const Ran ran = Run("train --examples 320 --epochs 1 --verbose 2 " + flag);
    EXPECT_EQ(ran.status, 1) << flag;
    EXPECT_THAT(ran.err, HasSubstr(flag.substr(flag.rfind(' ') + 1)));
    EXPECT_EQ(ran.out, "") << flag;
  }
}

TEST_F(Program, SaysWhatIsWrongWithASave) {
  Report("--epochs 1 --checkpoint " + Path("saves"));
  const std::pair<std::string, std::string> cases[] = {
      {"--resume " + Path("none"),
       "lockstep: NotFound: [load] a save, or a directory of saves, must be there; got nothing (" +
           Path("none") + "); name what --checkpoint named\n"},
      {"--learning-rate 0.5 --resume " + Path("saves"),
       "lockstep: FailedPrecondition: [resume] the save is of a training with learning_rate 0.001; "
       "got 0.5; leave out --learning-rate to go on, or --resume to begin anew\n"},
      {"--replicas 3 --resume " + Path("saves"),
       "lockstep: FailedPrecondition: [resume] the save is of a training with replicas 1; got 3; R "
       "belongs to the program, so give as many replicas (devices may differ)\n"},
      {"--batch-size 16 --resume " + Path("saves"),
       "lockstep: FailedPrecondition: [resume] the save is of a training with batch_size 32; got "
       "16; give the saved data, cut into the same batches\n"},
      {"--optimizer sgd --resume " + Path("saves"),
       "lockstep: FailedPrecondition: [resume] the save is of a training with optimizer \"adam\"; "
       "got \"sgd\"; compile with the saved one\n"},
  };
  for (const auto& [arguments, text] : cases) {
    const Ran ran = Train("--epochs 2 " + arguments);
    EXPECT_EQ(ran.status, 1) << arguments;
    EXPECT_EQ(ran.err, text);
  }
  std::filesystem::resize_file(Path("saves/save-10.lockstep"), 100);
  const Ran cut = Train("--resume " + Path("saves"));
  EXPECT_EQ(cut.status, 1);
  EXPECT_THAT(cut.err, StartsWith("lockstep: DataLoss: [load] the file must have the "));
  EXPECT_THAT(cut.err, EndsWith("; take an earlier save\n"));
}

TEST_F(Program, TellsWhatChangesNothing) {
  EXPECT_THAT(Train("--validation-split 0.9999").err,
              HasSubstr("[fit] validation_split must leave examples on both sides; got 0.999900 of "
                        "320 examples, of which 0 would train; give a fraction that leaves an "
                        "example or more to each"));
  const Ran idle = Train("--steps 2 --cnn-plain --profile 5:10 --profile-dir " + Path("profile"));
  EXPECT_EQ(idle.status, 0);
  EXPECT_EQ(idle.err,
            "lockstep train: --cnn-plain changes nothing with --model mlp; it is for --model cnn\n"
            "lockstep train: --profile 5:10 recorded nothing: training ended at step 2\n");
  EXPECT_EQ(Train("--steps 5 --checkpoint " + Path("saves")).err, "");
  EXPECT_EQ(Train("--steps 5 --checkpoint " + Path("saves")).err,
            "lockstep train: " + Path("saves/save-5.lockstep") +
                " is of an earlier training, and this one begins anew: its saves take the place of "
                "those; to go on there give --resume " +
                Path("saves") + ", to keep them another --checkpoint\n");
  const Ran over = Train("--steps 5 --resume " + Path("saves"));
  EXPECT_EQ(over.status, 0);
  EXPECT_EQ(over.err,
            "lockstep train: nothing was left to train: the save is of step 5; for more give "
            "greater --steps or --epochs\n");
  const Ran level = Run("train --examples 320 --steps 1 --verbose 0", "LOCKSTEP_LOG=xx");
  EXPECT_EQ(level.status, 0);
  EXPECT_THAT(level.err, HasSubstr("[LOCKSTEP_LOG] it must be debug, info, warning, error or off; "
                                   "got 'xx'; info is taken"));
}

TEST_F(Program, TellsThatItTrainsAloneAmongOthers) {
  const std::string variables =
      "LOCKSTEP_LOG=off WORLD_SIZE=2 RANK=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500";
  const std::string train = "train --examples 320 --steps 1 --verbose 0 ";
  const Ran ran = Run(train, variables);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "lockstep train: this is worker 1, rank 1 of 2 by torchrun, but --strategy mirrored "
            "trains alone; for one training of all give --strategy multi_worker or "
            "parameter_server\n");
}

// Too little for a cluster is a doubt, told to those who would train together.
TEST_F(Program, TellsOfALauncherThatSaysTooLittle) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const std::string train = "train --examples 320 --steps 1 --verbose 0 ";
  const Ran pod = Run(train + "--strategy multi_worker", "JOB_COMPLETION_INDEX=0");
  EXPECT_EQ(pod.status, 0);
  EXPECT_THAT(pod.err, HasSubstr("[JOB_COMPLETION_INDEX] for one training of all pods their number "
                                 "is needed; got no LOCKSTEP_WORKERS: one process alone"));
  EXPECT_EQ(Run(train, "JOB_COMPLETION_INDEX=0 LOCKSTEP_LOG=warning").err, "");
}

TEST_F(Program, SaysWhatIsWrongWithAnAddress) {
  const auto config = [](const std::string& own) {
    return "LOCKSTEP_LOG=off LOCKSTEP_TOKEN=x TF_CONFIG='{\"cluster\": {\"worker\": [\"" + own +
           ":2222\", \"10.77.0.1:2222\"]}, \"task\": {\"type\": \"worker\", \"index\": 0}}'";
  };
  const std::string train = "train --examples 320 --strategy multi_worker --replicas 2";
  const Ran name = Run(train, config("no-such-host.invalid"));
  EXPECT_EQ(name.status, 1);
  EXPECT_THAT(name.err,
              HasSubstr("[TF_CONFIG] the host of worker 0 'no-such-host.invalid' must be this "
                        "machine, which is called '"));
  EXPECT_THAT(name.err, HasSubstr("write this machine's name or number there, in every task, or "
                                  "give this task its own index"));
  // The leader is here, but the others could not reach it.
  const Ran plain = Run(train, config("127.0.0.1"));
  EXPECT_EQ(plain.status, 1);
  EXPECT_THAT(plain.err,
              HasSubstr("[TF_CONFIG] control between machines must be encrypted; got worker 1 at "
                        "10.77.0.1:2222 without certificates; make them with `lockstep cert --out "
                        "DIR`, and set LOCKSTEP_CREDENTIALS=DIR in every task"));
  const Ran metrics = Train("--metrics-port 0 --metrics-address 999.1.1.1");
  EXPECT_EQ(metrics.status, 1);
  EXPECT_THAT(metrics.err, HasSubstr("got '999.1.1.1' (--metrics-address); write 127.0.0.1"));
}

TEST_F(Program, FailsWhereItsOutputCannotBeWritten) {
  for (const char* arguments :
       {"--version", "help", "doctor --wait 0", "doctor --wait 0 --json",
        "train --examples 320 --steps 1 --verbose 0 --json", "launch -- echo hello"}) {
    // In a shell of its own, whose output Run keeps.
    const int ended = std::system(("LOCKSTEP_LOG=off '" LOCKSTEP_PROGRAM "' " +
                                   std::string(arguments) + " >/dev/full 2>'" + Path("err") + "'")
                                      .c_str());
    EXPECT_EQ(WEXITSTATUS(ended), 1) << arguments;
    EXPECT_THAT(Read("err"), HasSubstr("could not be written (stdout)"));
  }
}

TEST_F(Program, SaysThatThereIsNothingToShow) {
  const Ran serve = Run("serve --job ps --task 3");
  EXPECT_EQ(serve.status, 1);
  EXPECT_THAT(serve.err,
              HasSubstr("[serve] --job and --task choose a task of a cluster; got nobody "
                        "who describes one; set TF_CONFIG"));
  const Ran flight = Run("flight '" LOCKSTEP_PROGRAM "'");
  EXPECT_EQ(flight.status, 1);
  EXPECT_THAT(flight.err,
              HasSubstr("[flight] a flight recorder's file is a text; got other bytes ("));
  Report("--steps 1 --log-dir " + Path("logs"));
  const Ran tail = Run("events tail --tag nosuch " + Path("logs"));
  EXPECT_EQ(tail.status, 1);
  EXPECT_EQ(tail.err, "lockstep events: no value has the tag nosuch; `lockstep events ls " +
                          Path("logs") + "` lists those there are\n");
}

TEST_F(Program, SaysThatThereIsNoRoom) {
  const Ran memory = Run("train --examples 99999999999");
  EXPECT_EQ(memory.status, 1);
  EXPECT_THAT(memory.err, HasSubstr("[train] the synthetic examples must fit in memory; got "));
  EXPECT_THAT(memory.err, EndsWith("; give fewer --examples\n"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they open files, too
  // Few files that may be open, some of which are; a library or a thread would end the process.
  for (const std::string before : {"ulimit -n 14", "ulimit -n 17", "ulimit -n 20",
                                   "exec 3<&0 4<&0 5<&0 6<&0 7<&0 8<&0 9<&0; ulimit -n 16"}) {
    const int files = std::system((before +
                                   "; LOCKSTEP_LOG=off '" LOCKSTEP_PROGRAM
                                   "' train --examples 320 --steps 1 --strategy multi_worker >'" +
                                   Path("out") + "' 2>'" + Path("err") + "'")
                                      .c_str());
    EXPECT_TRUE(WIFEXITED(files));
    EXPECT_EQ(WEXITSTATUS(files), 1) << before;
    EXPECT_THAT(Read("err"), HasSubstr("(ulimit -n)")) << before;
  }
#endif
  // A limit on the size of a file (ulimit -f, in blocks of 512 bytes) is told like a full disk.
  const int ended = std::system(("ulimit -f 100; LOCKSTEP_LOG=off '" LOCKSTEP_PROGRAM
                                 "' train --examples 320 --epochs 1 --verbose 0 --checkpoint '" +
                                 Path("saves") + "' >'" + Path("out") + "' 2>'" + Path("err") + "'")
                                    .c_str());
  EXPECT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 1);
  EXPECT_THAT(Read("err"), HasSubstr("[file] writing must succeed; got File too large ("));
}

TEST_F(Program, SaysWhereItCannotSave) {
  // A file where the directory of saves would be.
  std::ofstream(Path("file")) << "x";
  const Ran ran = Train("--epochs 1 --checkpoint " + Path("file/saves"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(
      ran.err,
      StartsWith("lockstep: NotFound: [save] the directory of saves must be written; [file] making "
                 "the directory must succeed; got Not a directory"));
  EXPECT_THAT(ran.err, EndsWith("; make room or save elsewhere, earlier saves are untouched\n"));
}

TEST_F(Program, SaysWhatIsWrongWithData) {
  using data::Bytes;
  using data::Front;
  const Bytes images = data::IdxBytes(0x08, {8, 28, 28}, data::Counting(8 * 28 * 28));
  const Bytes labels = data::IdxBytes(0x08, {8}, {0, 1, 2, 3, 4, 5, 6, 7});
  const auto write = [&](const std::string& folder, const std::string& name, const Bytes& bytes) {
    std::ofstream file(Path(folder + "/" + name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<int64_t>(bytes.size()));
  };
  // A whole set, in which one file of the training set is another.
  const auto set = [&](const std::string& folder, const Bytes& train_images,
                       const Bytes& train_labels) {
    std::filesystem::create_directories(Path(folder));
    write(folder, "train-images-idx3-ubyte", train_images);
    write(folder, "train-labels-idx1-ubyte", train_labels);
    write(folder, "t10k-images-idx3-ubyte", images);
    write(folder, "t10k-labels-idx1-ubyte", labels);
  };
  set("good", images, labels);
  EXPECT_EQ(Train("--epochs 1 --data " + Path("good")).status, 0);
  Bytes corrupt = data::Gzip(images);
  corrupt[corrupt.size() / 2] ^= 0x10;
  Bytes wrong_label = labels;
  wrong_label.back() = 10;
  set("cut", Front(images, 100), labels);
  set("empty", {}, labels);
  set("swapped", labels, images);
  set("corrupt", corrupt, labels);
  set("cut_gzip", Front(data::Gzip(images), 40), labels);
  set("label", images, wrong_label);
  set("uneven", images, data::IdxBytes(0x08, {7}, {0, 1, 2, 3, 4, 5, 6}));
  std::filesystem::create_directories(Path("nothing"));
  std::filesystem::create_directories(Path("pipe"));
  ASSERT_EQ(mkfifo(Path("pipe/train-images-idx3-ubyte").c_str(), 0600), 0);
  const std::pair<std::string, std::string> cases[] = {
      {"none", "NotFound: [mnist] a directory with the four IDX files is needed; got nothing"},
      {"nothing", "NotFound: [mnist] the directory must hold train-images-idx3-ubyte"},
      {"pipe", "InvalidArgument: [mnist] an IDX file must be a regular file; got a directory, a "},
      {"cut", "[idx] uint8 [8,28,28] must be followed by 6272 bytes; got 84 bytes of data"},
      {"empty", "[idx] an IDX file must hold a header; got 0 bytes"},
      {"swapped", "these look like images, swap the two files"},
      {"corrupt", "[gzip] a compressed file must be whole"},
      {"cut_gzip", "[gzip] a compressed file must be whole"},
      {"label", "[mnist] a label must be one of 0 to 9; got 10 (label 7 of 8"},
      {"uneven", "[mnist] every image must have one label; got 8 images and 7 labels"},
  };
  for (const auto& [data, text] : cases) {
    const Ran ran = Train("--data " + Path(data));
    EXPECT_EQ(ran.status, 1) << data;
    EXPECT_THAT(ran.err, StartsWith("lockstep: ")) << data;
    EXPECT_THAT(ran.err, HasSubstr(text)) << data;
    EXPECT_THAT(ran.err, HasSubstr(Path(data))) << data;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Program, GivesTheSameBitsWithAvx2OrSaysWhatIsMissing) {
  const json narrow = Report("--steps 8 --isa avx2");
  EXPECT_EQ(narrow["isa"], "avx2");
  const Ran wide = Train("--steps 8 --isa avx512");
  if (wide.status == 0) {
    EXPECT_EQ(wide.object()["weights_digest"], narrow["weights_digest"]);
  } else {
    EXPECT_EQ(wide.status, 1);
    EXPECT_THAT(wide.err, HasSubstr("[isa] the processor must have AVX-512; got one without; use "
                                    "--isa avx2"));
  }
}

TEST_F(Program, WorkersEndWithTheDigestOfOneProcess) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const std::string task = "--model mlp --batch-size 100 --epochs 1 --replicas 8 --devices 1";
  const json alone = Report(task);
  const Ran ran = Run(
      "launch --workers 3 --speculate --json -- lockstep train --examples 320 --verbose 0 --json "
      "--strategy multi_worker " +
      task);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json together = ran.object();
  EXPECT_EQ(together["workers"], 3);
  for (const char* key : {"weights_digest", "state_digest", "loss", "test_loss", "test_accuracy"})
    EXPECT_EQ(together[key], alone[key]) << key;
}

}  // namespace
}  // namespace lockstep::cli
