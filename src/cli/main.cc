#include <CLI/CLI.hpp>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/cert.h"
#include "cli/checkpoint.h"
#include "cli/doctor.h"
#include "cli/events.h"
#include "cli/flight.h"
#include "cli/launch.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/race.h"
#include "cli/serve.h"
#include "cli/top.h"
#include "cli/verify.h"
#include "cluster/launch/keeper.h"
#include "lockstep/base/status.h"
#include "lockstep/nn/optimizers.h"

namespace {

using lockstep::cli::TrainOptions;

// How a step is carried out; for tests and measurements, as none of it changes a bit.
void AddExecution(CLI::App& app, lockstep::ExecutionOptions& execution) {
  const auto on_or_off = [&](const char* flag, bool& state, const char* help) {
    const auto set = [&state](const std::string& word) { state = word == "on"; };
    app.add_option_function<std::string>(flag, set, std::string(help) + " [on]")
        ->check(CLI::IsMember(std::vector<std::string>{"on", "off"}));
  };
  on_or_off("--passes", execution.passes, "simplify a step before it is planned");
  on_or_off("--fuse", execution.fuse, "run dependent kernels in chunks that stay in the cache");
  app.add_option("--bucket-bytes", execution.bucket_bytes,
                 "sums of gradients run when they would make so many bytes; 0: at last")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 60))
      ->capture_default_str();
  app.add_flag("--eager", execution.eager, "carry out a step op by op, on one thread");
}

// Numbers for which `allowed` is true, in the range that `text` describes.
CLI::Validator InRange(bool (*allowed)(double), const std::string& range) {
  return CLI::Validator(
      [allowed, range](std::string& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value);
        return number && allowed(value) ? std::string()
                                        : "Value " + text + " not in range " + range;
      },
      "in " + range);
}
CLI::Validator FromZeroBelowOne() {
  return InRange([](double value) { return value >= 0 && value < 1; }, "[0 - 1)");
}
// CLI::Range would take a greater number for the greatest there is.
CLI::Validator WholeNumber() {
  const std::string range = "-9223372036854775808 to 9223372036854775807";
  return CLI::Validator(
      [range](std::string& text) {
        char* end = nullptr;
        errno = 0;
        static_cast<void>(std::strtoll(text.c_str(), &end, 0));
        const bool number = end != text.c_str() && *end == '\0' && errno == 0;
        return number ? std::string() : "Value " + text + " not in range " + range;
      },
      "INT64");
}
CLI::Validator Positive() {
  return InRange([](double value) { return value > 0 && std::isfinite(value); }, "(0 - infinity)");
}

void AddSaves(CLI::App& app, TrainOptions& options) {
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "a directory for saves: at the end of each epoch, and at Ctrl-C; an "
                     "evaluator's task follows them");
  app.add_option("--checkpoint-every", options.checkpoint_every, "save after so many steps instead")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60))
      ->needs(checkpoint);
  app.add_option("--resume", options.resume,
                 "a directory of saves, or one save: goes on there, to the same bits");
  app.add_option("--digest-every", options.digest_every,
                 "with --json: the digest of the weights after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  app.add_option("--digest-check", options.digest_check,
                 "the workers compare their weights after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  app.add_option("--min-workers", options.min_workers,
                 "go on without lost workers while so many are left [1]")
      ->check(CLI::Range(1, 10'000));
  app.add_option(
         "--max-workers", options.max_workers,
         "workers may join until they are so many; all of the job say the same number [those "
         "of the cluster's description]")
      ->check(CLI::Range(1, 10'000));
  app.add_flag("--speculate", options.speculate,
               "name workers that are slow, and let the others do part of their work");
  app.add_option("--verbose", options.verbose, "0: silent, 1: a bar, 2: a line an epoch")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
}

void AddModes(CLI::App& app, TrainOptions& options) {
  app.add_option("--mode", options.mode,
                 "of parameter_server: synchronous, bounded (with --staleness) or asynchronous")
      ->check(CLI::IsMember(std::vector<std::string>{"synchronous", "bounded", "asynchronous"}))
      ->capture_default_str();
  app.add_option("--staleness", options.staleness,
                 "with --mode bounded: how many steps a worker may be ahead of the others")
      ->check(CLI::Range(0, 1 << 20));
  app.add_flag("--scale-by-staleness", options.scale_by_staleness,
               "divide the rate of an update by 1 + its staleness");
}

void AddProfile(CLI::App& app, TrainOptions& options) {
  const auto set = [&options](const std::string& steps) {
    const size_t colon = steps.find(':');
    const bool fits = colon != std::string::npos &&
                      CLI::detail::lexical_cast(steps.substr(0, colon), options.profile_first) &&
                      CLI::detail::lexical_cast(steps.substr(colon + 1), options.profile_last) &&
                      options.profile_first >= 1 && options.profile_last >= options.profile_first;
    if (!fits)
      throw CLI::ValidationError("--profile", "Value " + steps + " is no FIRST:LAST of steps");
  };
  auto* profile = app.add_option_function<std::string>(
      "--profile", set,
      "FIRST:LAST: record these steps on all workers, say where their time went and who waited "
      "for whom, and write a trace for chrome://tracing and Perfetto");
  app.add_option("--profile-dir", options.profile_directory, "where the trace goes")
      ->needs(profile)
      ->capture_default_str();
}

void AddMetrics(CLI::App& app, TrainOptions& options) {
  auto* port = app.add_option("--metrics-port", options.metrics_port,
                              "offer figures to Prometheus here, worker k at the port + k; 0: at a "
                              "free one [nowhere]")
                   ->check(CLI::Range(0, 65535))
                   ->default_str("");
  app.add_option("--log-dir", options.log_directory,
                 "event files for TensorBoard: losses, metrics, histograms and norms of weights, "
                 "and each worker's figures");
  app.add_option("--metrics-address", options.metrics_address,
                 "the interface; whoever reaches it may read")
      ->needs(port)
      ->capture_default_str();
}

void AddTrain(CLI::App& app, TrainOptions& options) {
  app.add_option("--model", options.model, "mlp, cnn or gpt")
      ->check(CLI::IsMember(std::vector<std::string>{"mlp", "cnn", "gpt"}))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "synthetic, a directory of MNIST's IDX files, or a text for the gpt")
      ->capture_default_str();
  app.add_option("--strategy", options.strategy,
                 "default, one_device, mirrored, central_storage, multi_worker or parameter_server")
      ->check(CLI::IsMember(std::vector<std::string>{"default", "one_device", "mirrored",
                                                     "central_storage", "multi_worker",
                                                     "parameter_server"}))
      ->capture_default_str();
  AddModes(app, options);
  app.add_option("--devices", options.devices,
                 "devices of this process; changes nothing but the time [cores]")
      ->check(CLI::Range(1, 1024));
  app.add_option("--replicas", options.replicas, "replicas of the program")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads a device")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--shards", options.shards,
                 "shards a replica's batch is cut into [follows from the batch]")
      ->check(CLI::Range(1, 4096));
  app.add_option("--isa", options.isa, "avx2 or avx512; the bits are the same [the best there is]")
      ->check(CLI::IsMember(std::vector<std::string>{"avx2", "avx512"}));
  app.add_option("--epochs", options.epochs,
                 "passes over the data [5; with --steps, as many as needed]")
      ->check(CLI::Range(0, 1 << 30));
  app.add_option("--batch-size", options.batch_size, "examples of a step, of all replicas together")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "end after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  app.add_option("--dtype-policy", options.dtype_policy,
                 "the dtype in which layers compute; mixed: with weights in float32")
      ->check(CLI::IsMember(
          {"float32", "float64", "bfloat16", "float16", "mixed_bfloat16", "mixed_float16"}))
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer,
                 "the rule that changes the weights [adam; for the gpt adamw with decay 0.01]")
      ->check(CLI::IsMember(lockstep::optimizers::Names()));
  app.add_option("--learning-rate", options.learning_rate, "[the optimizer's default]")
      ->check(Positive());
  auto* clipnorm =
      app.add_option("--clipnorm", options.clipnorm, "the largest norm of each gradient")
          ->check(Positive());
  auto* clipvalue =
      app.add_option("--clipvalue", options.clipvalue, "the largest magnitude in a gradient")
          ->check(Positive())
          ->excludes(clipnorm);
  app.add_option("--global-clipnorm", options.global_clipnorm,
                 "the largest norm of all gradients together")
      ->check(Positive())
      ->excludes(clipnorm)
      ->excludes(clipvalue);
  app.add_option("--seed", options.seed, "what everything random follows from")
      ->check(WholeNumber())
      ->capture_default_str();
  app.add_option("--validation-split", options.validation_split,
                 "the last part of the data, kept from training")
      ->check(FromZeroBelowOne());
  AddSaves(app, options);
  app.add_option("--examples", options.examples, "how many synthetic examples to draw")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_flag("--cnn-plain", options.cnn_plain,
               "the cnn without batch normalisation and dropout, as the peers run it");
  AddExecution(app, options.execution);
  AddProfile(app, options);
  AddMetrics(app, options);
  app.add_flag("--breakdown", options.breakdown, "print where the time of a step goes");
  app.add_flag("--json", options.json, "print one JSON object as the last line");
}

CLI::App* AddCert(CLI::App& app, lockstep::cli::CertOptions& options) {
  CLI::App* cert = app.add_subcommand(
      "cert", "make the keys by which the tasks of a job on several machines know each other");
  cert->add_option("--out", options.out, "a directory for the keys; none is ever replaced")
      ->required();
  cert->add_option("--hosts", options.hosts,
                   "names and addresses of the machines, for other programs that check them")
      ->delimiter(',');
  cert->add_option("--days", options.days, "how long the keys are valid")
      ->check(CLI::Range(1, 36500))
      ->capture_default_str();
  return cert;
}

const CLI::App& CommandOf(const CLI::App& app, const std::string& name) {
  std::string names;
  std::vector<std::string> all;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == name) return *one;
    if (one->get_group().empty()) continue;
    names += (names.empty() ? "" : ",") + one->get_name();
    all.push_back(one->get_name());
  }
  throw CLI::ValidationError(
      "command", name + " not in {" + names + "}" + lockstep::cli::DidYouMean(name, all));
}

bool HasCommands(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Names a command that there is not, before the parser misses one.
void RequireCommands(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc && argv[i][0] != '-' && HasCommands(*command); ++i)
    command = &CommandOf(*command, argv[i]);
}

// Of "checkpoint", "ls".
std::string HelpOf(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  std::string before;
  for (const std::string& name : names) {
    before += (before.empty() ? "" : " ") + command->get_name();
    command = &CommandOf(*command, name);
  }
  return command->help(before);
}

// Of all devices of a process together.
constexpr int64_t kMostLanes = 4096;

// What no flag can check alone.
void RequireFitting(const CLI::App& train, const TrainOptions& options) {
  if (options.mode != "synchronous" && options.strategy != "parameter_server")
    throw CLI::ValidationError("--mode", options.mode + " needs --strategy parameter_server");
  if (train.count("--staleness") > 0 && options.mode != "bounded")
    throw CLI::ValidationError("--staleness", "it needs --mode bounded");
  if (options.min_workers > 0 && options.max_workers > 0 &&
      options.min_workers > options.max_workers)
    throw CLI::ValidationError("--min-workers", "Value " + std::to_string(options.min_workers) +
                                                    " not in range 1 to --max-workers " +
                                                    std::to_string(options.max_workers));
  if (int64_t{options.threads} * std::max(1, options.devices) > kMostLanes)
    throw CLI::ValidationError("--threads", std::to_string(std::max(1, options.devices)) +
                                                " devices of " + std::to_string(options.threads) +
                                                " threads are more than " +
                                                std::to_string(kMostLanes) + " threads");
  if (options.scale_by_staleness && options.mode == "synchronous")
    throw CLI::ValidationError("--scale-by-staleness", "it needs --mode bounded or asynchronous");
  if (options.strategy != "default" && options.strategy != "one_device") return;
  for (const auto& [flag, value] :
       {std::pair{"--devices", options.devices}, std::pair{"--replicas", options.replicas}}) {
    if (value > 1) {
      throw CLI::ValidationError(flag, "Value " + std::to_string(value) +
                                           " not in {1} with --strategy " + options.strategy +
                                           "; allowed with the other strategies");
    }
  }
}

}  // namespace

// CLI11 takes what follows a flag that it does not know for the program, and then blames the rest.
// The flag, and what was probably meant; empty if all are known.
static std::string UnknownFlag(const CLI::App& app, int argc, char** argv) {
  const auto parsed = app.get_subcommands();
  for (int i = 2; !parsed.empty() && i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    const std::string flag = word.substr(0, word.find('='));
    if (!flag.starts_with("--") || parsed.front()->get_option_no_throw(flag) != nullptr) continue;
    std::vector<std::string> flags;
    for (const CLI::Option* option : parsed.front()->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    return flag + lockstep::cli::DidYouMean(flag, flags);
  }
  return "";
}

// A result that nobody could read is a failure.
static int WithOutputWritten(int status) {
  std::cout.flush();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return status;
  const char* why = flushed || errno == 0 ? "an earlier fault" : std::strerror(errno);
  std::fprintf(stderr, "lockstep: the output could not be written (stdout): %s\n", why);
  return status == lockstep::cli::kDone ? lockstep::cli::kFailed : status;
}

int main(int argc, char** argv) {
  // A file that grows over its limit (ulimit -f) then fails to be written, with its name. Not
  // SIG_IGN, which programs that are started would inherit.
  std::signal(SIGXFSZ, [](int) {});
  CLI::App app("Lockstep: the same bits on any number of devices", "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  TrainOptions options;
  CLI::App* train =
      app.add_subcommand("train", "train a model and print the digest of its weights");
  AddTrain(*train, options);
  lockstep::cli::CertOptions cert_options;
  const CLI::App* cert = AddCert(app, cert_options);
  lockstep::cli::LaunchArguments launched;
  const CLI::App* launch = lockstep::cli::AddLaunch(app, launched);
  lockstep::cli::DoctorOptions doctor_options;
  CLI::App* doctor = app.add_subcommand(
      "doctor", "say what describes the cluster, what is wrong with it, and what to paste instead");
  doctor->add_flag("--json", doctor_options.json, "print one JSON object");
  doctor
      ->add_option("--wait", doctor_options.wait_seconds,
                   "seconds for all tasks to come and measure their ways; 0: do not meet")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  lockstep::cli::VerifyArguments verified;
  const CLI::App* verify = lockstep::cli::AddVerify(app, verified);
  lockstep::cli::CheckpointArguments looked_into;
  const CLI::App* checkpoint = lockstep::cli::AddCheckpoint(app, looked_into);
  lockstep::cli::RaceArguments raced;
  const CLI::App* race = lockstep::cli::AddRace(app, raced);
  lockstep::cli::ServeOptions serve_options;
  CLI::App* serve = app.add_subcommand(
      "serve", "keep variables and run parts of graphs for sessions, as a task of the cluster");
  serve->add_option("--job", serve_options.job, "[as what describes the cluster says]");
  serve->add_option("--task", serve_options.task, "[the same]")->check(CLI::Range(0, 1 << 20));
  serve->add_flag("--trusted-network", serve_options.trusted_network,
                  "plain connections beyond this machine");
  lockstep::cli::FlightArguments flown;
  CLI::App* flight = app.add_subcommand(
      "flight", "print what flight recorders have written, and where their tasks part");
  flight->add_option("files", flown.files, "FILE.RANK of each task of the job")
      ->required()
      ->check(CLI::ExistingFile);
  flight->add_option("--records", flown.records, "how many of each task")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  lockstep::cli::TopArguments watched;
  const CLI::App* top = lockstep::cli::AddTop(app, watched);
  lockstep::cli::EventsArguments told;
  const CLI::App* events = lockstep::cli::AddEvents(app, told);
  std::string kept_host;
  CLI::App* keep = app.add_subcommand("keep", "what `launch` runs beside each task")->group("");
  keep->add_option("--host", kept_host)->required();
  CLI::App* help = app.add_subcommand("help", "print this, or what a command takes");
  std::vector<std::string> asked;
  help->add_option("command", asked, "train, launch, checkpoint ls, ...");
  try {
    RequireCommands(app, argc, argv);
    app.parse(argc, argv);
    RequireFitting(*train, options);
    if (help->parsed()) {
      // The command's own help() is that of the subcommand that was parsed: of `help`.
      const std::string overview =
          app.get_formatter()->make_help(&app, "lockstep", CLI::AppFormatMode::Normal);
      std::printf("%s", asked.empty() ? overview.c_str() : HelpOf(app, asked).c_str());
      return WithOutputWritten(lockstep::cli::kDone);
    }
  } catch (const CLI::ExtrasError& error) {
    const std::string flag = UnknownFlag(app, argc, argv);
    if (flag.empty()) return app.exit(error), lockstep::cli::kBadUsage;
    std::fprintf(stderr, "there is no flag %s\nRun with --help for more information.\n",
                 flag.c_str());
    return lockstep::cli::kBadUsage;
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return WithOutputWritten(status == 0 ? lockstep::cli::kDone : lockstep::cli::kBadUsage);
  }
  const auto carry_out = [&]() -> int {
    if (cert->parsed()) return lockstep::cli::Cert(cert_options);
    if (keep->parsed()) return lockstep::cluster::RunKeeper(kept_host);
    if (doctor->parsed()) return lockstep::cli::Doctor(doctor_options);
    if (serve->parsed()) return lockstep::cli::Serve(serve_options);
    if (top->parsed()) return lockstep::cli::Top(watched);
    if (events->parsed()) return lockstep::cli::Events(told);
    if (flight->parsed()) return lockstep::cli::Flight(flown);
    if (verify->parsed()) return lockstep::cli::Verify(verified);
    if (checkpoint->parsed()) return lockstep::cli::Checkpoint(looked_into);
    if (race->parsed()) return lockstep::cli::Race(raced);
    if (launch->parsed()) return lockstep::cli::Launch(launched);
    return lockstep::cli::Train(options);
  };
  try {
    return WithOutputWritten(carry_out());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "lockstep: ResourceExhausted: there must be memory for what was asked; got none; "
                 "ask for less (--examples, --batch-size, --replicas), or let this process have "
                 "more (ulimit -v, a control group's memory.max)\n");
    return lockstep::cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return lockstep::cli::kFailed;
  }
}
