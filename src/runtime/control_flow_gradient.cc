#include "runtime/control_flow_gradient.h"

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/gradient_tape.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/loop_history.h"
#include "runtime/program_items.h"

namespace lockstep::runtime {

namespace {

// The gradient computes a body a second time, so a body must not change anything.
void RefuseWrites(const graph::Graph& body, const char* where) {
  ResourceSet writes;
  CollectWrites(body, &writes);
  if (!writes.empty()) {
    throw Error(Code::kUnimplemented,
                std::string("[") + where +
                    "] a body that is differentiated must not assign variables; got assignments "
                    "to " +
                    std::to_string(writes.size()) + "; move them behind the gradient");
  }
}

Tensor ZerosLike(const Tensor& x) { return ops::Emit1("ZerosLike", {x}); }

// Floating tensors take part in differentiation; the places of those in `tensors`.
std::vector<size_t> Differentiable(std::span<const Tensor> tensors, size_t begin, size_t end) {
  std::vector<size_t> places;
  for (size_t i = begin; i < end; ++i) {
    if (IsFloating(tensors[i].dtype())) places.push_back(i);
  }
  return places;
}

// d(sum of weight * body(arguments)) / d(arguments at `sources`); empty where nothing flows.
std::vector<Tensor> BodyGradient(const graph::Graph& body, const std::vector<Tensor>& arguments,
                                 const std::vector<size_t>& sources,
                                 const std::vector<Tensor>& weights) {
  GradientTape tape({.watch_accessed_variables = false});
  std::vector<Tensor> own, watched, targets, target_weights;
  for (const Tensor& argument : arguments) own.push_back(Identity(argument));
  for (size_t source : sources) {
    tape.Watch(own[source]);
    watched.push_back(own[source]);
  }
  const std::vector<Tensor> results = Inline(body, own);
  for (size_t i = 0; i < results.size(); ++i) {
    if (i >= weights.size() || !weights[i].defined() || !IsFloating(results[i].dtype())) continue;
    targets.push_back(results[i]);
    target_weights.push_back(weights[i]);
  }
  if (targets.empty()) return std::vector<Tensor>(sources.size());
  return tape.Gradient(targets, watched, {.output_gradients = target_weights});
}

}  // namespace

std::vector<Tensor> IfGradient(const ops::GradientContext& context) {
  const std::vector<Tensor> values(context.inputs.begin() + 1, context.inputs.end());
  const auto sources = Differentiable(values, 0, values.size());
  const std::vector<Tensor> weights(context.output_gradients.begin(),
                                    context.output_gradients.end());
  const auto branch = [&](const char* name) {
    const graph::Graph& body = BodyOf(context.attributes, name);
    RefuseWrites(body, "cond");
    std::vector<Tensor> gradients = BodyGradient(body, values, sources, weights);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!gradients[i].defined()) gradients[i] = ZerosLike(values[sources[i]]);
    }
    return gradients;
  };
  const Tensors gradients = Cond(
      context.inputs[0], [&] { return branch("then"); }, [&] { return branch("else"); });
  std::vector<Tensor> all(context.inputs.size());
  for (size_t i = 0; i < sources.size(); ++i) all[sources[i] + 1] = gradients[i];
  return all;
}

std::vector<Tensor> WhileGradient(const ops::GradientContext& context) {
  const graph::Graph& body = BodyOf(context.attributes, "body");
  RefuseWrites(body, "while_loop");
  const size_t count = static_cast<size_t>(context.attributes.Get<int64_t>("variables"));
  const size_t inputs = context.inputs.size();
  std::vector<ops::TensorType> types;
  for (size_t i = 0; i < count; ++i) types.push_back(body.type(body.parameters()[i]));
  const LoopHistory history(context, types);
  const auto variables = Differentiable(context.inputs, 0, count);
  const auto outside = Differentiable(context.inputs, count, inputs);
  std::vector<size_t> sources = variables;
  sources.insert(sources.end(), outside.begin(), outside.end());
  // State of the reverse loop: how many iterations are left, the variables' gradients, and the sums
  // for what comes from outside. -0 + x = x for every x.
  Tensors state{history.iterations()};
  for (size_t v : variables) {
    const Tensor& given = context.output_gradients[v];
    state.push_back(given.defined() ? Identity(given) : ZerosLike(context.outputs[v]));
  }
  for (size_t o : outside) state.push_back(-ZerosLike(context.inputs[o]));
  const auto backward = [&](const Tensors& now) {
    const Tensor left = now[0] - 1;
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < inputs; ++i) {
      arguments.push_back(i < count ? history.Value(i, left) : context.inputs[i]);
    }
    std::vector<Tensor> weights(count);
    for (size_t k = 0; k < variables.size(); ++k) weights[variables[k]] = now[1 + k];
    const std::vector<Tensor> gradients = BodyGradient(body, arguments, sources, weights);
    Tensors next{left};
    for (size_t k = 0; k < sources.size(); ++k) {
      const bool sums = k >= variables.size();
      if (sums) {
        next.push_back(gradients[k].defined() ? now[1 + k] + gradients[k] : now[1 + k]);
        continue;
      }
      Tensor gradient = gradients[k].defined() ? gradients[k] : ZerosLike(arguments[sources[k]]);
      // The values with which iterations began are outputs too, for the gradient's gradient.
      const Tensor kept = history.Gradient(sources[k], left);
      if (kept.defined()) gradient = gradient + kept;
      next.push_back(gradient);
    }
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
  return all;
}

}  // namespace lockstep::runtime
