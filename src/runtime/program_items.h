#pragma once

#include "base/recent_cache.h"
#include "runtime/interpreter.h"
#include "runtime/program.h"

namespace lockstep::runtime {

/// A step of a program: a segment or one node.
struct Program::Item {
  enum class Kind { kSegment, kValues, kHost, kMeeting, kWait, kIf, kWhile };
  Kind kind = Kind::kSegment;
  int node = -1;                           // of the program's graph; -1 for a segment
  std::vector<int> inputs;                 // values of the frame
  std::vector<int> outputs;                // values of the frame
  std::unique_ptr<Program> first, second;  // branches; condition and body
  // Of a segment: its parameters are `inputs`, its results `outputs`.
  graph::Graph segment;
  std::vector<Tensor> RunSegment(const std::vector<Tensor>& arguments, base::Team& team,
                                 const ExecutionOptions& options) const;
  /// The plan for inputs of these types.
  std::shared_ptr<Plan> PlanFor(const std::vector<Tensor>& arguments,
                                const ExecutionOptions& options) const;
  std::unique_ptr<Interpreter> interpreter;  // where the segment runs op by op
  mutable std::mutex mutex;
  using Types = std::vector<ops::TensorType>;
  struct TypesHash {
    uint64_t operator()(const Types& types) const;
  };
  // A loop in which a value grows has other types in each iteration.
  static constexpr size_t kMostPlans = 256, kMostBytes = size_t{1} << 30;
  mutable base::RecentCache<Types, std::shared_ptr<Plan>, TypesHash> plans{
      {.entries = kMostPlans, .bytes = kMostBytes}};
};

/// The graph that is an attribute of a node of control flow.
const graph::Graph& BodyOf(const ops::Attributes& attributes, std::string_view name);

/// InvalidArgument, which begins with `[where]`, for a body that does not take values of `types`.
void RequireParameters(const graph::Graph& body, std::span<const ops::TensorType> types,
                       const char* where);

}  // namespace lockstep::runtime
