#include "check/race_pairs.h"

#include <algorithm>
#include <array>

namespace lockstep::check {

namespace {

// How many iterations apart two accesses are looked at; what orders the next two iterations orders
// all but for values that skip one.
constexpr int kMostApart = 2;

constexpr int64_t kMaxPairs = 2'000'000;
constexpr int64_t kMaxSteps = 2'000'000'000;
// So many accesses of one variable are looked at first for whether all are ordered.
constexpr int64_t kMany = 500, kMost = 20'000;
// Of a variable with more pairs than this only some are kept, where there are too many in all: so
// many of each kind, found in so many accesses against as many others at a time.
constexpr int64_t kManyPairs = 100'000;
constexpr int64_t kKeptPairs = 100;
constexpr size_t kBlock = 512;

std::map<int, std::vector<int>> ByObject(const std::vector<Access>& accesses) {
  std::map<int, std::vector<int>> by_object;
  for (size_t i = 0; i < accesses.size(); ++i)
    by_object[accesses[i].object].push_back(static_cast<int>(i));
  return by_object;
}

// At most so many pairs of these have a write among them.
int64_t MostPairs(const std::vector<Access>& accesses, const std::vector<int>& of) {
  const auto all = static_cast<int64_t>(of.size());
  const auto writes =
      std::count_if(of.begin(), of.end(), [&](int i) { return accesses[i].writes(); });
  return (all - writes) * writes + writes * (writes + 1) / 2;
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
  // With `conflicts_only` pairs that no order would make a race of are left out where that is
  // quickly seen.
  PairFinder(const FlatGraph& flat, const Conditions& conditions, const Order& order,
             const std::vector<Access>& accesses, const Locks& locks, bool conflicts_only = false)
      : flat_(flat),
        conditions_(conditions),
        order_(order),
        accesses_(accesses),
        locks_(locks),
        conflicts_only_(conflicts_only) {}

  void Ask(const std::vector<int>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = i; k < all.size(); ++k) Ask(all[i], all[k]);
    }
  }
  void Ask(const std::vector<int>& ones, const std::vector<int>& others) {
    for (int one : ones) {
      for (int other : others) Ask(one, other);
    }
  }

  // How many pairs with a write were asked for, and those pairs.
  int64_t asked() const { return asked_; }
  std::vector<Pair> Run() {
    for (const auto& [key, questions] : questions_) Answer(key, questions);
    KeepApartByLocks();
    return std::move(pairs_);
  }

 private:
  void Ask(int a, int b) {
    if (!accesses_[a].writes() && !accesses_[b].writes()) return;
    ++asked_;
    const int from = accesses_[a].node, to = accesses_[b].node;
    if (from == to && a != b) return;
    if (conflicts_only_ && (flat_.nodes[from].loop < 0 || flat_.nodes[to].loop < 0) &&
        (a == b || ConflictOf(accesses_[a], accesses_[b], flat_, -1, false) == Conflict::kNone)) {
      return;
    }
    const int pair = static_cast<int>(pairs_.size());
    pairs_.push_back({a, b});
    const auto &given = Under(accesses_[a]), &needed = Under(accesses_[b]);
    pairs_.back().apart = a != b && conditions_.Exclude(given, needed);
    const std::vector<int> one = flat_.LoopsOf(from), other = flat_.LoopsOf(to);
    std::vector<int> common;
    for (size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i) {
      common.push_back(one[i]);
    }
    const bool ahead = accesses_[a].ahead >= 0 || accesses_[b].ahead >= 0;
    if (a != b && ahead) AskAhead(accesses_[a], accesses_[b], common, pair);
    if (a != b && !ahead) {
      std::vector<Question>& questions = questions_[{common, -1}];
      questions.push_back({from, to, pair, Question::About::kBefore});
      questions.push_back({to, from, pair, Question::About::kAfter});
      const int behind = accesses_[a].behind, later = accesses_[b].behind;
      if (later >= 0) questions.push_back({from, later, pair, Question::About::kBefore});
      if (behind >= 0) questions.push_back({to, behind, pair, Question::About::kAfter});
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

  // What makes elements ahead does so at any time after it has begun.
  void AskAhead(const Access& a, const Access& b, const std::vector<int>& common, int pair) {
    std::vector<Question>& questions = questions_[{common, -1}];
    if (a.ahead < 0 && b.since >= 0)
      questions.push_back({a.node, b.since, pair, Question::About::kBefore});
    if (b.ahead < 0 && a.since >= 0)
      questions.push_back({b.node, a.since, pair, Question::About::kAfter});
  }

  const std::vector<Literal>& Under(const Access& access) const {
    if (!access.conditions.empty()) return access.conditions;
    return access.writes() ? conditions_.Of(access.node) : conditions_.OfUse(access.node);
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
  const bool conflicts_only_;
  int64_t asked_ = 0;
  std::vector<Pair> pairs_;
  std::map<SweepKey, std::vector<Question>> questions_;
};

int64_t EdgesOf(const FlatGraph& flat) {
  int64_t edges = 0;
  for (const auto& successors : flat.successors) edges += static_cast<int64_t>(successors.size());
  return edges;
}

// Of a variable with very many accesses some pairs that are in conflict, of each kind that there
// is.
class SampledPairs {
 public:
  SampledPairs(const FlatGraph& flat, const Conditions& conditions, const Order& order,
               const std::vector<Access>& accesses, const Locks& locks, bool replicas)
      : flat_(flat),
        conditions_(conditions),
        order_(order),
        accesses_(accesses),
        locks_(locks),
        replicas_(replicas) {}

  // False where there are too many to look at all of them, and none of those seen is a race.
  bool Find(const std::vector<int>& all, int64_t* steps) {
    int64_t left = MostPairs(accesses_, all);
    const std::vector<std::vector<int>> blocks = Blocks(all);
    const int64_t edges = EdgesOf(flat_);
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (size_t k = i; k < blocks.size(); ++k) {
        if (kept_[static_cast<size_t>(Conflict::kRace)] >= kKeptPairs) {
          more_[static_cast<size_t>(Conflict::kRace)] += left;
          return true;
        }
        *steps -= static_cast<int64_t>(blocks[i].size() + blocks[k].size()) / 64 * edges;
        if (*steps < 0) return false;
        PairFinder finder(flat_, conditions_, order_, accesses_, locks_, !replicas_);
        i == k ? finder.Ask(blocks[i]) : finder.Ask(blocks[i], blocks[k]);
        const std::vector<Pair> pairs = finder.Run();
        left -= finder.asked();
        for (const Pair& pair : pairs) Keep(pair);
      }
    }
    return true;
  }

  std::vector<Pair> Take() {
    for (size_t kind = 0; kind < last_.size(); ++kind) {
      if (last_[kind] >= 0) pairs_[last_[kind]].more = more_[kind];
    }
    return std::move(pairs_);
  }

 private:
  static std::vector<std::vector<int>> Blocks(const std::vector<int>& all) {
    std::vector<std::vector<int>> blocks;
    for (size_t at = 0; at < all.size(); at += kBlock) {
      const auto begin = all.begin() + static_cast<ptrdiff_t>(at);
      blocks.emplace_back(begin, begin + static_cast<ptrdiff_t>(std::min(kBlock, all.size() - at)));
    }
    return blocks;
  }

  void Keep(Pair pair) {
    const auto kind = static_cast<size_t>(KindOf(pair));
    if (kind == static_cast<size_t>(Conflict::kNone)) return;
    if (kept_[kind] == kKeptPairs) {
      ++more_[kind];
      return;
    }
    ++kept_[kind];
    last_[kind] = static_cast<int>(pairs_.size());
    pair.sampled = true;
    pairs_.push_back(std::move(pair));
  }

  Conflict KindOf(const Pair& pair) const {
    const Access &a = accesses_[pair.a], &b = accesses_[pair.b];
    if (pair.unordered()) {
      const Conflict conflict = ConflictOf(a, b, flat_, -1, false);
      if (conflict != Conflict::kNone) return conflict;
    }
    for (const UnorderedIterations& loop : pair.loops) {
      const Conflict conflict = loop.a_first ? ConflictOf(a, b, flat_, loop.loop, false)
                                             : ConflictOf(b, a, flat_, loop.loop, false);
      if (conflict != Conflict::kNone) return conflict;
    }
    return replicas_ ? ConflictOf(a, b, flat_, -1, true) : Conflict::kNone;
  }

  const FlatGraph& flat_;
  const Conditions& conditions_;
  const Order& order_;
  const std::vector<Access>& accesses_;
  const Locks& locks_;
  const bool replicas_;
  std::vector<Pair> pairs_;
  // By kind: how many are kept, how many are not, and which is the last one kept.
  std::array<int64_t, 4> kept_{}, more_{};
  std::array<int, 4> last_{-1, -1, -1, -1};
};

// Whether of all these accesses of one variable, outside of loops, every two with a write among
// them are ordered.
bool AllOrdered(const FlatGraph& flat, const Order& order, const std::vector<Access>& accesses,
                const std::vector<int>& all) {
  for (int i : all) {
    const Access& access = accesses[i];
    if (flat.nodes[access.node].loop >= 0 || access.through >= 0 || access.behind >= 0 ||
        access.ahead >= 0)
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
  const auto by_object = ByObject(*accesses);
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
                                  const std::vector<Access>& accesses, const Locks& locks,
                                  bool replicas) {
  const auto by_object = ByObject(accesses);
  int64_t most = 0;
  for (const auto& [object, all] : by_object) most += MostPairs(accesses, all);
  const int64_t edges = EdgesOf(flat);
  const auto sweeps = static_cast<int64_t>(accesses.size()) / 64 + 1;
  const auto too_much = [&] {
    return Status(Code::kResourceExhausted,
                  "[race] a graph's accesses and edges must be few enough to follow; got " +
                      std::to_string(most) + " pairs among " + std::to_string(accesses.size()) +
                      " accesses of variables, and " + std::to_string(edges) +
                      " edges; name less of it with --run");
  };
  if (values.incomplete || sweeps * edges > kMaxSteps) return too_much();
  PairFinder few(flat, conditions, order, accesses, locks);
  std::vector<Pair> sampled;
  int64_t steps = kMaxSteps;
  for (const auto& [object, all] : by_object) {
    if (most <= kMaxPairs || MostPairs(accesses, all) <= kManyPairs) {
      few.Ask(all);
      continue;
    }
    SampledPairs some(flat, conditions, order, accesses, locks, replicas);
    if (!some.Find(all, &steps)) return too_much();
    const std::vector<Pair> kept = some.Take();
    sampled.insert(sampled.end(), kept.begin(), kept.end());
  }
  std::vector<Pair> pairs = few.Run();
  pairs.insert(pairs.end(), sampled.begin(), sampled.end());
  return pairs;
}

}  // namespace lockstep::check
