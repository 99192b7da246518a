// Random numbers that are tried until one is accepted: gamma, Poisson and binomial distributions.

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep {
namespace ops {
namespace {

// A seed, then [parameters] of float64 each; gives [samples, parameters] of float64.
std::vector<TensorType> InferRejection(const InferenceContext& context) {
  const TensorType& seed = context.inputs[0];
  const bool state = seed.dtype == DType::kInt64 && seed.shape == Shape{3};
  const bool integers = seed.dtype == DType::kInt32 || seed.dtype == DType::kInt64;
  if (!state && !(integers && seed.shape == Shape{2}))
    Reject(context.spec, "a seed is [2] of int32 or int64, or [3] of int64", seed.ToString());
  const TensorType& first = context.inputs[1];
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const TensorType& one = context.inputs[i];
    if (one.dtype != DType::kFloat64 || one.shape.rank() != 1 || one.shape[0] != first.shape[0])
      Reject(context.spec, "parameters are float64, as many of each", one.ToString());
  }
  const auto samples = context.attributes.Get<int64_t>("samples");
  if (samples < 0) Reject(context.spec, "samples must not be negative", std::to_string(samples));
  const auto highest = context.attributes.GetOr<double>("highest", 0);
  if (!(highest >= 0)) Reject(context.spec, "highest must be at least 0", std::to_string(highest));
  return {{DType::kFloat64, Shape{samples, first.shape[0]}}};
}

const RegisterOp kGamma({.name = "StatelessRandomGamma", .infer = InferRejection});
const RegisterOp kPoisson({.name = "StatelessRandomPoisson", .infer = InferRejection});
const RegisterOp kBinomial({.name = "StatelessRandomBinomial", .infer = InferRejection});

}  // namespace
}  // namespace ops

Tensor StatelessGamma(int64_t samples, const Tensor& seed, const Tensor& alphas) {
  return ops::Emit1("StatelessRandomGamma", {seed, StopGradient(alphas)}, {{"samples", samples}});
}

Tensor StatelessPoisson(int64_t samples, const Tensor& seed, const Tensor& rates, double highest) {
  return ops::Emit1("StatelessRandomPoisson", {seed, StopGradient(rates)},
                    {{"samples", samples}, {"highest", highest}});
}

Tensor StatelessBinomial(int64_t samples, const Tensor& seed, const Tensor& counts,
                         const Tensor& probabilities) {
  return ops::Emit1("StatelessRandomBinomial",
                    {seed, StopGradient(counts), StopGradient(probabilities)},
                    {{"samples", samples}});
}

}  // namespace lockstep
