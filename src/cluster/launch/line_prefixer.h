#pragma once

#include <string>
#include <string_view>

namespace lockstep::cluster {

/// Cuts a task's output into lines, each with the task's name before it: "worker 2 | step 7". A bar
/// that redraws its line is shown as it last was; a line without end is cut after 64 KiB.
class LinePrefixer {
 public:
  explicit LinePrefixer(std::string prefix) : prefix_(std::move(prefix)) {}

  /// The lines that `bytes` complete, with prefixes and newlines.
  std::string Feed(std::string_view bytes);
  /// What is left of a line that was not ended.
  std::string Finish();
  /// The last line that was not empty, without prefix.
  const std::string& last_line() const { return last_line_; }
  void ForgetLastLine() { last_line_.clear(); }

 private:
  std::string Emit();
  std::string prefix_, line_, last_line_;
  bool returned_ = false;  // a carriage return has come, and nothing since
};

}  // namespace lockstep::cluster
