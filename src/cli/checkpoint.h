#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep checkpoint` was asked for.
struct CheckpointArguments {
  std::string command;  // "ls", "show", "diff", "convert", "verify"
  std::string path, other;
  std::vector<std::string> names;
  bool all_names = false;
  bool json = false;
};

/// `lockstep checkpoint`: looks into files of tensors of every format that is known, compares and
/// converts them. The status: 0; 1 where something failed, or `diff` found a difference.
CLI::App* AddCheckpoint(CLI::App& app, CheckpointArguments& arguments);
int Checkpoint(const CheckpointArguments& arguments);

}  // namespace lockstep::cli
