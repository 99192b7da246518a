#include "case.h"
#include "gradients.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
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
  const Tensor row = lockstep::Gather(p, lockstep::Constant<int32_t>({1}));
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

Tensor GradientOf(const Forward& function, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  return tape.Gradient(function({x}), x);
}

// x where it is positive, squared, else turned round; differentiated inside a traced function.
Tensor CondGradient(const Tensor& x) {
  const lockstep::Function gradient([](const Tensor& v) {
    GradientTape tape;
    tape.Watch(v);
    const Tensor y = lockstep::Cond(
        lockstep::Greater(v, 0.0), [&] { return lockstep::Square(v); }, [&] { return -v; });
    return tape.Gradient(y, v);
  });
  return gradient(x);
}

// 2^(n + 1) by n products, and its derivative by the base.
void WhilePower(const Case& golden, Produced& produced) {
  const auto n = golden.Get<int32_t>("while_n");
  const lockstep::Function power(
      [n](const std::vector<Tensor>& in) {
        GradientTape tape;
        tape.Watch(in[0]);
        const std::vector<Tensor> end = lockstep::WhileLoop(
            [n](const std::vector<Tensor>& v) { return lockstep::Less(v[0], n); },
            [&](const std::vector<Tensor>& v) {
              return std::vector<Tensor>{v[0] + 1, v[1] * in[0]};
            },
            {lockstep::Scalar<int32_t>(0), in[0]});
        return std::vector<Tensor>{end[1], tape.Gradient(end[1], in[0])};
      },
      "power");
  const std::vector<Tensor> results = power.Call({lockstep::Scalar(2.0f)});
  produced["while_value"] = results[0];
  produced["while_loop_power"] = results[1];
}

void TapeSemantics(const Case& golden, Produced& produced) {
  const Tensor x = golden.Input("x");
  produced["square"] =
      GradientOf([](const std::vector<Tensor>& in) { return lockstep::Square(in[0]); }, x);
  const Variable variable(x);
  {
    GradientTape tape;
    const Tensor y = lockstep::Square(variable);
    variable.Assign(10.0f);
    produced["read_then_assign"] = tape.Gradient(y, variable);
  }
  produced["stop_gradient"] = GradientOf(
      [](const std::vector<Tensor>& in) { return in[0] * lockstep::StopGradient(in[0]); }, x);
  {
    GradientTape tape;
    tape.Watch(x);
    produced["list_target"] = tape.Gradient({x * 3.0, lockstep::Identity(x)}, {x})[0];
  }
  const Tensor other = lockstep::Scalar(1.0f);
  const Forward unconnected = [&](const std::vector<Tensor>&) { return other * 2.0; };
  ProduceGradient(produced, "unconnected_none", GradientOf(unconnected, x));
  {
    GradientTape tape;
    tape.Watch(x);
    produced["unconnected_zero"] = tape.Gradient(other * 2.0, x, {.zero_unconnected = true});
  }
  produced["second_order"] = GradientOf(
      [](const std::vector<Tensor>& in) {
        return GradientOf([](const std::vector<Tensor>& v) { return v[0] * v[0] * v[0]; }, in[0]);
      },
      x);
  produced["cond_pos"] = CondGradient(lockstep::Abs(x));
  produced["cond_neg"] = CondGradient(-lockstep::Abs(x));
  WhilePower(golden, produced);
}

const RegisterGroup kAutodiff(
    "autodiff",
    {
        {"tape_scalar_semantics", TapeSemantics},
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
