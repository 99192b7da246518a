#include "cluster/launch/line_prefixer.h"

namespace lockstep::cluster {

namespace {
constexpr size_t kLongestLine = 64 * 1024;
}  // namespace

std::string LinePrefixer::Feed(std::string_view bytes) {
  std::string lines;
  for (const char c : bytes) {
    if (c == '\n') {
      lines += Emit();
      continue;
    }
    if (c == '\r') {
      returned_ = true;
      continue;
    }
    // Backspaces and carriage returns draw a line anew.
    if (returned_) line_.clear();
    returned_ = false;
    if (c == '\b') {
      if (!line_.empty()) line_.pop_back();
      continue;
    }
    line_ += c;
    if (line_.size() >= kLongestLine) lines += Emit();
  }
  return lines;
}

std::string LinePrefixer::Emit() {
  std::string line = prefix_ + line_ + "\n";
  if (!line_.empty()) last_line_ = std::move(line_);
  line_.clear();
  returned_ = false;
  return line;
}

std::string LinePrefixer::Finish() { return line_.empty() ? std::string() : Emit(); }

}  // namespace lockstep::cluster
