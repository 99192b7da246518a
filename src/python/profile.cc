#include "monitor/profile.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/trace.h"
#include "python/bind.h"

// Profiles of what a thread of Python does: steps and phases that it names, and the ops of plans.

namespace lockstep::python {

namespace {

class Profile {
 public:
  Profile() : recorder_(clock_) {
    recorder_.Begin();
    recorder_.Memory();
  }

  // Writes what was recorded as a Chrome trace; an empty path: nowhere.
  void End(const std::string& path) {
    RequireThread();
    recorder_.Memory();
    const base::Trace trace = recorder_.End("worker 0");
    if (path.empty()) return;
    base::LocalFiles()
        .CreateDirectories(std::filesystem::path(path).parent_path().string())
        .OrThrow();
    auto file = base::LocalFiles().Create(path);
    file.status().OrThrow();
    const std::string text = monitor::ChromeTrace(monitor::AlignClocks({trace}));
    (*file)->Append(std::as_bytes(std::span(text))).OrThrow();
    (*file)->Close().OrThrow();
  }

 private:
  void RequireThread() const {
    if (std::this_thread::get_id() == thread_) return;
    throw Error(Code::kFailedPrecondition,
                "[profiler] the thread that has started a profile must stop it; got another one; a "
                "profile records what its own thread does");
  }

  const std::thread::id thread_ = std::this_thread::get_id();
  const base::MonotonicClock clock_;
  base::TraceRecorder recorder_;
};

void EnterPhase(const std::string& name) {
  if (auto* recorder = base::TraceRecorder::Current()) recorder->Enter(name);
}

void BeginStep(uint64_t number) {
  if (auto* recorder = base::TraceRecorder::Current()) recorder->BeginStep(number);
}

void EndStep() {
  if (auto* recorder = base::TraceRecorder::Current()) recorder->EndStep();
}

}  // namespace

void BindProfile(nb::module_& m) {
  nb::class_<Profile>(m, "Profile").def(nb::init<>()).def("end", &Profile::End);
  m.def("profile_enter", &EnterPhase);
  m.def("profile_begin_step", &BeginStep);
  m.def("profile_end_step", &EndStep);
}

}  // namespace lockstep::python
