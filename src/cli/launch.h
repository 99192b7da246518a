#pragma once

#include <string>
#include <vector>

#include "cluster/launch/launcher.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep launch` was asked for.
struct LaunchArguments {
  cluster::LaunchOptions options;
  std::string hosts;
  double grace_seconds = 10;
  std::vector<std::string> environment;  // NAME=VALUE, or NAME to hand on
  bool json = false;
};

/// `lockstep launch`: its flags, and what it does. `Launch` returns the exit status.
CLI::App* AddLaunch(CLI::App& app, LaunchArguments& arguments);
int Launch(LaunchArguments arguments);

/// Runs a job to its end. Throws what `Launcher::Begin` reports.
cluster::LaunchReport RunJob(cluster::LaunchOptions options, cluster::Launcher::Write write);

/// A program and its arguments, in which the program `lockstep` is this one itself.
std::vector<std::string> ProgramOf(std::vector<std::string> words);

}  // namespace lockstep::cli
