#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/cert.h"
#include "cli/doctor.h"
#include "cli/launch.h"
#include "cli/options.h"
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
CLI::Validator Positive() {
  return InRange([](double value) { return value > 0 && std::isfinite(value); }, "(0 - infinity)");
}

void AddSaves(CLI::App& app, TrainOptions& options) {
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "a directory for saves: at the end of each epoch, and at Ctrl-C");
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
  app.add_option("--verbose", options.verbose, "0: silent, 1: a bar, 2: a line an epoch")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
}

void AddTrain(CLI::App& app, TrainOptions& options) {
  app.add_option("--model", options.model, "mlp, cnn or gpt")
      ->check(CLI::IsMember(std::vector<std::string>{"mlp", "cnn", "gpt"}))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "synthetic, a directory of MNIST's IDX files, or a text for the gpt")
      ->capture_default_str();
  app.add_option("--strategy", options.strategy, "default, one_device, mirrored or multi_worker")
      ->check(CLI::IsMember(
          std::vector<std::string>{"default", "one_device", "mirrored", "multi_worker"}))
      ->capture_default_str();
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
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 60));
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

// What no flag can check alone.
void RequireFitting(const TrainOptions& options) {
  if (options.strategy == "mirrored" || options.strategy == "multi_worker") return;
  for (const auto& [flag, value] :
       {std::pair{"--devices", options.devices}, std::pair{"--replicas", options.replicas}}) {
    if (value > 1) {
      throw CLI::ValidationError(flag, "Value " + std::to_string(value) +
                                           " not in {1} with --strategy " + options.strategy +
                                           "; allowed with --strategy mirrored and multi_worker");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
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
  bool doctor_json = false;
  CLI::App* doctor = app.add_subcommand(
      "doctor", "say what describes the cluster, what is wrong with it, and what to paste instead");
  doctor->add_flag("--json", doctor_json, "print one JSON object");
  lockstep::cli::VerifyArguments verified;
  const CLI::App* verify = lockstep::cli::AddVerify(app, verified);
  std::string kept_host;
  CLI::App* keep = app.add_subcommand("keep", "what `launch` runs beside each task")->group("");
  keep->add_option("--host", kept_host)->required();
  const CLI::App* help = app.add_subcommand("help", "print this; `lockstep train --help` for more");
  try {
    app.parse(argc, argv);
    RequireFitting(options);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? lockstep::cli::kDone : lockstep::cli::kBadUsage;
  }
  if (help->parsed()) {
    std::printf("%s", app.help().c_str());
    return lockstep::cli::kDone;
  }
  try {
    if (cert->parsed()) return lockstep::cli::Cert(cert_options);
    if (keep->parsed()) return lockstep::cluster::RunKeeper(kept_host);
    if (doctor->parsed()) return lockstep::cli::Doctor(doctor_json);
    if (verify->parsed()) return lockstep::cli::Verify(verified);
    if (launch->parsed()) return lockstep::cli::Launch(launched);
    return lockstep::cli::Train(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return lockstep::cli::kFailed;
  }
}
