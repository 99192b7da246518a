#pragma once

#include <cstdint>
#include <string>

#include "lockstep/runtime/execution_options.h"

namespace lockstep::cli {

/// What `lockstep train` was asked for.
struct TrainOptions {
  std::string model = "mlp";
  std::string data = "synthetic";
  std::string strategy = "mirrored";
  std::string mode = "synchronous";  // of parameter_server
  int staleness = 0;                 // with mode bounded
  bool scale_by_staleness = false;
  int devices = 0;
  int replicas = 1;
  int threads = 0;  // a device; 0: 1 if `devices` is given, else the cores divided by the devices
  int shards = 0;
  std::string isa;
  int epochs = -1;  // 5, or with `steps` as many as these take
  int64_t batch_size = 32;
  int64_t steps = 0;
  std::string optimizer;     // empty: the model's default
  double learning_rate = 0;  // 0: the optimizer's default
  double clipnorm = 0;       // 0: off, as the two below
  double clipvalue = 0;
  double global_clipnorm = 0;
  int64_t seed = 0;
  std::string dtype_policy = "float32";
  double validation_split = 0;
  int64_t examples = 0;  // of synthetic data; 0: as many as MNIST-10k has
  std::string checkpoint;
  int64_t checkpoint_every = 0;  // steps; 0: at the end of each epoch
  std::string resume;
  int64_t digest_every = 0;
  int64_t digest_check = 0;
  int min_workers = 0;  // 0: as the environment says
  int max_workers = 0;
  bool speculate = false;
  ExecutionOptions execution;
  std::string log_directory;  // of event files; empty: none
  int metrics_port = -1;      // 0: a free one; -1: no metrics
  std::string metrics_address = "127.0.0.1";
  bool breakdown = false;
  int64_t profile_first = 0;  // 0: no profile
  int64_t profile_last = 0;
  std::string profile_directory = "profile";
  int verbose = 1;
  bool json = false;
  bool cnn_plain = false;  // without batch normalisation and dropout
};

/// The exit statuses of every command.
enum ExitStatus { kDone = 0, kFailed = 1, kBadUsage = 2 };

/// `lockstep train`. Returns the exit status.
int Train(const TrainOptions& options);

}  // namespace lockstep::cli
