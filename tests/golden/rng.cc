#include <limits>
#include <numeric>
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

// The seed, which Python's JSON writes beyond 64 bits, too; this reader has no such numbers.
int64_t SeedOf(const Case& golden, const std::string& name) {
  if (golden.Value(name).is_number_float()) throw Skip{"a seed beyond 64 bits is not read here"};
  return golden.Get<int64_t>(name);
}

// "normal,uniform_int[0,100),split(2)" into its steps.
std::vector<std::string> StepsOf(const std::string& order) {
  std::vector<std::string> steps(1);
  int depth = 0;
  for (const char c : order) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      steps.emplace_back();
    } else if (c != ' ') {
      steps.back() += c;
    }
  }
  return steps;
}

// A generator that is split, and what its parts draw.
void SplitGenerator(const Case& golden, const Generator& generator, int64_t count,
                    Produced& produced) {
  const std::vector<Generator> parts = generator.Split(count);
  for (size_t i = 0; i < parts.size(); ++i)
    produced["split" + std::to_string(i) + "_state"] = parts[i].state().value();
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string name = "split" + std::to_string(i) + "_normal";
    if (golden.HasOutput(name)) produced[name] = parts[i].Normal(golden.OutputShape(name));
  }
}

void GeneratorStep(const Case& golden, const Generator& generator, const std::string& step,
                   Produced& produced) {
  const std::string kind = step.substr(0, step.find_first_of("(["));
  const std::vector<double> numbers = NumbersIn(step.substr(kind.size()));
  const auto whole = [&](size_t i) { return static_cast<int64_t>(numbers.at(i)); };
  const auto shape = [&](const std::string& name) { return golden.OutputShape(name); };
  if (kind == "normal") {
    produced[kind] = generator.Normal(shape(kind));
  } else if (kind == "uniform") {
    produced[kind] = generator.Uniform(shape(kind));
  } else if (kind == "uniform_int") {
    produced[kind] = generator.UniformInt(shape(kind), whole(0), whole(1));
  } else if (kind == "make_seeds") {
    produced["seeds"] = generator.MakeSeeds(numbers.empty() ? shape("seeds")[1] : whole(0));
  } else if (kind == "split") {
    SplitGenerator(golden, generator, whole(0), produced);
  } else if (kind == "skip") {
    generator.Skip(numbers.empty() ? golden.Get<int64_t>("skip") : whole(0));
  } else if (kind == "truncated_normal") {
    produced["truncated"] = generator.TruncatedNormal(shape("truncated"));
  } else {
    throw Skip{"nothing here does the generator's step " + kind};
  }
}

// The steps that the parameter "order" tells; the state stands before, between and after them.
void GeneratorSequence(const Case& golden, Produced& produced) {
  const auto generator = Generator::FromSeed(SeedOf(golden, "seed"));
  int states = 0;
  const auto state = [&] {
    produced["state" + std::to_string(states++)] = generator.state().value();
  };
  state();
  for (const std::string& step : StepsOf(golden.Get<std::string>("order"))) {
    GeneratorStep(golden, generator, step, produced);
    state();
  }
}

// The global seed and an op's seed make the pair (seed, seed2).
void LegacyUniform(const Case& golden, Produced& produced) {
  for (const std::string name : {"seed", "seed2"}) {
    const auto seed = SeedOf(golden, name);
    if (seed < 0 || seed >= std::numeric_limits<int32_t>::max())
      throw Skip{"an op's seed outside of 0 to 2^31-2, which only its attributes can give"};
  }
  lockstep::SetSeed(golden.Get<int64_t>("seed"));
  const lockstep::RandomOptions options{.seed = golden.Get<int64_t>("seed2")};
  for (const auto& [name, expected] : golden.outputs().items()) {
    if (!name.starts_with("call")) throw Skip{"nothing here makes the output " + name};
    produced[name] = lockstep::RandomUniform(golden.OutputShape(name), 0, 1, options);
  }
}

// "fn_op1_call0": what the op 1 of a traced function gives when it is called first.
void TracedUniforms(const Case& golden, Produced& produced) {
  const auto name = [](size_t op, size_t call) {
    return "fn_op" + std::to_string(op) + "_call" + std::to_string(call);
  };
  const lockstep::Function function(
      [&](const std::vector<Tensor>&) {
        std::vector<Tensor> results;
        while (golden.HasOutput(name(results.size(), 0)))
          results.push_back(lockstep::RandomUniform(golden.OutputShape(name(results.size(), 0))));
        return results;
      },
      "uniforms");
  for (size_t call = 0; golden.HasOutput(name(0, call)); ++call) {
    const std::vector<Tensor> results = function.Call({});
    for (size_t op = 0; op < results.size(); ++op) produced[name(op, call)] = results[op];
  }
}

// The outputs' names say what is drawn, in their order: "uniform0" and "normal1" without a seed,
// "uniform_opseed9_a" and "shuffle8_opseed4" with one.
void SetSeed(const Case& golden, Produced& produced) {
  lockstep::SetSeed(golden.Get<int64_t>("global_seed"));
  for (const auto& [name, expected] : golden.outputs().items()) {
    if (name.starts_with("fn_op")) {
      if (!produced.contains(name)) TracedUniforms(golden, produced);
      continue;
    }
    lockstep::RandomOptions options;
    const size_t seeded = name.find("_opseed");
    if (seeded != std::string::npos)
      options.seed = static_cast<int64_t>(NumbersIn(name.substr(seeded)).at(0));
    const lockstep::Shape shape = golden.OutputShape(name);
    if (name.starts_with("uniform")) {
      produced[name] = lockstep::RandomUniform(shape, 0, 1, options);
    } else if (name.starts_with("normal")) {
      produced[name] = lockstep::RandomNormal(shape, 0, 1, options);
    } else if (name.starts_with("shuffle")) {
      std::vector<int32_t> range(shape.num_elements());
      std::iota(range.begin(), range.end(), 0);
      produced[name] = lockstep::RandomShuffle(lockstep::Constant<int32_t>(range), options.seed);
    } else {
      throw Skip{"nothing here draws the output " + name};
    }
  }
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
