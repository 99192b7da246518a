#pragma once

#include "base/hooked_files.h"
#include "distribute/workers/communicator.h"
#include "lockstep/base/status.h"

namespace lockstep::distribute {

/// The files, for who is the writer in the present epoch: one that was stopped in the middle of a
/// save must not go on with it when another one has taken its place.
class SoleWriter {
 public:
  SoleWriter(Roster* roster, Writer writer)
      : files_(
            base::LocalFiles(),
            [roster](bool changes) {
              return !changes || roster == nullptr || roster->Holds() ? Status::Ok() : Refusal();
            },
            [roster, writer] { return Elsewhere(roster, writer); }),
        scope_(files_) {}

 private:
  static Status Refusal() {
    return Status(Code::kAborted,
                  "[save] only the one worker that writes for the present epoch may; got one that "
                  "cannot be certain to be it; who takes its place writes");
  }
  // For a thread that goes on writing when the worker has gone on with its steps.
  static base::HookedFiles::Before Elsewhere(Roster* roster, Writer writer) {
    const auto writes = roster == nullptr ? [] { return true; } : roster->Writes(writer);
    return [writes](bool changes) { return !changes || writes() ? Status::Ok() : Refusal(); };
  }

  base::HookedFiles files_;
  const base::FilesScope scope_;
};

}  // namespace lockstep::distribute
