#include "check/race_pairs.h"

#include <algorithm>

namespace lockstep::check {

namespace {

// How many iterations apart two accesses are looked at; what orders the next two iterations orders
// all but for values that skip one.
constexpr int kMostApart = 2;

constexpr int64_t kMaxPairs = 2'000'000;
constexpr int64_t kMaxSteps = 2'000'000'000;
// So many accesses of one variable are looked at first for whether all are ordered.
constexpr int64_t kMany = 500, kMost = 20'000;
// At most so many pairs have a write among them.
int64_t MostPairs(const std::vector<Access>& accesses) {
  std::map<int, std::pair<int64_t, int64_t>> counts;  // by object: all, writes
  for (const Access& access : accesses) {
    ++counts[access.object].first;
    counts[access.object].second += access.writes();
  }
  int64_t pairs = 0;
  for (const auto& [object, count] : counts) {
    const auto [all, writes] = count;
    pairs += (all - writes) * writes + writes * (writes + 1) / 2;
  }
  return pairs;
}

// Which nodes come after which: one question of a sweep, and what its answer is for.
struct Question {
  int from, to;  // nodes
  int pair;
  enum class About : uint8_t { kBefore, kAfter, kLoop } about;
  int apart = 0;
};

// The loops whose iteration stays the same, and the one that is counted.
struct SweepKey {
  std::vector<int> blocked;
  int counted = -1;
  auto operator<=>(const SweepKey&) const = default;
};

class PairFinder {
 public:
  PairFinder(const FlatGraph& flat, const Conditions& conditions, const Order& order,
             const std::vector<Access>& accesses, const Locks& locks)
      : flat_(flat), conditions_(conditions), order_(order), accesses_(accesses), locks_(locks) {}

  std::vector<Pair> Run() {
    std::map<int, std::vector<int>> by_object;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      by_object[accesses_[i].object].push_back(static_cast<int>(i));
    }
    for (const auto& [object, all] : by_object) {
      for (size_t i = 0; i < all.size(); ++i) {
        for (size_t k = i; k < all.size(); ++k) Ask(all[i], all[k]);
      }
    }
    for (const auto& [key, questions] : questions_) Answer(key, questions);
    KeepApartByLocks();
    return std::move(pairs_);
  }

 private:
  void Ask(int a, int b) {
    if (!accesses_[a].writes() && !accesses_[b].writes()) return;
    const int from = accesses_[a].node, to = accesses_[b].node;
    if (from == to && a != b) return;
    const int pair = static_cast<int>(pairs_.size());
    pairs_.push_back({a, b});
    const auto &given = Under(accesses_[a]), &needed = Under(accesses_[b]);
    pairs_.back().apart = a != b && conditions_.Exclude(given, needed);
    const std::vector<int> one = flat_.LoopsOf(from), other = flat_.LoopsOf(to);
    std::vector<int> common;
    for (size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i) {
      common.push_back(one[i]);
    }
    if (a != b) {
      questions_[{common, -1}].push_back({from, to, pair, Question::About::kBefore});
      questions_[{common, -1}].push_back({to, from, pair, Question::About::kAfter});
      const int behind = accesses_[a].behind, later = accesses_[b].behind;
      if (later >= 0)
        questions_[{common, -1}].push_back({from, later, pair, Question::About::kBefore});
      if (behind >= 0)
        questions_[{common, -1}].push_back({to, behind, pair, Question::About::kAfter});
    }
    const bool late = accesses_[a].through >= 0 || accesses_[b].through >= 0;
    for (size_t depth = 0; depth < common.size() && !late; ++depth) {
      const int loop = common[depth];
      if (flat_.loops[loop].parallel <= 1 || conditions_.Exclude(given, needed, loop)) continue;
      const SweepKey key{{common.begin(), common.begin() + depth}, loop};
      const int most =
          static_cast<int>(std::min<int64_t>(kMostApart, flat_.loops[loop].parallel - 1));
      for (int apart = 1; apart <= most; ++apart) {
        questions_[key].push_back({from, to, pair, Question::About::kLoop, apart});
        if (a != b) questions_[key].push_back({to, from, pair, Question::About::kLoop, apart});
      }
    }
  }

  const std::vector<Literal>& Under(const Access& access) const {
    return access.conditions.empty() ? conditions_.Of(access.node) : access.conditions;
  }

  void Answer(const SweepKey& key, const std::vector<Question>& questions) {
    std::map<int, std::vector<const Question*>> by_source;
    for (const Question& question : questions) by_source[question.from].push_back(&question);
    std::vector<char> blocked(flat_.loops.size());
    for (int loop : key.blocked) blocked[loop] = true;
    const int most = key.counted < 0 ? 0 : kMostApart;
    std::vector<int> sources;
    const auto sweep = [&] {
      const auto after = order_.After(sources, blocked, key.counted, most);
      for (size_t bit = 0; bit < sources.size(); ++bit) {
        for (const Question* question : by_source[sources[bit]]) {
          const uint64_t bits = after[question->apart * flat_.nodes.size() + question->to];
          Take(*question, key.counted, bits >> bit & 1);
        }
      }
      sources.clear();
    };
    for (const auto& [source, asked] : by_source) {
      sources.push_back(source);
      if (sources.size() == 64) sweep();
    }
    if (!sources.empty()) sweep();
  }

  void Take(const Question& question, int loop, bool ordered) {
    Pair& pair = pairs_[question.pair];
    if (question.about == Question::About::kBefore) pair.before |= ordered;
    if (question.about == Question::About::kAfter) pair.after |= ordered;
    if (question.about != Question::About::kLoop || ordered) return;
    if (pair.loops.empty() || pair.loops.back().loop != loop) pair.loops.push_back({loop});
    const bool a_first = question.from == accesses_[pair.a].node;
    (a_first ? pair.loops.back().a_first : pair.loops.back().b_first) = true;
  }

  void KeepApartByLocks() {
    for (Pair& pair : pairs_) {
      const auto [one, other] = locks_.Between(pair.a, pair.b);
      const int object = accesses_[pair.a].object;
      if (one == nullptr || !one->Updates(object) || !other->Updates(object)) continue;
      pair.locked = one != other || pair.a == pair.b;
      pair.loops.clear();
    }
  }

  const FlatGraph& flat_;
  const Conditions& conditions_;
  const Order& order_;
  const std::vector<Access>& accesses_;
  const Locks& locks_;
  std::vector<Pair> pairs_;
  std::map<SweepKey, std::vector<Question>> questions_;
};

int64_t EdgesOf(const FlatGraph& flat) {
  int64_t edges = 0;
  for (const auto& successors : flat.successors) edges += static_cast<int64_t>(successors.size());
  return edges;
}

// Whether of all these accesses of one variable, outside of loops, every two with a write among
// them are ordered.
bool AllOrdered(const FlatGraph& flat, const Order& order, const std::vector<Access>& accesses,
                const std::vector<int>& all) {
  for (int i : all) {
    const Access& access = accesses[i];
    if (flat.nodes[access.node].loop >= 0 || access.through >= 0 || access.behind >= 0)
      return false;
  }
  const size_t words = (all.size() + 63) / 64;
  std::vector<uint64_t> before(all.size() * words);  // bit i of row k: k comes after i
  const std::vector<char> blocked(flat.loops.size());
  for (size_t word = 0; word < words; ++word) {
    std::vector<int> sources;
    for (size_t i = word * 64; i < std::min(all.size(), word * 64 + 64); ++i)
      sources.push_back(accesses[all[i]].node);
    const auto after = order.After(sources, blocked, -1, 0);
    for (size_t k = 0; k < all.size(); ++k) before[k * words + word] = after[accesses[all[k]].node];
  }
  const auto ordered = [&](size_t i, size_t k) { return before[k * words + i / 64] >> i % 64 & 1; };
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = i + 1; k < all.size(); ++k) {
      if (!accesses[all[i]].writes() && !accesses[all[k]].writes()) continue;
      if (!ordered(i, k) && !ordered(k, i)) return false;
    }
  }
  return true;
}

}  // namespace

void DropOrdered(const FlatGraph& flat, const Order& order, std::vector<Access>* accesses) {
  std::map<int, std::vector<int>> by_object;
  for (size_t i = 0; i < accesses->size(); ++i)
    by_object[(*accesses)[i].object].push_back(static_cast<int>(i));
  std::vector<char> dropped(accesses->size());
  const int64_t edges = EdgesOf(flat);
  for (const auto& [object, all] : by_object) {
    const auto count = static_cast<int64_t>(all.size());
    if (count < kMany || count > kMost || count / 64 * edges > kMaxSteps) continue;
    if (!AllOrdered(flat, order, *accesses, all)) continue;
    for (int i : all) dropped[i] = true;
  }
  std::vector<Access> kept;
  for (size_t i = 0; i < accesses->size(); ++i) {
    if (!dropped[i]) kept.push_back(std::move((*accesses)[i]));
  }
  *accesses = std::move(kept);
}

Result<std::vector<Pair>> PairsOf(const FlatGraph& flat, const Values& values,
                                  const Conditions& conditions, const Order& order,
                                  const std::vector<Access>& accesses, const Locks& locks) {
  const int64_t most = MostPairs(accesses);
  const int64_t edges = EdgesOf(flat);
  const auto sweeps = static_cast<int64_t>(accesses.size()) / 64 + 1;
  if (values.incomplete || most > kMaxPairs || sweeps * edges > kMaxSteps) {
    return Status(Code::kResourceExhausted,
                  "[race] a graph may have two million pairs of accesses of one variable; got " +
                      std::to_string(most) + " among " + std::to_string(accesses.size()) +
                      " accesses and " + std::to_string(edges) + " edges");
  }
  return PairFinder(flat, conditions, order, accesses, locks).Run();
}

}  // namespace lockstep::check
