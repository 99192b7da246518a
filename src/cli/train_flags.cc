#include "cli/train_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/nn/optimizers.h"

namespace lockstep::cli {

namespace {

// How a step is carried out; for tests and measurements, as none of it changes a bit.
void AddExecution(CLI::App& app, ExecutionOptions& execution) {
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

// A variable of a script that was never set must not mean "no saves".
CLI::Validator NonemptyPath() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("Value '' is no path; leave the flag out, or name one")
                            : std::string();
      },
      "");
}

void AddSaves(CLI::App& app, TrainOptions& options) {
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "a directory for saves: at the end of each epoch, and at Ctrl-C; an "
                     "evaluator's task follows them")
          ->check(NonemptyPath());
  app.add_option("--checkpoint-every", options.checkpoint_every, "save after so many steps instead")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60))
      ->needs(checkpoint);
  app.add_option("--resume", options.resume,
                 "a directory of saves, or one save: goes on there, to the same bits")
      ->check(NonemptyPath());
}

void AddParameterServer(CLI::App& app, TrainOptions& options) {
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
      ->check(NonemptyPath())
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
                 "and each worker's figures")
      ->check(NonemptyPath());
  app.add_option("--metrics-address", options.metrics_address,
                 "the interface; whoever reaches it may read")
      ->needs(port)
      ->capture_default_str();
}

// Where and by how many the training is done.
void AddPlaces(CLI::App& app, TrainOptions& options) {
  app.add_option("--strategy", options.strategy,
                 "default, one_device, mirrored, central_storage, multi_worker or parameter_server")
      ->check(CLI::IsMember(std::vector<std::string>{"default", "one_device", "mirrored",
                                                     "central_storage", "multi_worker",
                                                     "parameter_server"}))
      ->capture_default_str();
  AddParameterServer(app, options);
  app.add_option("--devices", options.devices,
                 "devices of this process; changes nothing but the time [cores]")
      ->check(CLI::Range(1, 1024));
  app.add_option("--replicas", options.replicas, "replicas of the program")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "threads a device; changes nothing but the time [cores for one device, 1 where "
                 "--devices is given]")
      ->check(CLI::Range(1, 1024));
  app.add_option("--shards", options.shards,
                 "shards a replica's batch is cut into [follows from the batch]")
      ->check(CLI::Range(1, 4096));
  app.add_option("--isa", options.isa, "avx2 or avx512; the bits are the same [the best there is]")
      ->check(CLI::IsMember(std::vector<std::string>{"avx2", "avx512"}));
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
}

void AddOptimizer(CLI::App& app, TrainOptions& options) {
  app.add_option("--optimizer", options.optimizer,
                 "the rule that changes the weights [adam; for the gpt adamw with decay 0.01]")
      ->check(CLI::IsMember(optimizers::Names()));
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
}

// What is told of the training, and how.
void AddReports(CLI::App& app, TrainOptions& options) {
  app.add_option("--digest-every", options.digest_every,
                 "with --json: the digest of the weights after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  app.add_option("--digest-check", options.digest_check,
                 "the workers compare their weights after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  app.add_option("--verbose", options.verbose, "0: silent, 1: a bar, 2: a line an epoch")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
  app.add_flag("--breakdown", options.breakdown, "print where the time of a step goes");
  app.add_flag("--json", options.json, "print one JSON object as the last line");
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

CLI::App* AddTrain(CLI::App& app, TrainOptions& options) {
  CLI::App* train =
      app.add_subcommand("train", "train a model and print the digest of its weights");
  train->add_option("--model", options.model, "mlp, cnn or gpt")
      ->check(CLI::IsMember(std::vector<std::string>{"mlp", "cnn", "gpt"}))
      ->capture_default_str();
  train
      ->add_option("--data", options.data,
                   "synthetic, a directory of MNIST's IDX files, or a text for the gpt")
      ->check(NonemptyPath())
      ->capture_default_str();
  AddPlaces(*train, options);
  train
      ->add_option("--epochs", options.epochs,
                   "passes over the data [5; with --steps, as many as needed]")
      ->check(CLI::Range(0, 1 << 30));
  train
      ->add_option("--batch-size", options.batch_size,
                   "examples of a step, of all replicas together")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->capture_default_str();
  train->add_option("--steps", options.steps, "end after so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60));
  train
      ->add_option("--dtype-policy", options.dtype_policy,
                   "the dtype in which layers compute; mixed: with weights in float32")
      ->check(CLI::IsMember(
          {"float32", "float64", "bfloat16", "float16", "mixed_bfloat16", "mixed_float16"}))
      ->capture_default_str();
  AddOptimizer(*train, options);
  train->add_option("--seed", options.seed, "what everything random follows from")
      ->check(WholeNumber())
      ->capture_default_str();
  train
      ->add_option("--validation-split", options.validation_split,
                   "the last part of the data, kept from training")
      ->check(FromZeroBelowOne());
  AddSaves(*train, options);
  train->add_option("--examples", options.examples, "how many synthetic examples to draw")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  train->add_flag("--cnn-plain", options.cnn_plain,
                  "the cnn without batch normalisation and dropout, as the peers run it");
  AddExecution(*train, options.execution);
  AddProfile(*train, options);
  AddMetrics(*train, options);
  AddReports(*train, options);
  train->callback([train, &options] { RequireFitting(*train, options); });
  return train;
}

}  // namespace lockstep::cli
