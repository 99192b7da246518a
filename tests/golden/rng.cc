#include <optional>

#include "case.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/random.h"

namespace golden {
namespace {

using lockstep::DType;
using lockstep::Generator;
using lockstep::Shape;
using lockstep::Tensor;

DType OutputDType(const Case& golden) { return DTypeOf(golden.OutputDType("y")); }

void Uniform(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::StatelessRandomUniform(
      golden.OutputShape("y"), golden.Input("seed"), golden.Param("minval", 0.0),
      golden.Param("maxval", 1.0), OutputDType(golden));
}

void Normal(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::StatelessRandomNormal(golden.OutputShape("y"), golden.Input("seed"),
                                                  golden.Param("mean", 0.0),
                                                  golden.Param("stddev", 1.0), OutputDType(golden));
}

void TruncatedNormal(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::StatelessTruncatedNormal(
      golden.OutputShape("y"), golden.Input("seed"), golden.Param("mean", 0.0),
      golden.Param("stddev", 1.0), OutputDType(golden));
}

void UniformInt(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::StatelessRandomUniformInt(
      golden.OutputShape("y"), golden.Input("seed"), golden.Get<int64_t>("minval"),
      golden.Get<int64_t>("maxval"), OutputDType(golden));
}

void FullInt(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::StatelessRandomUniformFullInt(
      golden.OutputShape("y"), golden.Input("seed"), OutputDType(golden));
}

void Split(const Case& golden, Produced& produced) {
  produced["y"] = lockstep::RandomSplit(golden.Input("seed"), golden.Get<int64_t>("num"));
}

void FoldIn(const Case& golden, Produced& produced) {
  const Tensor data = Tensor::FromVector<int64_t>({golden.Get<int64_t>("data")}, {});
  produced["y"] =
      lockstep::RandomFoldIn(golden.Input("seed"), lockstep::Cast(data, OutputDType(golden)));
}

// The order that the case's parameter "order" tells in words.
void GeneratorSequence(const Case& golden, Produced& produced) {
  const auto generator = Generator::FromSeed(golden.Get<int64_t>("seed"));
  int states = 0;
  const auto state = [&] {
    produced["state" + std::to_string(states++)] = generator.state().value();
  };
  state();
  produced["normal"] = generator.Normal(golden.OutputShape("normal"));
  state();
  produced["uniform"] = generator.Uniform(golden.OutputShape("uniform"));
  state();
  produced["uniform_int"] = generator.UniformInt(golden.OutputShape("uniform_int"), 0, 100);
  state();
  produced["seeds"] = generator.MakeSeeds(golden.OutputShape("seeds")[1]);
  state();
  const std::vector<Generator> parts = generator.Split(2);
  state();
  for (int i = 0; i < 2; ++i)
    produced["split" + std::to_string(i) + "_state"] = parts[i].state().value();
  produced["split1_normal"] = parts[1].Normal(golden.OutputShape("split1_normal"));
  generator.Skip(golden.Get<int64_t>("skip"));
  state();
  produced["truncated"] = generator.TruncatedNormal(golden.OutputShape("truncated"));
  state();
}

// The global seed and an op's seed make the pair (seed, seed2).
void LegacyUniform(const Case& golden, Produced& produced) {
  lockstep::SetSeed(golden.Get<int64_t>("seed"));
  const lockstep::RandomOptions options{.seed = golden.Get<int64_t>("seed2")};
  for (const std::string name : {"call0", "call1"})
    produced[name] = lockstep::RandomUniform(golden.OutputShape(name), 0, 1, options);
}

void SetSeed(const Case& golden, Produced& produced) {
  lockstep::SetSeed(golden.Get<int64_t>("global_seed"));
  const auto shape = [&](const std::string& name) { return golden.OutputShape(name); };
  produced["uniform0"] = lockstep::RandomUniform(shape("uniform0"));
  produced["normal1"] = lockstep::RandomNormal(shape("normal1"));
  for (const std::string name : {"uniform_opseed9_a", "uniform_opseed9_b"})
    produced[name] = lockstep::RandomUniform(shape(name), 0, 1, {.seed = 9});
  produced["uniform2"] = lockstep::RandomUniform(shape("uniform2"));
  const lockstep::Function function(
      [&](const std::vector<Tensor>&) {
        return std::vector<Tensor>{lockstep::RandomUniform(shape("fn_op0_call0")),
                                   lockstep::RandomUniform(shape("fn_op1_call0"))};
      },
      "two_uniforms");
  for (const std::string call : {"0", "1"}) {
    const std::vector<Tensor> results = function.Call({});
    produced["fn_op0_call" + call] = results[0];
    produced["fn_op1_call" + call] = results[1];
  }
  std::vector<int32_t> range(shape("shuffle8_opseed4").num_elements());
  for (size_t i = 0; i < range.size(); ++i) range[i] = static_cast<int32_t>(i);
  produced["shuffle8_opseed4"] = lockstep::RandomShuffle(lockstep::Constant<int32_t>(range), 4);
}

// Each replica draws from a key of its own; the counter is the same on all.
void GeneratorInScope(const Case& golden, Produced& produced) {
  int replicas = 0;
  while (golden.HasOutput("replica" + std::to_string(replicas))) ++replicas;
  lockstep::MirroredStrategy strategy({.devices = replicas, .replicas = replicas});
  std::optional<Generator> generator;
  {
    const auto scope = strategy.scope();
    generator = Generator::FromSeed(golden.Get<int64_t>("seed"));
  }
  const auto drawn =
      strategy.Run([&] { return generator->Normal(golden.OutputShape("replica0")); });
  for (int r = 0; r < replicas; ++r) produced["replica" + std::to_string(r)] = drawn.value(r);
  const auto scope = strategy.scope();
  produced["state_after"] = generator->state().value();
}

const RegisterGroup kRandom("rng", {
                                       {"stateless_uniform", Uniform},
                                       {"stateless_normal", Normal},
                                       {"stateless_truncated_normal", TruncatedNormal},
                                       {"stateless_uniform_full", FullInt},
                                       {"stateless_uniform_full_int32", FullInt},
                                       {"stateless_uniform_full_int64", FullInt},
                                       {"stateless_uniform_int32", UniformInt},
                                       {"stateless_uniform_int64", UniformInt},
                                       {"random_split", Split},
                                       {"random_fold_in", FoldIn},
                                       {"generator_sequence", GeneratorSequence},
                                       {"legacy_op_RandomUniform", LegacyUniform},
                                       {"set_seed", SetSeed},
                                       {"generator_in_strategy_scope", GeneratorInScope},
                                   });

}  // namespace
}  // namespace golden
