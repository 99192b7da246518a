#include "cli/idle_flags.h"

namespace lockstep::cli {

std::vector<std::string> IdleFlags(const TrainOptions& options) {
  std::vector<std::string> lines;
  const auto note = [&](bool idle, const std::string& flag, const std::string& beside,
                        const std::string& cure) {
    if (idle) lines.push_back(flag + " changes nothing with " + beside + "; " + cure);
  };
  const bool workers = options.strategy == "multi_worker" || options.strategy == "parameter_server";
  const std::string strategy = "--strategy " + options.strategy;
  const std::string of_workers = "--strategy multi_worker or parameter_server has workers";
  note(options.min_workers > 0 && !workers, "--min-workers", strategy, of_workers);
  note(options.max_workers > 0 && !workers, "--max-workers", strategy, of_workers);
  note(options.speculate && !workers, "--speculate", strategy, of_workers);
  note(options.digest_check > 0 && !workers, "--digest-check", strategy, of_workers);
  note(options.cnn_plain && options.model != "cnn", "--cnn-plain", "--model " + options.model,
       "it is for --model cnn");
  note(options.digest_every > 0 && !options.json, "--digest-every", "text as output",
       "--json prints the digests");
  note(options.epochs == 0 && options.steps > 0, "--steps", "--epochs 0", "leave out --epochs");
  const int64_t share = (options.batch_size + options.replicas - 1) / options.replicas;
  if (options.shards > share) {
    lines.push_back("--shards " + std::to_string(options.shards) +
                    " leaves shards without examples: a replica's part of a batch has " +
                    std::to_string(share));
  }
  return lines;
}

}  // namespace lockstep::cli
