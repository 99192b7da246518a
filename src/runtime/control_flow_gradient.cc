#include "runtime/control_flow_gradient.h"

#include <algorithm>
#include <numeric>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/gradient_tape.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/loop_history.h"
#include "runtime/program_items.h"
#include "runtime/replay.h"

namespace lockstep::runtime {

namespace {

// Floating tensors take part in differentiation; the places of those in `tensors`.
std::vector<size_t> Differentiable(std::span<const Tensor> tensors, size_t begin, size_t end) {
  std::vector<size_t> places;
  for (size_t i = begin; i < end; ++i) {
    if (IsFloating(tensors[i].dtype())) places.push_back(i);
  }
  return places;
}

// The places of variables that bodies read inside.
std::vector<size_t> Variables(std::span<const Tensor> tensors, size_t begin) {
  std::vector<size_t> places;
  for (size_t i = begin; i < tensors.size(); ++i) {
    if (tensors[i].dtype() == DType::kResource && IsFloating(tensors[i].element_dtype()))
      places.push_back(i);
  }
  return places;
}

// Like a value, or like what a variable holds.
Tensor ZerosFor(const Tensor& source) {
  if (source.dtype() != DType::kResource) return ZerosLike(source);
  const Shape& shape = source.shape();
  return shape.fully_known() ? Zeros(shape, source.element_dtype())
                             : ZerosLike(ops::Emit1("ReadVariableOp", {source}));
}

// A body as it is differentiated.
struct Differentiated {
  const graph::Graph& body;
  std::span<const graph::Endpoint> kept_at;
  size_t results;
};

// d(sum of weight * result) / d(arguments at `sources`, then all of `kept`); empty where nothing
// flows.
std::vector<Tensor> BodyGradient(const Differentiated& of, const std::vector<Tensor>& arguments,
                                 const std::vector<size_t>& sources,
                                 const std::vector<Tensor>& kept,
                                 const std::vector<Tensor>& weights) {
  GradientTape tape({.watch_accessed_variables = false});
  const auto own_of = [](const Tensor& value) {
    return value.dtype() == DType::kResource ? value : Identity(value);
  };
  std::vector<Tensor> own, own_kept, watched, targets, target_weights;
  for (const Tensor& argument : arguments) own.push_back(own_of(argument));
  for (const Tensor& value : kept) own_kept.push_back(own_of(value));
  for (size_t source : sources) watched.push_back(own[source]);
  watched.insert(watched.end(), own_kept.begin(), own_kept.end());
  for (const Tensor& source : watched)
    if (IsFloating(source.dtype())) tape.Watch(source);
  const std::vector<Tensor> results = Replay(of.body, own, of.kept_at, own_kept, of.results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (i >= weights.size() || !weights[i].defined() || !IsFloating(results[i].dtype())) continue;
    targets.push_back(results[i]);
    target_weights.push_back(weights[i]);
  }
  if (targets.empty()) return std::vector<Tensor>(watched.size());
  return tape.Gradient(targets, watched, {.output_gradients = target_weights});
}

// What flows to a variable whose values in the iterations of a loop inside of the body have this
// gradient: the sum over the leading axes.
Tensor OfVariable(const Tensor& gradient, const Tensor& variable) {
  const Shape& shape = variable.shape();
  if (!shape.fully_known()) {
    throw Error(Code::kUnimplemented,
                "[while_loop] the gradient of a variable that a loop in a loop assigns needs its "
                "shape; got a variable of shape " +
                    shape.ToString() + "; make it with a shape that is known");
  }
  std::vector<int64_t> axes(gradient.rank() - shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return ReduceSum(gradient, axes);
}

// The sum of those of `gradients`, one for each kept value, that belong to `variable`; empty where
// nothing flows.
Tensor SumFor(const Tensor& variable, const Differentiated& of,
              const std::vector<Tensor>& gradients) {
  Tensor sum;
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined()) continue;
    const Tensor handle = VariableKeptAt(of.body, of.kept_at[k]);
    if (!handle.defined() || handle.object() != variable.object()) continue;
    const bool stacked = gradients[k].rank() != variable.shape().rank();
    const Tensor own = stacked ? OfVariable(gradients[k], variable) : gradients[k];
    sum = sum.defined() ? sum + own : own;
  }
  return sum;
}

// `a` and `b`, either of which may be empty.
Tensor Sum(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return a + b;
}

}  // namespace

std::vector<Tensor> IfGradient(const ops::GradientContext& context) {
  const std::vector<Tensor> values(context.inputs.begin() + 1, context.inputs.end());
  const auto sources = Differentiable(values, 0, values.size());
  const auto variables = Variables(values, 0);
  const auto then = KeptPlaces(context.attributes, "then");
  const auto otherwise = KeptPlaces(context.attributes, "else");
  const size_t results = context.outputs.size() - then.size() - otherwise.size();
  const auto given = context.output_gradients.begin();
  const std::vector<Tensor> weights(given, given + static_cast<long>(results));
  const auto branch = [&](const char* name, size_t first,
                          std::span<const graph::Endpoint> kept_at) {
    const Differentiated of{BodyOf(context.attributes, name), kept_at, results};
    const auto kept = context.outputs.begin() + static_cast<long>(first);
    const std::vector<Tensor> all = BodyGradient(
        of, values, sources, {kept, kept + static_cast<long>(kept_at.size())}, weights);
    std::vector<Tensor> gradients, of_kept;
    for (size_t i = 0; i < sources.size(); ++i)
      gradients.push_back(all[i].defined() ? all[i] : ZerosLike(values[sources[i]]));
    // What ops gave is an output too, for the gradient's gradient.
    for (size_t k = 0; k < kept_at.size(); ++k)
      of_kept.push_back(Sum(all[sources.size() + k], context.output_gradients[first + k]));
    for (size_t variable : variables) {
      const Tensor sum = SumFor(values[variable], of, of_kept);
      gradients.push_back(sum.defined() ? sum : ZerosFor(values[variable]));
    }
    return gradients;
  };
  const Tensors gradients = Cond(
      context.inputs[0], [&] { return branch("then", results, then); },
      [&] { return branch("else", results + then.size(), otherwise); });
  std::vector<Tensor> all(context.inputs.size());
  for (size_t i = 0; i < sources.size(); ++i) all[sources[i] + 1] = gradients[i];
  for (size_t i = 0; i < variables.size(); ++i)
    all[variables[i] + 1] = gradients[sources.size() + i];
  return all;
}

std::vector<Tensor> WhileGradient(const ops::GradientContext& context) {
  const LoopHistory history(context);
  const std::vector<ops::TensorType>& types = history.entries().types;
  const size_t count = history.entries().variables;
  const size_t inputs = context.inputs.size();
  const Differentiated of{BodyOf(context.attributes, "body"),
                          KeptPlaces(context.attributes, "body"), count};
  const auto variables = Differentiable(context.inputs, 0, count);
  const auto outside = Differentiable(context.inputs, count, inputs);
  const auto read = Variables(context.inputs, count);
  std::vector<size_t> sources = variables;
  sources.insert(sources.end(), outside.begin(), outside.end());
  // State of the reverse loop: how many iterations are left, the loop variables' gradients, and the
  // sums for what comes from outside and for the variables that the body reads.
  Tensors state{history.iterations()};
  for (size_t v : variables) {
    const Tensor& given = context.output_gradients[v];
    state.push_back(given.defined() ? Identity(given) : ZerosLike(context.outputs[v]));
  }
  std::vector<size_t> summed = outside;
  summed.insert(summed.end(), read.begin(), read.end());
  // -0 + x = x for every x; where there are no iterations, 0.
  for (size_t s : summed) {
    const Tensor zeros = ZerosFor(context.inputs[s]);
    const Tensor none = Equal(history.iterations(), 0);
    state.push_back(Where(none, zeros, -zeros));
  }
  const auto backward = [&](const Tensors& now) {
    const Tensor left = now[0] - 1;
    std::vector<Tensor> arguments, kept;
    for (size_t i = 0; i < inputs; ++i) {
      arguments.push_back(i < count ? history.Value(i, left) : context.inputs[i]);
    }
    for (size_t k = count; k < types.size(); ++k) kept.push_back(history.Value(k, left));
    std::vector<Tensor> weights(count);
    for (size_t k = 0; k < variables.size(); ++k) weights[variables[k]] = now[1 + k];
    const std::vector<Tensor> gradients = BodyGradient(of, arguments, sources, kept, weights);
    Tensors next{left};
    for (size_t k = 0; k < sources.size(); ++k) {
      if (k >= variables.size()) {
        next.push_back(Sum(now[1 + k], gradients[k]));
        continue;
      }
      const Tensor gradient =
          gradients[k].defined() ? gradients[k] : ZerosLike(arguments[sources[k]]);
      // The history is an output too, for the gradient's gradient.
      next.push_back(Sum(gradient, history.Gradient(sources[k], left)));
    }
    std::vector<Tensor> of_kept;
    for (size_t k = 0; k < kept.size(); ++k)
      of_kept.push_back(Sum(gradients[sources.size() + k], history.Gradient(count + k, left)));
    for (size_t r : read)
      next.push_back(Sum(now[next.size()], SumFor(context.inputs[r], of, of_kept)));
    return next;
  };
  WhileOptions options;
  for (const Tensor& value : state) options.shape_invariants.push_back(value.shape());
  for (size_t k = 0; k < variables.size(); ++k)
    options.shape_invariants[1 + k] = types[variables[k]].shape;
  const Tensors last =
      WhileLoop([](const Tensors& now) { return Greater(now[0], 0); }, backward, state, options);
  std::vector<Tensor> all(inputs);
  for (size_t k = 0; k < sources.size(); ++k) all[sources[k]] = last[1 + k];
  for (size_t k = 0; k < read.size(); ++k) all[read[k]] = last[1 + sources.size() + k];
  return all;
}

}  // namespace lockstep::runtime
