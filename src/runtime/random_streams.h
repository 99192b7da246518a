#pragma once

#include <string_view>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

/// The name of the variables that hold how far a random op's stream has come.
inline constexpr std::string_view kRandomStreamName = "random_stream";

/// Whether a cell is the place of a random op's stream. Each session has its own copy, which begins
/// where the op was made: two sessions of one graph draw the same numbers. Source: the state of
/// TensorFlow's stateful random ops lives in a session's kernels.
inline bool IsRandomStream(const VariableCell& cell) {
  return cell.name() == kRandomStreamName && !cell.trainable();
}

/// The streams of a function that is traced once for each shape of one signature: random op number
/// k of each trace goes on with the same stream, as if there were one trace.
class StreamPool {
 public:
  /// While it lives, what this thread traces takes its streams from `pool`; from none if nullptr.
  class Scope {
   public:
    explicit Scope(StreamPool* pool);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StreamPool* const outer_;
    const size_t outer_next_;
  };

  static StreamPool* Current();
  /// The place of the next op's stream; undefined where this is the first trace.
  Variable& Next();

 private:
  std::vector<Variable> streams_;
};

}  // namespace lockstep::runtime
