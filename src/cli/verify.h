#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep verify` was asked for.
struct VerifyArguments {
  std::vector<int> devices = {1, 2};
  std::vector<int> workers;  // empty: no cluster is set up
  std::vector<int> servers;  // ps, beside each number of workers; empty: none
  std::vector<std::string> program;
  bool json = false;
};

/// `lockstep verify`: runs a program in several ways and compares what it reports, step by step.
/// Its last line must be a JSON object with `weights_digest`, and may have `digests`, a list of
/// [step, digest]. Returns 0 if all agree, 1 if not, naming the first difference.
CLI::App* AddVerify(CLI::App& app, VerifyArguments& arguments);
int Verify(VerifyArguments arguments);

}  // namespace lockstep::cli
