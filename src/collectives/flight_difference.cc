#include <algorithm>
#include <map>

#include "base/printf.h"
#include "collectives/flight_log.h"

namespace lockstep::collectives {
namespace {

using Logs = std::vector<std::optional<FlightLog>>;

std::string Seconds(base::Duration time) {
  return base::Printf("%.1f s", std::chrono::duration<double>(time).count());
}

// "worker 2", "workers 0, 1 and 3"
std::string Workers(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "worker " : "workers ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

// A rank's calls of one epoch.
struct Calls {
  std::map<OpId, const FlightRecord*> by_op;
  const FlightRecord* phase = nullptr;  // the newest
  bool is_cut = false;                  // older ones may be missing
};

Calls CallsOf(const FlightLog& log, uint64_t epoch) {
  Calls calls;
  calls.is_cut = !log.records.empty() && log.records.front().number > 1;
  for (const FlightRecord& record : log.records) {
    if (record.what == FlightRecord::What::kPhase) calls.phase = &record;
    if (record.what == FlightRecord::What::kCall && record.epoch == epoch)
      calls.by_op[record.op] = &record;
    // With an older epoch's record there, none of this epoch is missing.
    if (record.epoch < epoch) calls.is_cut = false;
  }
  return calls;
}

std::string Doing(const Calls& calls, OpId but) {
  for (const auto& [op, record] : calls.by_op)
    if (op != but && record->state == FlightRecord::State::kRunning)
      return "it waits in " + NameOf(*record) + ", at " + record->file + ":" +
             std::to_string(record->line) + ", since " + Seconds(record->age);
  if (calls.phase == nullptr) return "nothing is known of what it does";
  return std::string("it is ") + PhasePlace(calls.phase->phase) + " since " +
         Seconds(calls.phase->age);
}

// What the ranks know of one collective.
struct Place {
  std::vector<int> waiting, done, absent, silent;
  std::vector<std::pair<int, const FlightRecord*>> calls;
};

Place PlaceOf(const std::vector<std::optional<Calls>>& ranks, OpId op) {
  Place place;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    if (!ranks[rank]) {
      place.silent.push_back(rank);
      continue;
    }
    const auto& by_op = ranks[rank]->by_op;
    const auto found = by_op.find(op);
    if (found != by_op.end()) {
      place.calls.emplace_back(rank, found->second);
      const bool is_done = found->second->state == FlightRecord::State::kDone;
      (is_done ? place.done : place.waiting).push_back(rank);
    } else if (by_op.empty() || by_op.begin()->first > op) {
      // Before all that the ring still has: it was there, unless the ring has everything.
      (ranks[rank]->is_cut ? place.done : place.absent).push_back(rank);
    } else {
      place.absent.push_back(rank);
    }
  }
  return place;
}

std::string PlaceText(const FlightRecord& record) {
  return record.file.empty() ? "" : ", at " + record.file + ":" + std::to_string(record.line);
}

std::string OtherCall(const Place& place) {
  const auto& [first, one] = place.calls.front();
  for (const auto& [rank, other] : place.calls) {
    const bool alike = other->kind == one->kind && other->label == one->label &&
                       other->dtype == one->dtype &&
                       (other->dtype == DType::kInvalid || other->count == one->count);
    if (alike) continue;
    return "worker " + std::to_string(rank) + " called " + NameOf(*other) + PlaceText(*other) +
           ", where worker " + std::to_string(first) + " called " + NameOf(*one) + PlaceText(*one);
  }
  return "";
}

base::Duration LongestWait(const Place& place) {
  base::Duration longest{};
  for (const auto& [rank, record] : place.calls)
    if (record->state != FlightRecord::State::kDone) longest = std::max(longest, record->age);
  return longest;
}

}  // namespace

std::string FirstDifference(const Logs& logs, uint64_t epoch) {
  std::vector<std::optional<Calls>> ranks;
  std::map<OpId, const FlightRecord*> undone;
  for (const auto& log : logs) {
    ranks.push_back(log ? std::optional(CallsOf(*log, epoch)) : std::nullopt);
    if (!log) continue;
    for (const auto& [op, record] : ranks.back()->by_op)
      if (record->state != FlightRecord::State::kDone) undone.emplace(op, record);
  }
  if (undone.empty()) return "";
  const auto& [op, record] = *undone.begin();
  const Place place = PlaceOf(ranks, op);
  if (std::string other = OtherCall(place); !other.empty()) return other;
  const std::string waits =
      NameOf(*record) + PlaceText(*record) + ", in which " + Workers(place.waiting) +
      (place.waiting.size() == 1 ? " waits since " : " wait since ") + Seconds(LongestWait(place));
  std::string text;
  for (const int rank : place.absent) {
    text += (text.empty() ? "" : "; ") + std::string("worker ") + std::to_string(rank) +
            " never reached " + (text.empty() ? waits : "it") + "; " + Doing(*ranks[rank], op);
  }
  if (!place.silent.empty()) {
    text += (text.empty() ? "" : "; ") + Workers(place.silent) +
            " gave no answer: ended, stopped or out of reach" +
            (text.empty() ? ", before the end of " + waits : "");
  }
  if (!text.empty()) return text;
  return "all workers reached " + waits + "; its messages are under way or lost";
}

}  // namespace lockstep::collectives
