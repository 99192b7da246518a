#include "cluster/launch/launch_board.h"

#include <algorithm>

namespace lockstep::cluster {

namespace {

using namespace std::chrono_literals;

constexpr base::Duration kFirst = 2s, kLongest = 60s;

std::string WholeSeconds(base::Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + " s";
}

}  // namespace

LaunchBoard::LaunchBoard(std::vector<TaskName> tasks, std::vector<std::string> addresses)
    : wait_(kFirst) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    entries_.push_back({.name = std::move(tasks[i]), .address = std::move(addresses[i])});
  }
}

void LaunchBoard::Add(TaskName name) {
  entries_.push_back({.name = std::move(name)});
  entries_.back().state = State::kGone;
}

void LaunchBoard::SetAddress(int task, std::string address) {
  entries_[static_cast<size_t>(task)].address = std::move(address);
}

void LaunchBoard::Started(int task, base::Time now) {
  Entry& entry = entries_[static_cast<size_t>(task)];
  entry.state = State::kMissing;
  entry.why = "connection refused";
  entry.since = now;
  if (!begun_) {
    begun_ = now;
    due_ = now + wait_;
  }
}

void LaunchBoard::Here(int task) { entries_[static_cast<size_t>(task)].state = State::kHere; }

void LaunchBoard::Gone(int task, std::string why) {
  Entry& entry = entries_[static_cast<size_t>(task)];
  entry.state = State::kGone;
  entry.why = std::move(why);
}

std::optional<std::string> LaunchBoard::Line(base::Time now) {
  const auto count = [&](State state) {
    return std::count_if(entries_.begin(), entries_.end(),
                         [&](const Entry& entry) { return entry.state == state; });
  };
  const auto here = count(State::kHere), missing = count(State::kMissing);
  if (!begun_ || here == 0) return {};
  std::string line = std::to_string(here) + " of " + std::to_string(entries_.size()) + " here";
  if (missing == 0) {
    if (!missed_) return {};
    missed_ = false;
    wait_ = kFirst;
    due_ = now + wait_;
    return line + " after " + WholeSeconds(now - *begun_);
  }
  if (now < due_) return {};
  missed_ = true;
  wait_ = std::min(2 * wait_, kLongest);
  due_ = now + wait_;
  const char* divider = "; missing ";
  for (const Entry& entry : entries_) {
    if (entry.state != State::kMissing) continue;
    line += divider + entry.name.ToString() + " at " + entry.address + ", " + entry.why + ", for " +
            WholeSeconds(now - entry.since);
    divider = "; ";
  }
  return line;
}

}  // namespace lockstep::cluster
