#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep cert` was asked for.
struct CertOptions {
  std::string out;
  std::vector<std::string> hosts;
  int days = 365;
};

/// `lockstep cert`: its flags, and what it does.
CLI::App* AddCert(CLI::App& app, CertOptions& options);
/// Makes the keys of a job; returns the status of the process. Throws Error.
int Cert(const CertOptions& options);

}  // namespace lockstep::cli
