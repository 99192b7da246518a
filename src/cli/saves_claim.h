#pragma once

#include <string>

#include "base/process.h"

namespace lockstep::cli {

/// Holds a directory of saves for one training, until it is destroyed or the process ends, however
/// it does. Two that wrote there would each remove what the other is writing.
class SavesClaim {
 public:
  /// Makes the directory where it is absent. Throws FailedPrecondition where another process holds
  /// it. What cannot be made or locked is left to the first save, which says why.
  explicit SavesClaim(const std::string& directory);

 private:
  base::OwnedFile file_;
};

}  // namespace lockstep::cli
