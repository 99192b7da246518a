#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep::base {

void CheckFailed(const char* file, int line, const std::string& text) {
  std::fprintf(stderr, "lockstep: check failed: %s (%s:%d)\n", text.c_str(), file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace lockstep::base
