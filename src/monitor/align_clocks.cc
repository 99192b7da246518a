#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "monitor/profile.h"

namespace lockstep::monitor {

namespace {

using base::Trace;
using base::TraceEvent;
using Kind = TraceEvent::Kind;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The quickest message from one host to another, by the clocks of both.
using Quickest = std::map<std::pair<std::string, std::string>, int64_t>;

Quickest QuickestMessages(const std::vector<Trace>& traces) {
  // By sender, receiver and what the message was, the first of each.
  std::map<std::tuple<std::string, std::string, uint64_t>, std::pair<int64_t, std::string>> sent;
  for (const Trace& trace : traces) {
    for (const TraceEvent& event : trace.events)
      if (event.kind == Kind::kSend)
        sent.try_emplace({trace.task, trace.NameOf(event.peer), event.id}, event.begin, trace.host);
  }
  Quickest quickest;
  for (const Trace& trace : traces) {
    for (const TraceEvent& event : trace.events) {
      if (event.kind != Kind::kReceive) continue;
      const auto found = sent.find({trace.NameOf(event.peer), trace.task, event.id});
      if (found == sent.end()) continue;
      const auto& [when, host] = found->second;
      if (host == trace.host) continue;
      int64_t& least = quickest.try_emplace({host, trace.host}, kNever).first->second;
      least = std::min(least, event.begin - when);
    }
  }
  return quickest;
}

}  // namespace

Profile AlignClocks(std::vector<Trace> traces) {
  Profile profile;
  if (traces.empty()) return profile;
  const Quickest quickest = QuickestMessages(traces);
  std::map<std::string, ClockOffset> offsets;
  offsets[traces[0].host] = {.host = traces[0].host};
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [hosts, there] : quickest) {
      const auto& [from, to] = hosts;
      const auto back = quickest.find({to, from});
      if (back == quickest.end() || !offsets.contains(from) || offsets.contains(to)) continue;
      // there = way + ahead, back = way - ahead.
      offsets[to] = {.host = to,
                     .ahead = offsets[from].ahead + (there - back->second) / 2,
                     .uncertainty = offsets[from].uncertainty +
                                    std::max<int64_t>(0, there + back->second) / 2};
      grows = true;
    }
  }
  for (Trace& trace : traces) {
    const auto [place, is_unknown] = offsets.try_emplace(trace.host);
    if (is_unknown) place->second = {.host = trace.host, .known = false};
    for (TraceEvent& event : trace.events) event.begin -= place->second.ahead;
  }
  for (auto& [host, offset] : offsets) profile.clocks.push_back(offset);
  profile.tasks = std::move(traces);
  return profile;
}

}  // namespace lockstep::monitor
