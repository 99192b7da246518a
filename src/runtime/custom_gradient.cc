#include "lockstep/runtime/custom_gradient.h"

#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "runtime/body_tracer.h"
#include "runtime/eager.h"

namespace lockstep {

namespace runtime {
namespace {

// The attribute "gradient": a function, or what it was traced to, whose outside values are then the
// op's last inputs.
struct GradientBody : TensorObject {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function;
  std::shared_ptr<graph::Graph> graph;
  std::vector<bool> given;  // of a graph: which gradients it has
  size_t results = 0, sources = 0;
};

const GradientBody& BodyOf(const ops::Attributes& attributes) {
  return ops::ObjectAttribute<const GradientBody>(attributes, "gradient");
}

std::vector<ops::TensorType> Infer(const ops::InferenceContext& context) {
  const size_t results = BodyOf(context.attributes).results;
  if (results > context.inputs.size()) {
    throw Error(Code::kInvalidArgument, "[custom_gradient] the inputs must begin with the " +
                                            std::to_string(results) + " results; got " +
                                            std::to_string(context.inputs.size()) + " inputs");
  }
  const auto count = static_cast<long>(results);
  return {context.inputs.begin(), context.inputs.begin() + count};
}

std::vector<Tensor> Differentiated(const ops::GradientContext& context) {
  const GradientBody& body = BodyOf(context.attributes);
  std::vector<Tensor> upstream;
  for (size_t i = 0; i < body.results; ++i) {
    const Tensor& given = context.output_gradients[i];
    upstream.push_back(given.defined() ? given : ops::Emit1("ZerosLike", {context.outputs[i]}));
  }
  std::vector<Tensor> own;
  if (body.graph == nullptr) {
    own = body.function(upstream);
  } else {
    const size_t outside = body.results + body.sources;
    upstream.insert(upstream.end(), context.inputs.begin() + static_cast<long>(outside),
                    context.inputs.end());
    auto next = Inline(*body.graph, upstream);
    size_t taken = 0;
    for (bool given : body.given) own.push_back(given ? next[taken++] : Tensor());
  }
  if (own.size() != body.sources) {
    throw Error(Code::kInvalidArgument,
                "[custom_gradient] the gradient gives a tensor for each argument and variable; "
                "got " +
                    std::to_string(own.size()) + " for " + std::to_string(body.sources));
  }
  std::vector<Tensor> all(context.inputs.size());
  std::copy(own.begin(), own.end(), all.begin() + static_cast<long>(body.results));
  return all;
}

// The results are the values of as many inputs; the others are there for gradients.
ops::RowEffect Rows(const ops::RowContext& context) {
  const size_t count = BodyOf(context.attributes).results;
  size_t rows = 0;
  for (size_t i = 0; i < count; ++i) rows += context.has_rows[i] != 0;
  if (rows == 0) return ops::RowEffect::kWhole;
  return rows == count ? ops::RowEffect::kRows : ops::RowEffect::kMixes;
}

const ops::RegisterOp kOne({.name = "CustomGradient",
                            .infer = Infer,
                            .gradient = Differentiated,
                            .rows = Rows,
                            .view = true});
const ops::RegisterOp kSeveral(
    {.name = "CustomGradientN", .infer = Infer, .gradient = Differentiated, .rows = Rows});

// A graph may be copied and run anywhere, so what its gradient names must be inputs of the node.
std::vector<Tensor> TraceGradient(GradientBody& body, const std::vector<Tensor>& results) {
  const std::vector<ops::TensorType> types = ops::TypesOf(results);
  const Body traced = TraceBody(
      [&](const std::vector<Tensor>& upstream) {
        std::vector<Tensor> defined;
        for (const Tensor& gradient : body.function(upstream)) {
          body.given.push_back(gradient.defined());
          if (gradient.defined()) defined.push_back(gradient);
        }
        return defined;
      },
      types);
  body.graph = traced.graph;
  body.function = nullptr;
  return ValuesOf(traced.outside);
}

}  // namespace
}  // namespace runtime

std::vector<Tensor> CustomGradient(
    const std::function<WithGradient(const std::vector<Tensor>&)>& function,
    const std::vector<Tensor>& given, const std::vector<Variable>& variables) {
  const std::vector<Tensor> arguments = runtime::Strong(given, "custom_gradient");
  auto body = std::make_shared<runtime::GradientBody>();
  // The ops inside are recorded: gradients of the gradient may flow through what it names.
  WithGradient made = function(arguments);
  std::vector<Tensor> inputs = runtime::Strong(std::move(made.results), "custom_gradient");
  body->function = std::move(made.gradient);
  if (inputs.empty()) return {};
  body->results = inputs.size();
  body->sources = arguments.size() + variables.size();
  std::vector<Tensor> outside;
  if (&ops::CurrentBuilder() != &runtime::EagerBuilder::Instance())
    outside = runtime::TraceGradient(*body, inputs);
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  for (const Variable& variable : variables) inputs.push_back(variable.handle());
  inputs.insert(inputs.end(), outside.begin(), outside.end());
  return ops::Emit(body->results == 1 ? "CustomGradient" : "CustomGradientN", std::move(inputs),
                   {{"gradient", std::shared_ptr<TensorObject>(body)}});
}

}  // namespace lockstep
