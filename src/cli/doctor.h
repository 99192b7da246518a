#pragma once

namespace CLI {
class App;
}

namespace lockstep::cli {

struct DoctorOptions {
  bool json = false;
  /// For the job's other tasks, to measure the way to each; 0: does not meet them.
  double wait_seconds = 10;
};

/// `lockstep doctor`: its flags, and what it does.
CLI::App* AddDoctor(CLI::App& app, DoctorOptions& options);
/// Says what was found where, what contradicts, whether this machine fits, and how fast the job's
/// tasks reach each other. Returns 0 if all is fine, 1 if there are problems.
int Doctor(const DoctorOptions& options);

}  // namespace lockstep::cli
