#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep {

/// What two unordered accesses of one variable are to each other.
enum class RaceKind : uint8_t {
  kRace,      // one writes, and they do not commute
  kRounding,  // both add (or both multiply) floats: the order shows in the rounding only
  kUnlocked,  // both add to a variable of version 1 without `use_locking`: additions can be lost
};

/// What can go wrong.
enum class RaceEffect : uint8_t {
  kLostUpdate,  // what one has written is overwritten unseen
  kTornGroup,   // of several variables that are written together, some are read old and some new
  kStaleRead,   // a read gives the value before or after the write
  kMixedOrder,  // who gets which element, or which numbers, depends on who comes first
  kRounding,
};

/// Where the two accesses are unordered.
enum class RaceScope : uint8_t {
  kRun,         // within one run of the graph
  kIterations,  // between iterations of a loop that are in flight together
  kReplicas,    // between replicas or workers that run the graph at the same time
};

/// "race", "lost update", "iterations", ...
std::string_view RaceKindName(RaceKind kind);
std::string_view RaceEffectName(RaceEffect effect);
std::string_view RaceScopeName(RaceScope scope);

/// One of the two ops.
struct RaceOp {
  std::string node;  // with the calls around it: "call/body/assign"
  std::string op;
  std::string call;      // the node of the graph itself that calls it; empty: it is there itself
  std::string function;  // of the library, which the node is in; empty: the graph itself
  int line = 0;          // of the graph's text; 0: it was no text
  std::string source;    // "model.py:12", where the graph says who made the node
  std::string through;   // the read whose value is still the variable's buffer (version 1 only)
  bool reads = false;
  bool writes = false;
};

/// The smallest edge that orders the two, and words for it.
struct RaceCure {
  std::string from;
  std::string to;
  std::string text;
  /// Edges that are needed besides, from and to: out of a loop, or over the iterations of another.
  std::vector<std::pair<std::string, std::string>> also;
};

struct StaticRace {
  RaceKind kind = RaceKind::kRace;
  RaceEffect effect = RaceEffect::kLostUpdate;
  RaceScope over = RaceScope::kRun;
  std::string loop;  // with kIterations: the loop
  std::string variable;
  RaceOp first, second;
  RaceCure cure;
  /// Up to so many more pairs of accesses of the variable, of the same kind, are in none of the
  /// races that are found. More than 0 only where the graph has more than two million pairs.
  int64_t more = 0;

  /// A paragraph: variable, both places, what can go wrong, the cure.
  std::string ToString() const;
};

struct StaticRaceOptions {
  /// What runs together: one list of nodes' names a run; each run computes what its nodes need.
  /// Empty: everything runs at once, but initializers, which run before, and savers.
  std::vector<std::vector<std::string>> runs = {};
  /// So many replicas (workers) run the graph at the same time and share its variables, unless a
  /// variable's device is a worker's.
  int replicas = 1;
};

/// All pairs of accesses in the graph `text` (a GraphDef as text or binary) that no edge orders and
/// that do not commute, in the order of the text; `where` names it. Ops are TensorFlow's of
/// version 1 and 2, and our own. Errors: InvalidArgument with line and column for what is no graph,
/// for names that are not there and for cycles; ResourceExhausted past 64 MiB,
/// 500,000 nodes after all calls are expanded, calls or loops 100 deep, or more accesses than can
/// be followed. Of a variable with more than 100,000 pairs, in a graph with more than two million,
/// 100 races of each kind are told. Source: the order that a graph promises, TensorFlow white
/// paper, section 3.
Result<std::vector<StaticRace>> FindRaces(std::string_view text, const std::string& where,
                                          const StaticRaceOptions& options = {});
/// The same for a file; NotFound where there is none.
Result<std::vector<StaticRace>> FindRacesInFile(const std::string& path,
                                                const StaticRaceOptions& options = {});

}  // namespace lockstep
