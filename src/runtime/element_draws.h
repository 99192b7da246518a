#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lockstep/tensor/tensor.h"
#include "random/op_seeds.h"

namespace lockstep::graph {
class Graph;
}

namespace lockstep::runtime {

// Random ops in the functions of data sets draw what follows from the element that they are called
// for, so that any thread or task may compute it, and a pass that is resumed goes on alike.

/// Which element a step of a data set calls its function for.
struct ElementPlace {
  int64_t number = 0;  // counts from the beginning of an iterator
  int64_t pass = 0;    // of all passes; ops without any seed draw something else in each
  int64_t round = 0;   // where elements are counted anew: how often they were
  int64_t total = 0;   // counts over all passes, for what goes on from one to the next
  int64_t step = 0;    // of those that call functions, in the order in which the program makes them
};

/// While it lives, the calling thread computes that element.
class ElementScope {
 public:
  explicit ElementScope(const ElementPlace& place);
  ~ElementScope();
  ElementScope(const ElementScope&) = delete;
  ElementScope& operator=(const ElementScope&) = delete;

  /// Of this thread; nullptr outside of functions of data sets.
  static ElementScope* Current();
  /// The place as it is handed to a traced function: int64[4].
  static Tensor CurrentPlace();

  const ElementPlace place;
  /// The seeds of the random ops that are called for the element, filled by the first one.
  std::optional<random::FunctionSeeds> seeds;
  int64_t unseeded = 0;  // how many ops without any seed were called

 private:
  ElementScope* const outer_;
};

/// While it lives, the random ops that this thread adds to the graph that it traces draw by
/// `place`, an int64[4] of that graph. Bodies of loops and branches in it keep streams of their
/// own.
class ElementTraceScope {
 public:
  explicit ElementTraceScope(const Tensor& place);
  ~ElementTraceScope();
  ElementTraceScope(const ElementTraceScope&) = delete;
  ElementTraceScope& operator=(const ElementTraceScope&) = delete;

  /// The place in the graph that is traced now; undefined where there is none.
  static Tensor Current();

 private:
  const Tensor place_;
  const std::shared_ptr<graph::Graph> graph_;
  ElementTraceScope* const outer_;
};

/// The state of a stream of `pair` for the element at `place`, int64[4], that reserves `blocks`
/// blocks, an int64 scalar, for each element.
Tensor ElementState(const Tensor& place, const random::SeedPair& pair, const Tensor& blocks,
                    bool differs_by_pass);

}  // namespace lockstep::runtime
