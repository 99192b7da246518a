#include "cli/schedule_outcomes.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

namespace lockstep::cli {

namespace {

// The runs, accesses and pairs that are looked at: more would say nothing new.
constexpr size_t kMostRuns = 60;
constexpr size_t kMostAccesses = 300;
constexpr size_t kMostPairs = 4000;

using Numbers = std::map<TracedAccess, int>;

// Where each access is in a run, by its number; -1: nowhere.
struct Order {
  int64_t seed;
  std::vector<int> at;
};

std::vector<Order> OrdersOf(const std::vector<ScheduledRun>& runs, const std::vector<size_t>& which,
                            Numbers* numbers) {
  std::vector<Order> orders;
  for (size_t i = 0; i < std::min(which.size(), kMostRuns); ++i) {
    const ScheduledRun& run = runs[which[i]];
    Order order{run.seed, {}};
    for (size_t k = 0; k < std::min(run.accesses.size(), kMostAccesses); ++k) {
      const int number = numbers->try_emplace(run.accesses[k], numbers->size()).first->second;
      if (number >= static_cast<int>(order.at.size())) order.at.resize(number + 1, -1);
      order.at[number] = static_cast<int>(k);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

using Pair = std::pair<int, int>;

std::vector<Pair> Conflicts(const std::vector<const TracedAccess*>& accesses) {
  std::vector<Pair> pairs;
  for (int b = 0; b < static_cast<int>(accesses.size()); ++b) {
    for (int a = 0; a < b && pairs.size() < kMostPairs; ++a) {
      const TracedAccess &one = *accesses[a], &other = *accesses[b];
      if (one.is_op != other.is_op || one.variable != other.variable) continue;
      if (one.thread == other.thread && !one.is_op) continue;
      if (one.writes || other.writes) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

// Negative where a comes first, positive where b does, 0 where one is missing.
int Sign(const Order& order, const Pair& pair) {
  const int count = static_cast<int>(order.at.size());
  if (pair.first >= count || pair.second >= count) return 0;
  const int a = order.at[pair.first], b = order.at[pair.second];
  return a < 0 || b < 0 ? 0 : a < b ? -1 : 1;
}

// The share of runs, among those that have both, in which they are in this order.
double ShareOf(const std::vector<Order>& orders, const Pair& pair, int sign) {
  int both = 0, same = 0;
  for (const Order& order : orders) {
    const int own = Sign(order, pair);
    both += own != 0;
    same += own == sign;
  }
  return both == 0 ? 0 : static_cast<double>(same) / both;
}

}  // namespace

std::vector<TracedAccess> ScheduledRun::Ops() const {
  std::vector<TracedAccess> ops;
  for (const TracedAccess& access : accesses) {
    if (access.is_op) ops.push_back(access);
  }
  return ops;
}

std::string TracedAccess::ToString() const {
  if (is_op) return std::string(writes ? "write" : "read") + " by op " + place;
  std::string text =
      std::string(writes ? "write" : "read") + " by thread " + std::to_string(thread);
  if (!place.starts_with("-:")) text += " in " + place;
  if (occurrence > 0) text += " (time " + std::to_string(occurrence + 1) + ")";
  return text;
}

std::vector<std::string> ScheduledRun::FailureKinds() const {
  std::vector<std::string> kinds;
  for (const std::string& failure : failures) kinds.push_back(failure.substr(0, failure.find(':')));
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

bool ReadTrace(const std::string& text, ScheduledRun* run) {
  std::istringstream lines(text);
  std::map<std::tuple<int, bool, std::string, std::string>, int> times;
  bool whole = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "digest") {
      whole = static_cast<bool>(words >> run->digest);
    } else if (what == "exact") {
      words >> run->exact;
    } else if (what == "access" || what == "op") {
      TracedAccess access;
      access.is_op = what == "op";
      char kind = 0;
      if (!(words >> access.thread >> kind >> access.place)) return false;
      access.writes = kind == 'w';
      std::getline(words >> std::ws, access.variable);
      access.occurrence = times[{access.thread, access.writes, access.place, access.variable}]++;
      run->accesses.push_back(std::move(access));
    } else if (what == "waits" || what == "got") {
      int thread = 0;
      if (!(words >> thread)) return false;
      run->waits.erase(thread);
      if (what == "waits") words >> run->waits[thread];
    } else if (what == "failed") {
      std::getline(words >> std::ws, run->failures.emplace_back());
    } else if (what == "turn") {
      int thread = 0;
      if (!(words >> thread)) return false;
      run->turns.push_back(thread);
      run->turns_begin.push_back(run->accesses.size());
    } else {
      return false;
    }
  }
  return whole;
}

std::optional<TurnsOnTheWay> Between(const std::vector<int>& from, const std::vector<int>& to,
                                     size_t swaps) {
  if (!std::is_permutation(from.begin(), from.end(), to.begin(), to.end())) return {};
  std::vector<int> turns = from;
  TurnsOnTheWay way{from};
  for (size_t place = 0; place < to.size(); ++place) {
    size_t at =
        std::find(turns.begin() + static_cast<long>(place), turns.end(), to[place]) - turns.begin();
    for (; at > place; --at) {
      std::swap(turns[at - 1], turns[at]);
      if (++way.swaps > swaps) continue;
      way.turns = turns;
      way.last = at - 1;
    }
  }
  return way;
}

std::optional<std::pair<TracedAccess, TracedAccess>> ConflictAt(const ScheduledRun& run,
                                                                size_t turn) {
  const std::vector<size_t>& begins = run.turns_begin;
  if (turn + 1 >= begins.size()) return {};
  const size_t end = turn + 2 < begins.size() ? begins[turn + 2] : run.accesses.size();
  for (size_t i = begins[turn]; i < begins[turn + 1]; ++i) {
    for (size_t k = begins[turn + 1]; k < end; ++k) {
      const TracedAccess &one = run.accesses[i], &other = run.accesses[k];
      const bool writes = one.writes || other.writes;
      if (one.variable == other.variable && writes) return std::pair(one, other);
    }
  }
  return {};
}

std::vector<std::vector<size_t>> GroupByOutcome(const std::vector<ScheduledRun>& runs) {
  std::vector<std::vector<size_t>> outcomes;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto place = std::find_if(outcomes.begin(), outcomes.end(), [&](const auto& outcome) {
      return runs[outcome[0]].SameOutcome(runs[i]);
    });
    if (place == outcomes.end()) {
      outcomes.push_back({i});
    } else {
      place->push_back(i);
    }
  }
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return outcomes;
}

std::optional<DecidingPair> FindDecidingPair(const std::vector<ScheduledRun>& runs,
                                             const std::vector<size_t>& outcome,
                                             const std::vector<size_t>& other) {
  Numbers numbers;
  const auto here = OrdersOf(runs, outcome, &numbers), there = OrdersOf(runs, other, &numbers);
  std::vector<const TracedAccess*> accesses(numbers.size());
  for (const auto& [access, number] : numbers) accesses[number] = &access;
  const std::vector<Pair> conflicts = Conflicts(accesses);
  std::optional<DecidingPair> best;
  for (const Order& one : here) {
    for (const Order& another : there) {
      std::vector<Pair> turned;
      for (const Pair& pair : conflicts) {
        if (Sign(one, pair) * Sign(another, pair) < 0) turned.push_back(pair);
        if (best && static_cast<int>(turned.size()) > best->orders) break;
      }
      if (turned.empty() || (best && static_cast<int>(turned.size()) > best->orders)) continue;
      for (const Pair& pair : turned) {
        const int sign = Sign(one, pair);
        const DecidingPair found{.first = *accesses[sign < 0 ? pair.first : pair.second],
                                 .second = *accesses[sign < 0 ? pair.second : pair.first],
                                 .seed = one.seed,
                                 .other_seed = another.seed,
                                 .orders = static_cast<int>(turned.size()),
                                 .in_outcome = ShareOf(here, pair, sign),
                                 .in_other = ShareOf(there, pair, sign)};
        const bool better = !best || found.orders < best->orders ||
                            found.in_outcome - found.in_other > best->in_outcome - best->in_other;
        if (better) best = found;
      }
    }
  }
  return best;
}

}  // namespace lockstep::cli
