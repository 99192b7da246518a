#include <stdexcept>

#include "case.h"
#include "lockstep/nn/initializers.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/random.h"

namespace golden {
namespace {

using lockstep::DType;
using lockstep::InitializerPtr;
using lockstep::Shape;
using lockstep::Tensor;
namespace initializers = lockstep::initializers;

std::optional<int64_t> SeedOf(const Case& golden) {
  if (!golden.HasParam("seed")) return {};
  return golden.Get<int64_t>("seed");
}

Handler Initializer(const std::function<InitializerPtr(const Case&)>& make) {
  return [make](const Case& golden, Produced& produced) {
    const Shape shape(golden.Integers("shape"));
    produced["w"] = make(golden)->Make(shape, DTypeOf(golden.OutputDType("w")), 0);
  };
}

Handler Seeded(InitializerPtr (*make)(std::optional<int64_t>)) {
  return Initializer([make](const Case& golden) { return make(SeedOf(golden)); });
}

InitializerPtr VarianceScaling(const Case& golden) {
  initializers::VarianceScalingOptions options{.scale = golden.Param("scale", 1.0),
                                               .seed = SeedOf(golden)};
  const auto mode = golden.Param<std::string>("mode", "fan_in");
  const auto distribution = golden.Param<std::string>("distribution", "truncated_normal");
  options.mode = mode == "fan_in"    ? initializers::FanMode::kIn
                 : mode == "fan_out" ? initializers::FanMode::kOut
                                     : initializers::FanMode::kAverage;
  options.distribution = distribution == "uniform" ? initializers::Distribution::kUniform
                         : distribution == "untruncated_normal"
                             ? initializers::Distribution::kUntruncatedNormal
                             : initializers::Distribution::kTruncatedNormal;
  return initializers::VarianceScaling(options);
}

// Two Dense layers with default initializers, which take Keras's seeds in order.
void DefaultSeeds(const Case& golden, Produced& produced) {
  lockstep::SetRandomSeed(golden.Get<int64_t>("seed"));
  std::vector<int64_t> seeds;
  for (const std::string name : {"kernel_a", "kernel_b"}) {
    seeds.push_back(lockstep::NextDefaultSeed());
    produced[name] = initializers::GlorotUniform(seeds.back())
                         ->Make(golden.OutputShape(name), DType::kFloat32, 0);
  }
  produced["layer_seeds"] = lockstep::Constant<int64_t>(seeds);
}

// Dropout of ones: call i uses the seed [seed, i].
void DropoutMasks(const Case& golden, Produced& produced) {
  const auto seed = golden.Get<int64_t>("seed");
  for (size_t call = 0; call < golden.outputs().size(); ++call) {
    const std::string name = "call" + std::to_string(call);
    produced[name] = lockstep::StatelessDropout(
        lockstep::Ones(golden.OutputShape(name)), golden.Get<double>("rate"),
        lockstep::Constant<int64_t>({seed, static_cast<int64_t>(call)}));
  }
}

const RegisterGroup kInitializers(
    "initializers",
    {
        {"init_GlorotUniform", Seeded(initializers::GlorotUniform)},
        {"init_GlorotNormal", Seeded(initializers::GlorotNormal)},
        {"init_HeUniform", Seeded(initializers::HeUniform)},
        {"init_HeNormal", Seeded(initializers::HeNormal)},
        {"init_LecunUniform", Seeded(initializers::LecunUniform)},
        {"init_LecunNormal", Seeded(initializers::LecunNormal)},
        {"init_RandomNormal", Initializer([](const Case& c) {
           return initializers::RandomNormal(c.Param("mean", 0.0), c.Param("stddev", 0.05),
                                             SeedOf(c));
         })},
        {"init_RandomUniform", Initializer([](const Case& c) {
           return initializers::RandomUniform(c.Param("minval", -0.05), c.Param("maxval", 0.05),
                                              SeedOf(c));
         })},
        {"init_TruncatedNormal", Initializer([](const Case& c) {
           return initializers::TruncatedNormal(c.Param("mean", 0.0), c.Param("stddev", 0.05),
                                                SeedOf(c));
         })},
        {"init_Orthogonal", Initializer([](const Case& c) {
           return initializers::Orthogonal(c.Param("gain", 1.0), SeedOf(c));
         })},
        {"init_Identity",
         Initializer([](const Case& c) { return initializers::Identity(c.Param("gain", 1.0)); })},
        {"init_Constant",
         Initializer([](const Case& c) { return initializers::Constant(c.Param("value", 0.0)); })},
        {"init_Zeros", Initializer([](const Case&) { return initializers::Zeros(); })},
        {"init_Ones", Initializer([](const Case&) { return initializers::Ones(); })},
        {"init_VarianceScaling", Initializer(VarianceScaling)},
        {"set_random_seed_default_layer_seeds", DefaultSeeds},
        {"dropout_masks", DropoutMasks},
    });

}  // namespace
}  // namespace golden
