#include "lockstep/runtime/control_flow.h"

#include <algorithm>

#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/branches.h"
#include "runtime/control_flow_gradient.h"
#include "runtime/eager.h"
#include "runtime/graph_builder.h"
#include "runtime/loop.h"
#include "runtime/loop_history.h"
#include "runtime/program_items.h"
#include "runtime/replay.h"

namespace lockstep {

namespace runtime {
namespace {

std::string TypesOf(const graph::Graph& graph) {
  std::string text;
  for (graph::Endpoint result : graph.results()) {
    text += (text.empty() ? "" : ", ") + graph.type(result).ToString();
  }
  return text.empty() ? "nothing" : text;
}

std::vector<ops::TensorType> InferIf(const ops::InferenceContext& context) {
  const graph::Graph& then = BodyOf(context.attributes, "then");
  const graph::Graph& otherwise = BodyOf(context.attributes, "else");
  const ops::TensorType& predicate = context.inputs[0];
  if (predicate.dtype != DType::kBool ||
      (predicate.shape.ranked() && predicate.shape.rank() != 0)) {
    throw Error(Code::kInvalidArgument,
                "[cond] the predicate must be a bool scalar; got " + predicate.ToString());
  }
  for (const graph::Graph* body : {&then, &otherwise})
    RequireParameters(*body, context.inputs.subspan(1), "cond");
  std::vector<ops::TensorType> types;
  const auto refuse = [&] {
    throw Error(Code::kInvalidArgument,
                "[cond] both branches must give as many tensors of equal dtypes and ranks; got " +
                    TypesOf(then) + " and " + TypesOf(otherwise));
  };
  const auto kept = [&](const char* name) { return context.attributes.GetOr<int64_t>(name, 0); };
  const auto results = static_cast<int64_t>(then.results().size());
  if (then.results().size() != otherwise.results().size() || kept("kept_then") < 0 ||
      kept("kept_else") < 0 || kept("kept_then") > results ||
      kept("kept_else") > results - kept("kept_then")) {
    refuse();
  }
  for (size_t i = 0; i < then.results().size(); ++i) {
    ops::TensorType type = then.type(then.results()[i]);
    const ops::TensorType& other = otherwise.type(otherwise.results()[i]);
    if (type.dtype != other.dtype) refuse();
    if (!type.shape.ranked() || !other.shape.ranked()) {
      type.shape = Shape::Unranked();
      types.push_back(type);
      continue;
    }
    if (type.shape.rank() != other.shape.rank()) refuse();
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      if (type.shape[axis] != other.shape[axis]) type.shape.set_dim(axis, Shape::kUnknown);
    }
    types.push_back(type);
  }
  return types;
}

std::vector<ops::TensorType> InferWhile(const ops::InferenceContext& context) {
  const HistoryEntries entries = EntriesOf(context.attributes);
  const graph::Graph& condition = BodyOf(context.attributes, "condition");
  const graph::Graph& body = BodyOf(context.attributes, "body");
  for (const graph::Graph* part : {&condition, &body})
    RequireParameters(*part, context.inputs, "while_loop");
  const bool is_predicate = condition.results().size() == 1 &&
                            condition.type(condition.results()[0]).dtype == DType::kBool;
  if (!is_predicate) {
    throw Error(Code::kInvalidArgument,
                "[while_loop] the condition must give a bool; got " + TypesOf(condition));
  }
  for (size_t i = 0; i < entries.variables; ++i) {
    if (body.type(body.results()[i]).dtype == entries.types[i].dtype) continue;
    throw Error(
        Code::kInvalidArgument,
        "[while_loop] the body must give the dtypes of its variables; got " + TypesOf(body));
  }
  std::vector<ops::TensorType> types(entries.types.begin(),
                                     entries.types.begin() + static_cast<long>(entries.variables));
  if (!context.attributes.GetOr<bool>("record", false)) return types;
  const std::vector<ops::TensorType> history = HistoryTypes(entries.types);
  types.insert(types.end(), history.begin(), history.end());
  return types;
}

// What the bodies do is not known to who looks at the node alone: it is kept and ordered.
const ops::RegisterOp kIf(
    {.name = "If", .infer = InferIf, .gradient = IfGradient, .effects = {.external = true}});
const ops::RegisterOp kWhile({.name = "While",
                              .infer = InferWhile,
                              .gradient = WhileGradient,
                              .effects = {.external = true}});

std::vector<ops::TensorType> InferGroup(const ops::InferenceContext&) {
  return {{DType::kBool, Shape{}, DType::kBool}};
}
const ops::RegisterOp kGroup({.name = "Group", .infer = InferGroup});

bool Eager() { return &ops::CurrentBuilder() == &EagerBuilder::Instance(); }

graph::Tracer* CurrentTracer() { return dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder()); }

std::vector<Tensor> Resolved(const std::vector<Tensor>& values, const char* where) {
  std::vector<Tensor> resolved;
  for (const Tensor& value : values) {
    std::vector<Tensor> one{value};
    ops::ResolveWeak(one, where);
    resolved.push_back(one[0]);
  }
  return resolved;
}

Tensors EmitBranches(const Tensor& predicate, Body then, Body otherwise) {
  for (Body* body : {&then, &otherwise}) DropUnused(body);
  NameVariablesRead({&then, &otherwise});
  const auto outside = Unify({&then, &otherwise}, 0);
  std::vector<Tensor> inputs{predicate};
  for (Tensor& value : ValuesOf(outside)) inputs.push_back(std::move(value));
  ops::Attributes attributes{{"then", std::shared_ptr<TensorObject>(then.graph)},
                             {"else", std::shared_ptr<TensorObject>(otherwise.graph)}};
  if (ops::IsRecording()) KeepForGradient("If", &attributes);
  Tensors results = ops::Emit("If", std::move(inputs), std::move(attributes));
  results.resize(then.graph->results().size());
  return results;
}

}  // namespace
}  // namespace runtime

Tensors Cond(const Tensor& predicate, const std::function<Tensors()>& then,
             const std::function<Tensors()>& otherwise) {
  runtime::RequirePredicate(predicate, "cond");
  if (!predicate.is_symbolic() && (runtime::Eager() || predicate.is_weak())) {
    return runtime::Resolved(predicate.scalar<bool>() ? then() : otherwise(), "cond");
  }
  runtime::Body yes = runtime::TraceBody([&](const Tensors&) { return then(); }, {});
  runtime::Body no = runtime::TraceBody([&](const Tensors&) { return otherwise(); }, {});
  return runtime::EmitBranches(predicate, std::move(yes), std::move(no));
}

namespace runtime {

void RequirePredicate(const Tensor& predicate, const char* where) {
  if (predicate.dtype() != DType::kBool || predicate.rank() != 0) {
    throw Error(Code::kInvalidArgument,
                std::string("[") + where + "] the predicate must be a bool scalar; got " +
                    std::string(DTypeName(predicate.dtype())) + predicate.shape().ToString());
  }
}

Tensors JoinBranches(const Tensor& predicate, const std::function<void()>& then,
                     const std::function<void()>& otherwise, const std::function<void()>& join,
                     const std::function<Tensors(int)>& give) {
  RequirePredicate(predicate, "cond");
  OpenBody first({}), second({});
  first.Trace(then);
  second.Trace(otherwise);
  join();
  Body yes = first.Close([&] { return give(0); });
  Body no = second.Close([&] { return give(1); });
  return EmitBranches(predicate, std::move(yes), std::move(no));
}

}  // namespace runtime

Tensors WhileLoop(const std::function<Tensor(const Tensors&)>& condition,
                  const std::function<Tensors(const Tensors&)>& body, const Tensors& initial,
                  const WhileOptions& options) {
  const Tensors variables = runtime::Resolved(initial, "while_loop");
  if (runtime::Eager()) return runtime::LoopEagerly(condition, body, variables, options);
  Tensors results = runtime::EmitLoop(condition, body, variables, options, ops::IsRecording());
  results.resize(variables.size());
  return results;
}

ControlDependencies::ControlDependencies(const Tensors& tensors) {
  graph::Tracer* tracer = runtime::CurrentTracer();
  if (tracer == nullptr) return;
  std::vector<int> nodes;
  for (const Tensor& tensor : tensors) nodes.push_back(tracer->EndpointOf(tensor).node);
  tracer->PushControl(std::move(nodes));
  tracer_ = tracer;
}

ControlDependencies::ControlDependencies(const std::vector<Operation>& operations) {
  graph::Tracer* tracer = runtime::CurrentTracer();
  if (tracer == nullptr) return;
  std::vector<int> nodes;
  for (const Operation& operation : operations) {
    nodes.push_back(runtime::ControlNode(*tracer, operation));
  }
  tracer->PushControl(std::move(nodes));
  tracer_ = tracer;
}

ControlDependencies::ControlDependencies(std::nullptr_t) : sets_aside_(true) {
  graph::Tracer* tracer = runtime::CurrentTracer();
  if (tracer == nullptr) return;
  set_aside_ = tracer->TakeControls();
  tracer_ = tracer;
}

ControlDependencies::~ControlDependencies() {
  if (tracer_ == nullptr) return;
  auto* tracer = static_cast<graph::Tracer*>(tracer_);
  if (sets_aside_) {
    tracer->PutControls(std::move(set_aside_));
  } else {
    tracer->PopControl();
  }
}

Tensor Group(const Tensors& tensors) {
  if (runtime::CurrentTracer() == nullptr) return Tensor::FromBools({true}, Shape{});
  const ControlDependencies wait(tensors);
  return ops::Emit1("Group", {});
}

}  // namespace lockstep
