// Gradient tapes, and gradients of graphs, around a Strategy::Run that is traced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/gradients.h"
#include "runtime/gradient_check_test.h"

namespace lockstep {
namespace {

using runtime::RandomTensor;
using ::testing::HasSubstr;

using ReplicaBody = std::function<Tensor(const Tensor&)>;

ReplicaContext& Here() { return *GetReplicaContext(); }

// Everything that a gradient may have to pass, by name. Thirds and tanh make sums inexact.
struct Case {
  const char* name;
  std::function<Tensor(const Tensor& x, const Variable& w)> body;
};

const Case kCases[] = {
    {"plain",
     [](const Tensor& x, const Variable& w) { return ReduceSum(Tanh(MatMul(x, w)) / 3.0); }},
    {"reads_twice",
     [](const Tensor& x, const Variable& w) { return ReduceSum(MatMul(x, w) * ReduceSum(w * w)); }},
    {"all_reduce",
     [](const Tensor& x, const Variable& w) {
       const Tensor mean = Here().AllReduce(ReduceOp::kMean, MatMul(x, w));
       return ReduceSum(Tanh(mean) * Here().AllReduce(ReduceOp::kSum, x * x));
     }},
    {"all_gather",
     [](const Tensor& x, const Variable& w) {
       return ReduceSum(Tanh(MatMul(Here().AllGather(x, 0), w)) / 3.0);
     }},
    {"merge_call",
     [](const Tensor& x, const Variable& w) {
       const auto merged = Here().MergeCall(
           [&w](Strategy& strategy, const std::vector<PerReplica>& values) {
             const Tensor sum = strategy.Reduce(ReduceOp::kSum, values[0], {});
             std::vector<Tensor> own;
             for (const Tensor& value : values[0].values()) own.push_back(value * sum);
             return std::vector<PerReplica>{PerReplica(own), Tensor(Tanh(sum * w / 3.0))};
           },
           {MatMul(x, w)});
       return ReduceSum(merged[0] * merged[1]);
     }},
    {"replica_id",
     [](const Tensor& x, const Variable& w) {
       const Tensor number = Cast(Here().replica_id_in_sync_group(), DType::kFloat32);
       return ReduceSum(Tanh(MatMul(x, w) * number / 7.0));
     }},
    {"cond",
     [](const Tensor& x, const Variable& w) {
       const Tensor total = Here().AllReduce(ReduceOp::kSum, ReduceSum(x));
       const auto chosen = Cond(
           Greater(total, -1000),
           [&] { return Tensors{Here().AllReduce(ReduceOp::kMean, Tanh(MatMul(x, w)))}; },
           [&] { return Tensors{Tanh(MatMul(x, w))}; });
       return ReduceSum(chosen[0] / 3.0);
     }},
    {"own_cond",
     [](const Tensor& x, const Variable& w) {
       const auto chosen = Cond(
           Equal(Here().replica_id_in_sync_group(), 0), [&] { return Tensors{Tanh(MatMul(x, w))}; },
           [&] { return Tensors{MatMul(x, w) / 3.0}; });
       return ReduceSum(chosen[0]);
     }},
    {"loop",
     [](const Tensor& x, const Variable& w) {
       const auto last =
           WhileLoop([](const Tensors& now) { return Less(now[0], 3); },
                     [&](const Tensors& now) {
                       const Tensor next = Tanh(MatMul(now[1], w) / 3.0);
                       return Tensors{now[0] + 1, Here().AllReduce(ReduceOp::kMean, next) + x};
                     },
                     {Tensor(Scalar<int32_t>(0)), x});
       return ReduceSum(last[1] * last[1]);
     }},
    {"inner_tape",
     [](const Tensor& x, const Variable& w) {
       GradientTape tape;
       const Tensor loss = ReduceSum(Tanh(MatMul(x, w)));
       const Tensor slope = tape.Gradient(loss, w);
       return ReduceSum(slope * Here().AllReduce(ReduceOp::kSum, slope));
     }},
    {"dropped",
     [](const Tensor& x, const Variable& w) {
       const Tensor kept = StatelessRandomUniform({4, 4}, Constant<int32_t>({1, 2}));
       return ReduceSum(Tanh(MatMul(x, w) * kept));
     }},
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

// What each replica is given, and behind that a value for all.
std::vector<Tensor> Given(int replicas) {
  std::vector<Tensor> given;
  for (int r = 0; r <= replicas; ++r) given.push_back(RandomTensor<float>({4, 4}, 10 + r));
  return given;
}

Tensor LossOf(Strategy& strategy, const Case& one, const Variable& w,
              const std::vector<Tensor>& given) {
  const PerReplica x(std::vector<Tensor>(given.begin(), given.end() - 1));
  const PerReplica losses =
      strategy.Run([&](const Tensor& own) { return one.body(own * given.back(), w); }, x);
  return strategy.Reduce(ReduceOp::kSum, losses, {});
}

// The variable, the value for all, and what one replica is given.
std::vector<Tensor> SourcesOf(const Variable& w, const std::vector<Tensor>& given) {
  return {w.handle(), given.back(), given[(given.size() - 1) / 2]};
}

std::vector<Tensor> LossAndSlopes(Strategy& strategy, const Case& one, const Variable& w,
                                  const std::vector<Tensor>& given) {
  GradientTape tape;
  for (const Tensor& x : given) tape.Watch(x);
  const Tensor loss = LossOf(strategy, one, w, given);
  auto slopes = tape.Gradient(std::vector<Tensor>{loss}, SourcesOf(w, given));
  slopes.push_back(loss);
  return slopes;
}

std::vector<std::vector<float>> Bits(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<float>> bits;
  for (const Tensor& tensor : tensors) bits.push_back(tensor.ToVector<float>());
  return bits;
}

// Equal bits. A traced loop sums what its iterations give a variable iteration by iteration, a tape
// of its ops one by one; with several replicas an iteration gives several parts.
void ExpectSame(const std::vector<std::vector<float>>& got,
                const std::vector<std::vector<float>>& want, bool sums_by_iteration) {
  if (!sums_by_iteration) {
    EXPECT_EQ(got, want);
    return;
  }
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_THAT(got[k], ::testing::Pointwise(::testing::FloatNear(1e-4f), want[k])) << k;
}

class TracedRun : public ::testing::TestWithParam<std::tuple<Case, int>> {
 protected:
  static bool SumsByIteration() {
    const auto& [one, replicas] = GetParam();
    return std::string(one.name) == "loop" && replicas > 1;
  }
};

TEST_P(TracedRun, HasTheGradientsOfAnEagerOne) {
  const auto& [one, replicas] = GetParam();
  const std::vector<Tensor> given = Given(replicas);
  std::vector<std::vector<float>> want, first;
  for (int devices : {1, 3, 8}) {
    SCOPED_TRACE(std::to_string(devices) + " devices");
    MirroredStrategy strategy({.devices = devices, .replicas = replicas});
    const auto scope = strategy.scope();
    const Variable w(RandomTensor<float>({4, 4}, 1));
    const auto all = [&](const std::vector<Tensor>& x) {
      return LossAndSlopes(strategy, one, w, x);
    };
    const auto eager = Bits(all(given));
    if (want.empty()) want = eager;
    EXPECT_EQ(eager, want);
    const Function traced(all);
    const auto got = Bits(traced.Call(given));
    ExpectSame(got, want, SumsByIteration());
    EXPECT_EQ(Bits(traced.Call(given)), got) << "the second time";
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << "as on one device";
  }
}

TEST_P(TracedRun, HasThemForATapeAroundTheFunction) {
  const auto& [one, replicas] = GetParam();
  MirroredStrategy strategy({.devices = 2, .replicas = replicas});
  const auto scope = strategy.scope();
  const Variable w(RandomTensor<float>({4, 4}, 1));
  const std::vector<Tensor> given = Given(replicas);
  const auto want = Bits(LossAndSlopes(strategy, one, w, given));
  const Function total([&](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{LossOf(strategy, one, w, x)};
  });
  GradientTape tape;
  for (const Tensor& x : given) tape.Watch(x);
  const Tensor loss = total.Call(given)[0];
  auto slopes = tape.Gradient(std::vector<Tensor>{loss}, SourcesOf(w, given));
  slopes.push_back(loss);
  ExpectSame(Bits(slopes), want, SumsByIteration());
}

TEST_P(TracedRun, HasThemAsGradientsOfTheGraph) {
  const auto& [one, replicas] = GetParam();
  MirroredStrategy strategy({.devices = 2, .replicas = replicas});
  const auto scope = strategy.scope();
  const Variable w(RandomTensor<float>({4, 4}, 1));
  const std::vector<Tensor> given = Given(replicas);
  const auto want = Bits(LossAndSlopes(strategy, one, w, given));
  const Function slopes([&](const std::vector<Tensor>& x) {
    const Tensor loss = LossOf(strategy, one, w, x);
    auto results = Gradients({loss}, SourcesOf(w, x), {});
    results.push_back(loss);
    return results;
  });
  ExpectSame(Bits(slopes.Call(given)), want, SumsByIteration());
}

INSTANTIATE_TEST_SUITE_P(Programs, TracedRun,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(1, 2, 3, 8)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

// What replicas assign happens once, and in the order of an eager run.
TEST(TracedRunWithEffects, ChangesVariablesOnce) {
  std::vector<std::vector<float>> want;
  for (bool is_traced : {false, true}) {
    MirroredStrategy strategy({.devices = 3, .replicas = 3});
    const auto scope = strategy.scope();
    const Variable w(Scalar(2.0f));
    const Variable sum(Scalar(0.25f),
                       {.trainable = false, .aggregation = VariableAggregation::kSum});
    const Variable own(Scalar(0.5f), {.trainable = false,
                                      .synchronization = VariableSynchronization::kOnRead,
                                      .aggregation = VariableAggregation::kSum});
    const auto step = [&](const std::vector<Tensor>& x) {
      GradientTape tape;
      const PerReplica losses = strategy.Run(
          [&](const Tensor& each) {
            sum.AssignAdd(each * w);
            own.Assign(own * each);
            return each * w * w * sum + own;
          },
          PerReplica(x));
      return std::vector<Tensor>{tape.Gradient(strategy.Reduce(ReduceOp::kSum, losses, {}), w)};
    };
    const std::vector<Tensor> x{Scalar(0.1f), Scalar(0.2f), Scalar(0.7f)};
    const Function traced(step);
    std::vector<std::vector<float>> got;
    for (int i = 0; i < 2; ++i)
      got.push_back((is_traced ? traced.Call(x) : step(x))[0].ToVector<float>());
    got.push_back(sum.value().ToVector<float>());
    got.push_back(own.value().ToVector<float>());
    if (!is_traced) want = got;
    EXPECT_EQ(got, want);
  }
}

TEST(TracedRunWithEffects, GraphsDoNotComputeThemTwice) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const auto scope = strategy.scope();
  const Variable w(Scalar(2.0f));
  const Variable count(Scalar(0.0f), {.aggregation = VariableAggregation::kSum});
  const Function slope([&](const Tensor& x) {
    const PerReplica losses = strategy.Run(
        [&](const Tensor& own) {
          count.AssignAdd(own);
          return own * w;
        },
        PerReplica({x, x}));
    return Gradients(losses.value(0), w);
  });
  const Error error = ErrorOf([&] { slope(Scalar(1.0f)); });
  EXPECT_EQ(error.code(), Code::kUnimplemented);
  EXPECT_THAT(error.what(), HasSubstr("[run] gradients of a graph compute the replicas' program a "
                                      "second time"));
  EXPECT_THAT(error.what(), HasSubstr("got ReplicaUpdate"));
  EXPECT_THAT(error.what(), HasSubstr("record Run with a GradientTape around it"));
}

TEST(TracedRunTwice, GivesSecondDerivatives) {
  std::vector<float> want;
  for (bool is_traced : {false, true}) {
    MirroredStrategy strategy({.devices = 2, .replicas = 3});
    const auto scope = strategy.scope();
    const Variable w(Scalar(0.3f));
    const auto second = [&](const std::vector<Tensor>& x) {
      GradientTape outer;
      GradientTape inner;
      const PerReplica losses = strategy.Run(
          [&](const Tensor& own) {
            return Tanh(Here().AllReduce(ReduceOp::kSum, own * w * w) * w) * own;
          },
          PerReplica(x));
      const Tensor slope = inner.Gradient(strategy.Reduce(ReduceOp::kSum, losses, {}), w);
      return std::vector<Tensor>{outer.Gradient(slope, w)};
    };
    const std::vector<Tensor> x{Scalar(0.1f), Scalar(0.2f), Scalar(0.7f)};
    const auto got = (is_traced ? Function(second).Call(x) : second(x))[0].ToVector<float>();
    if (!is_traced) want = got;
    EXPECT_EQ(got, want);
  }
}

// A run of which no tape follows anything stays one op, which devices divide among themselves.
TEST(TracedRunUnfollowed, StaysOneOp) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const auto run = [&](const Tensor& x) {
    return strategy.Run([](const Tensor& own) { return own * 2.0f; }, PerReplica({x, x})).value(0);
  };
  const Function beside([&](const Tensor& x) {
    GradientTape tape;
    return run(x);
  });
  const Function around([&](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return run(x);
  });
  EXPECT_THAT(beside.Describe({Scalar(1.0f)}), HasSubstr("ReplicaRun"));
  EXPECT_THAT(around.Describe({Scalar(1.0f)}), Not(HasSubstr("ReplicaRun")));
}

}  // namespace
}  // namespace lockstep
