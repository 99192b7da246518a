#pragma once

#include <string>

#include "cluster/fields.h"
#include "lockstep/base/status.h"

namespace lockstep::cluster {

/// What must be equal on all tasks of a job, as one bit that differs would spoil all of it.
struct Hello {
  std::string version;  // of Lockstep
  std::string build;    // base::BuildFingerprint
  /// "avx2" or "avx512" where the job demands one; empty: any, the bits are the same.
  std::string isa;
  std::string program;  // of what is trained: a hash of its functions and options
  int32_t replicas = 0;
  int32_t tasks = 0;  // that the description has

  bool operator==(const Hello&) const = default;
};

/// What is known without a program: version and build.
Hello LocalHello();

/// FailedPrecondition naming every difference, with both values and the cure.
Status CompareHellos(const Hello& job, const Hello& task, const std::string& name_of_task);

void Write(const Hello& hello, FieldWriter* writer);
Hello ReadHello(FieldReader* reader);

}  // namespace lockstep::cluster
