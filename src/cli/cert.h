#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

/// What `lockstep cert` was asked for.
struct CertOptions {
  std::string out;
  std::vector<std::string> hosts;
  int days = 365;
};

/// Makes the keys of a job; returns the status of the process. Throws Error.
int Cert(const CertOptions& options);

}  // namespace lockstep::cli
