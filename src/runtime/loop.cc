#include "runtime/loop.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/branches.h"
#include "runtime/replay.h"

namespace lockstep::runtime {

namespace {

// Each variable keeps its type, or fits the shape that it was promised.
void CheckVariable(size_t index, const ops::TensorType& before, const ops::TensorType& after,
                   bool exact) {
  const bool ranked = before.shape.ranked() && after.shape.ranked();
  bool fits = before.dtype == after.dtype &&
              (ranked ? before.shape.rank() == after.shape.rank() : !before.shape.ranked());
  for (int axis = 0; fits && ranked && axis < before.shape.rank(); ++axis) {
    const int64_t wanted = before.shape[axis], got = after.shape[axis];
    fits = wanted == Shape::kUnknown || wanted == got || (!exact && got == Shape::kUnknown);
  }
  if (!fits) {
    throw Error(Code::kInvalidArgument, "[while_loop] variable " + std::to_string(index) +
                                            " must keep its dtype and shape; got " +
                                            before.ToString() + " and then " + after.ToString() +
                                            "; give a shape invariant with -1 where it may change");
  }
}

std::vector<ops::TensorType> VariableTypes(const std::vector<Tensor>& variables,
                                           const WhileOptions& options) {
  std::vector<ops::TensorType> types;
  for (size_t i = 0; i < variables.size(); ++i) {
    types.push_back(ops::TensorType::Of(variables[i]));
    if (i >= options.shape_invariants.size()) continue;
    ops::TensorType promised = types.back();
    promised.shape = options.shape_invariants[i];
    CheckVariable(i, promised, types.back(), true);
    types.back() = promised;
  }
  return types;
}

void CheckBody(const std::vector<ops::TensorType>& before,
               const std::vector<ops::TensorType>& after) {
  if (before.size() != after.size()) {
    throw Error(Code::kInvalidArgument,
                "[while_loop] the body must give as many tensors as there are variables; got " +
                    std::to_string(after.size()) + " and " + std::to_string(before.size()));
  }
  for (size_t i = 0; i < before.size(); ++i) CheckVariable(i, before[i], after[i], true);
}

struct LoopBodies {
  Body condition, body;
};

LoopBodies TraceLoop(const std::function<Tensor(const Tensors&)>& condition,
                     const std::function<Tensors(const Tensors&)>& body,
                     const std::vector<ops::TensorType>& types) {
  LoopBodies traced{
      TraceBody([&](const Tensors& v) { return Tensors{condition(v)}; }, types, Reads::kInside),
      TraceBody(body, types, Reads::kInside)};
  // What an iteration reads after an earlier one has written it must be read every time.
  ResourceSet writes = traced.condition.writes;
  writes.insert(traced.body.writes.begin(), traced.body.writes.end());
  for (Body* one : {&traced.condition, &traced.body}) MoveReadsOut(one, writes);
  return traced;
}

// What an iteration gives fits the variables, and the condition is one.
void CheckBodies(const LoopBodies& traced, const std::vector<ops::TensorType>& types, size_t kept) {
  std::vector<ops::TensorType> after;
  for (graph::Endpoint result : traced.body.graph->results()) {
    after.push_back(traced.body.graph->type(result));
  }
  after.resize(after.size() - kept);
  CheckBody(types, after);
  const graph::Graph& question = *traced.condition.graph;
  const ops::TensorType& answer = question.type(question.results()[0]);
  if (answer.dtype != DType::kBool || answer.shape.rank() != 0) {
    throw Error(Code::kInvalidArgument,
                "[while_loop] the condition must give a bool scalar; got " + answer.ToString());
  }
}

Tensors EmitTraced(LoopBodies traced, const Tensors& variables, const WhileOptions& options,
                   bool record, size_t kept) {
  const int count = static_cast<int>(variables.size());
  NameVariablesRead({&traced.condition, &traced.body});
  const auto outside = Unify({&traced.condition, &traced.body}, count);
  std::vector<Tensor> inputs = variables;
  for (Tensor& value : ValuesOf(outside)) inputs.push_back(std::move(value));
  ops::Attributes attributes{{"condition", std::shared_ptr<TensorObject>(traced.condition.graph)},
                             {"body", std::shared_ptr<TensorObject>(traced.body.graph)},
                             {"variables", int64_t{count}},
                             {"maximum_iterations", options.maximum_iterations},
                             {"parallel_iterations", int64_t{options.parallel_iterations}},
                             {"record", record}};
  if (kept > 0) {
    attributes.Set("kept", static_cast<int64_t>(kept));
  } else if (record) {
    KeepForGradient("While", &attributes);
  }
  return ops::Emit("While", std::move(inputs), std::move(attributes));
}

// A value of this type without elements where it can be; no iteration reads it.
Tensor FirstOf(const ops::TensorType& type) {
  Shape shape;
  for (int64_t size : type.shape.sizes()) shape.Append(size == Shape::kUnknown ? 0 : size);
  if (type.dtype != DType::kString) return Zeros(shape, type.dtype);
  return Tensor::FromStrings(std::vector<std::string>(shape.num_elements()), shape);
}

// The values that a variable of this type had when iterations began and at last, stacked: in all
// `count`, int64[].
Tensor Stacked(const ops::TensorType& type, const Tensor& history, const Tensor& last,
               const Tensor& count) {
  if (type.shape.fully_known()) return Concat({history, ExpandDims(last, 0)}, 0);
  std::vector<int64_t> known{Shape::kUnknown};
  for (int64_t size : type.shape.sizes()) known.push_back(size);
  return ReshapeBy(Concat({history, Reshape(last, {-1})}, 0),
                   Concat({ExpandDims(count, 0), ShapeOf(last, DType::kInt64)}, 0), known);
}

void RequireRanked(const ops::TensorType& type) {
  if (type.shape.ranked()) return;
  throw Error(
      Code::kInvalidArgument,
      "[while_loop] what is recorded must have a known number of axes; got " + type.ToString());
}

}  // namespace

Tensors LoopEagerly(const std::function<Tensor(const Tensors&)>& condition,
                    const std::function<Tensors(const Tensors&)>& body, Tensors variables,
                    const WhileOptions& options) {
  const auto types = VariableTypes(variables, options);
  for (int64_t i = 0; options.maximum_iterations < 0 || i < options.maximum_iterations; ++i) {
    const Tensor more = condition(variables);
    RequirePredicate(more, "while_loop");
    if (!more.scalar<bool>()) break;
    variables = Strong(body(variables), "while_loop");
    const std::vector<ops::TensorType> after = ops::TypesOf(variables);
    CheckBody(types, after);
  }
  return variables;
}

Tensors EmitLoop(const std::function<Tensor(const Tensors&)>& condition,
                 const std::function<Tensors(const Tensors&)>& body, const Tensors& variables,
                 const WhileOptions& options, bool record, size_t kept) {
  const auto types = VariableTypes(variables, options);
  LoopBodies traced = TraceLoop(condition, body, types);
  DropUnused(&traced.condition);
  DropUnused(&traced.body);
  CheckBodies(traced, types, kept);
  return EmitTraced(std::move(traced), variables, options, record, kept);
}

Tensors EmitRecordedLoop(const std::function<Tensor(const Tensors&)>& condition,
                         const std::function<Tensors(const Tensors&)>& body, const Tensors& initial,
                         const WhileOptions& options) {
  const Tensors variables = Strong(initial, "while_loop");
  for (const Tensor& variable : variables) RequireRanked(ops::TensorType::Of(variable));
  const auto types = VariableTypes(variables, options);
  const Tensors all = EmitLoop(condition, body, variables, options, true);
  const size_t count = variables.size();
  const Tensor values = all[count] + 1;
  Tensors results(all.begin(), all.begin() + static_cast<long>(count));
  for (size_t i = 0; i < count; ++i)
    results.push_back(Stacked(types[i], all[count + 1 + i], all[i], values));
  return results;
}

Tensors EmitRows(const Tensor& rows, const std::function<Tensors(const Tensor&)>& function) {
  const Tensor begin = Scalar<int32_t>(0);
  std::vector<ops::TensorType> types{ops::TensorType::Of(begin)};
  const auto body = [&](const Tensors& now) {
    Tensors next = function(now[0]);
    next.insert(next.begin(), now[0] + 1);
    return next;
  };
  LoopBodies traced =
      TraceLoop([&](const Tensors& now) { return Less(now[0], rows); }, body, types);
  // What a row gives becomes a variable too, that no other row looks at.
  const graph::Graph& given = *traced.body.graph;
  Tensors variables{begin};
  for (size_t i = 1; i < given.results().size(); ++i) {
    types.push_back(given.type(given.results()[i]));
    RequireRanked(types.back());
    variables.push_back(FirstOf(types.back()));
  }
  WhileOptions options;
  for (const ops::TensorType& type : types) options.shape_invariants.push_back(type.shape);
  for (Body* one : {&traced.condition, &traced.body}) {
    InsertUnused(one, 1, std::span(types).subspan(1));
    DropUnused(one);
  }
  const size_t count = types.size();
  const Tensors all = EmitTraced(std::move(traced), variables, options, true, 0);
  const Tensor values = all[count];
  Tensors results;
  for (size_t i = 1; i < count; ++i) {
    const Tensor stacked = Stacked(types[i], all[count + 1 + i], all[i], values);
    if (!types[i].shape.fully_known()) {
      results.push_back(stacked);  // the first one has no elements
      continue;
    }
    std::vector<int64_t> from(stacked.rank()), size(stacked.rank(), -1);
    from[0] = 1;
    results.push_back(Slice(stacked, from, size));
  }
  return results;
}

}  // namespace lockstep::runtime
