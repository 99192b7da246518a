#include "lockstep/nn/profiler.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/trace.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/journal.h"
#include "monitor/profile_summary.h"
#include "nn/callbacks/writable.h"

namespace lockstep::callbacks {

namespace {

void Write(const std::string& directory, const std::string& path, const std::string& text) {
  base::LocalFiles().CreateDirectories(directory).OrThrow();
  auto file = base::LocalFiles().Create(path);
  file.status().OrThrow();
  (*file)->Append(std::as_bytes(std::span(text))).OrThrow();
  (*file)->Close().OrThrow();
}

class ProfilerCallback : public Callback {
 public:
  explicit ProfilerCallback(ProfilerOptions options) : options_(std::move(options)) {}

  void OnTrainBegin() override {
    if (!options_.directory.empty()) RequireWritableByItsWriter(*model, options_.directory);
    recorder_.reset();
    done_ = false;
    if (options_.first <= 1) Begin();
  }
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const int64_t steps = model->position().steps;
    if (steps >= options_.last) return End();
    // The input of the first step belongs to it.
    if (steps + 1 >= options_.first) Begin();
  }
  int64_t ReadsEvery() const override { return 0; }
  void OnTrainEnd() override { End(); }

 private:
  distribute::Communicator* ranks() const { return model->strategy().ranks(); }

  void Begin() {
    if (recorder_ || done_) return;
    recorder_.emplace(clock_);
    recorder_->Begin();
    if (ranks() != nullptr) recorder_->SetPeers(ranks()->watch().tasks());
    recorder_->Memory();
  }

  // All workers end at the same step, also one that has come later and recorded less, or nothing.
  void End() {
    if (done_ || (!recorder_ && model->position().steps < options_.first)) return;
    done_ = true;
    const std::string task = ranks() == nullptr
                                 ? "worker 0"
                                 : ranks()->watch().tasks()[static_cast<size_t>(ranks()->rank())];
    const base::Trace own = recorder_ ? recorder_->End(task) : base::Trace{.task = task};
    recorder_.reset();
    std::vector<base::Trace> traces;
    if (ranks() == nullptr) {
      traces.push_back(own);
    } else {
      const std::string bytes = base::Encode(own);
      for (const std::string& text : ranks()->journal().Exchange([&bytes] { return bytes; }))
        traces.push_back(base::DecodeTrace(text).OrThrow());
    }
    Report(monitor::AlignClocks(std::move(traces)));
  }

  void Report(const monitor::Profile& profile) {
    const monitor::ProfileSummary summary = monitor::Summarize(profile);
    ProfileReport report{.text = monitor::Describe(summary), .json = monitor::ToJson(summary)};
    if (!options_.directory.empty()) {
      report.path = options_.directory + "/profile-" + std::to_string(options_.first) + "-" +
                    std::to_string(options_.last) + ".json";
      if (model->strategy().worker() == 0) {
        Write(options_.directory, report.path, monitor::ChromeTrace(profile));
        base::Log(base::Severity::kInfo, "profile: " + report.path + " is written");
      }
    }
    if (options_.on_report) options_.on_report(report);
  }

  const ProfilerOptions options_;
  const base::MonotonicClock clock_;
  std::optional<base::TraceRecorder> recorder_;
  bool done_ = false;
};

}  // namespace

CallbackPtr Profiler(ProfilerOptions options) {
  if (options.first < 1 || options.last < options.first) {
    throw Error(Code::kInvalidArgument,
                "[profiler] steps must be counted from one, the last not before the first; got " +
                    std::to_string(options.first) + " to " + std::to_string(options.last));
  }
  return std::make_shared<ProfilerCallback>(std::move(options));
}

}  // namespace lockstep::callbacks
