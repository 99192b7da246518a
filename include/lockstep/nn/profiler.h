#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lockstep/nn/model.h"

namespace lockstep::callbacks {

/// What a profile has found; the same on all workers.
struct ProfileReport {
  std::string path;  // of the trace; empty: nobody wanted it written
  std::string text;  // where the time of steps went, and who waited for whom, as tables
  std::string json;  // the same as an object
};

struct ProfilerOptions {
  /// The steps that are recorded, both ends included, counted from one over all epochs.
  int64_t first = 10;
  int64_t last = 20;
  /// Where the first worker writes `profile-FIRST-LAST.json`, which chrome://tracing and Perfetto
  /// open; empty: nowhere.
  std::string directory = "profile";
  /// Called on every worker, after the last step or at the end of training.
  std::function<void(const ProfileReport&)> on_report = {};
};
/// Records some steps of `Fit` on all workers and puts them on one time line: ops by lane, phases,
/// waits with who was waited for, collectives, messages, memory. To be last in the list, so that
/// the time of the others is in it. Not yet recorded: threads of input pipelines, ops outside of
/// plans. InvalidArgument unless 1 <= first <= last. Source: TensorBoard's profile_batch.
CallbackPtr Profiler(ProfilerOptions options = {});

}  // namespace lockstep::callbacks
