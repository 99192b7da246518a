#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/options.h"
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

void AddTrain(CLI::App& app, TrainOptions& options) {
  app.add_option("--model", options.model, "mlp, cnn or gpt")
      ->check(CLI::IsMember(std::vector<std::string>{"mlp", "cnn", "gpt"}))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "synthetic, a directory of MNIST's IDX files, or a text for the gpt")
      ->capture_default_str();
  app.add_option("--strategy", options.strategy, "default, one_device or mirrored")
      ->check(CLI::IsMember(std::vector<std::string>{"default", "one_device", "mirrored"}))
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
      ->check(CLI::PositiveNumber);
  auto* clipnorm =
      app.add_option("--clipnorm", options.clipnorm, "the largest norm of each gradient")
          ->check(CLI::PositiveNumber);
  auto* clipvalue =
      app.add_option("--clipvalue", options.clipvalue, "the largest magnitude in a gradient")
          ->check(CLI::PositiveNumber)
          ->excludes(clipnorm);
  app.add_option("--global-clipnorm", options.global_clipnorm,
                 "the largest norm of all gradients together")
      ->check(CLI::PositiveNumber)
      ->excludes(clipnorm)
      ->excludes(clipvalue);
  app.add_option("--seed", options.seed, "what everything random follows from")
      ->capture_default_str();
  app.add_option("--validation-split", options.validation_split,
                 "the last part of the data, kept from training")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--examples", options.examples, "how many synthetic examples to draw")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_flag("--cnn-plain", options.cnn_plain,
               "the cnn without batch normalisation and dropout, as the peers run it");
  AddExecution(app, options.execution);
  app.add_flag("--breakdown", options.breakdown, "print where the time of a step goes");
  app.add_flag("--json", options.json, "print one JSON object as the last line");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Lockstep: the same bits on any number of devices", "lockstep");
  app.require_subcommand(1);
  TrainOptions train;
  AddTrain(*app.add_subcommand("train", "train a model and print the digest of its weights"),
           train);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? lockstep::cli::kDone : lockstep::cli::kBadUsage;
  }
  try {
    return lockstep::cli::Train(train);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return lockstep::cli::kFailed;
  }
}
