#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep serve` was asked for.
struct ServeOptions {
  std::string job;  // "": what describes the cluster says
  int task = -1;
  bool trusted_network = false;
  bool insecure = false;
};

/// `lockstep serve`: its flags, and what it does.
CLI::App* AddServe(CLI::App& app, ServeOptions& options);
/// Serves as a task of the cluster that the environment describes, or alone where nobody describes
/// one, until the process is ended. Throws Error.
int Serve(const ServeOptions& options);

}  // namespace lockstep::cli
