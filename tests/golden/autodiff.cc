#include "case.h"
#include "gradients.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/gradient_tape.h"

namespace golden {
namespace {

using lockstep::GradientTape;
using lockstep::Tensor;
using lockstep::Variable;

// The gradient of the sum of `function` of the inputs `names`.
Handler Edge(const std::vector<std::string>& names, const Forward& function) {
  return [names, function](const Case& golden, Produced& produced) {
    std::vector<Tensor> inputs;
    GradientTape tape;
    for (const std::string& name : names) {
      inputs.push_back(golden.Input(name));
      tape.Watch(inputs.back());
    }
    const std::vector<Tensor> gradients = tape.Gradient({function(inputs)}, inputs);
    for (size_t i = 0; i < names.size(); ++i)
      ProduceGradient(produced, "d_" + names[i], gradients[i]);
  };
}

Handler EdgeOf(Tensor (*function)(const Tensor&)) {
  return Edge({"x"}, [function](const std::vector<Tensor>& in) { return function(in[0]); });
}

Tensor Indices(const Case& golden) {
  std::vector<int32_t> indices;
  for (const int64_t index : golden.Integers("indices"))
    indices.push_back(static_cast<int32_t>(index));
  return lockstep::Constant<int32_t>(indices);
}

// sum(gather(p)^2) + 3 sum(p[1]).
void GatherPlusDense(const Case& golden, Produced& produced) {
  const Variable p(golden.Input("p"));
  GradientTape tape;
  const Tensor gathered =
      lockstep::ReduceSum(lockstep::Square(lockstep::Gather(p, Indices(golden))));
  const Tensor row = lockstep::Slice(p, {1, 0}, {1, -1});
  ProduceGradient(produced, "d_p", tape.Gradient(gathered + lockstep::ReduceSum(row) * 3.0, p));
}

// sum(gather(p)^2), whose gradient stays slices.
void SlicesOfGather(const Case& golden, Produced& produced) {
  const Variable p(golden.Input("p"));
  GradientTape tape;
  const Tensor gathered =
      lockstep::ReduceSum(lockstep::Square(lockstep::Gather(p, Indices(golden))));
  const Tensor gradient = tape.Gradient(gathered, p);
  const auto* slices = lockstep::IndexedSlices::Of(gradient);
  if (slices == nullptr) return;
  produced["values"] = slices->values;
  produced["indices"] = slices->indices;
}

const RegisterGroup kAutodiff(
    "autodiff",
    {
        {"gather_plus_dense_gradient", GatherPlusDense},
        {"indexed_slices_gradient", SlicesOfGather},
        {"grad_edge_relu", EdgeOf(lockstep::Relu)},
        {"grad_edge_relu6", EdgeOf(lockstep::Relu6)},
        {"grad_edge_abs", EdgeOf(lockstep::Abs)},
        {"grad_edge_sqrt", EdgeOf(lockstep::Sqrt)},
        {"grad_edge_leaky", Edge({"x"}, [](const auto& in) { return lockstep::LeakyRelu(in[0]); })},
        {"grad_edge_elu", Edge({"x"}, [](const auto& in) { return lockstep::Elu(in[0]); })},
        {"grad_edge_selu", EdgeOf(lockstep::Selu)},
        {"grad_edge_clip",
         Edge({"x"}, [](const auto& in) { return lockstep::ClipByValue(in[0], 0.0, 1.0); })},
        {"grad_edge_norm",
         Edge({"x"}, [](const auto& in) { return lockstep::ReduceEuclideanNorm(in[0]); })},
        {"grad_edge_prod", Edge({"x"}, [](const auto& in) { return lockstep::ReduceProd(in[0]); })},
        {"grad_edge_softplus", EdgeOf(lockstep::Softplus)},
        {"grad_edge_maximum",
         Edge({"a", "b"}, [](const auto& in) { return lockstep::Maximum(in[0], in[1]); })},
        {"grad_edge_minimum",
         Edge({"a", "b"}, [](const auto& in) { return lockstep::Minimum(in[0], in[1]); })},
    });

}  // namespace
}  // namespace golden
