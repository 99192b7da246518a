#include <numeric>
#include <optional>
#include <sstream>

#include "case.h"
#include "lockstep/distribute/partitioners.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/metric.h"
#include "lockstep/nn/model.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "make_optimizer.h"

namespace golden {
namespace {

using lockstep::Tensor;
using lockstep::Variable;

Tensor Floats(const std::vector<double>& values) {
  return lockstep::Constant<float>({values.begin(), values.end()});
}

// Data-parallel training of a layer of one unit, without shuffling, by Keras's rule for the batches
// that replicas do not divide.
void KerasFit(const Case& golden, Produced& produced) {
  const int replicas = golden.Param("replicas", 1);
  lockstep::MirroredStrategy strategy({.devices = replicas, .replicas = replicas});
  const auto scope = strategy.scope();
  const Tensor x = golden.Input("x");
  lockstep::Sequential model{lockstep::Dense(golden.Input("w0").shape().dim(-1))};
  model(x);  // makes the weights
  const auto weights = model.variables();
  weights.at(0).Assign(golden.Input("w0"));
  model.Compile({.optimizer = ParseOptimizer(golden.Get<std::string>("optimizer")),
                 .loss = lockstep::losses::Get(golden.Get<std::string>("loss")),
                 .metrics = {lockstep::metrics::Get("mae")},
                 .uneven_batches = lockstep::UnevenBatches::kKeras});
  const auto history = model
                           .Fit(x, golden.Input("y"),
                                {.batch_size = golden.Get<int64_t>("batch_size"),
                                 .epochs = golden.Param("epochs", 1),
                                 .shuffle = false,
                                 .verbose = lockstep::Verbosity::kSilent})
                           .history;
  for (const std::string name : {"loss", "mae"}) produced[name] = Floats(history.at(name));
  produced["kernel"] = weights.at(0).value();
  produced["bias"] = weights.at(1).value();
}

// The value of each replica's copy, in one vector.
Tensor Components(lockstep::Strategy& strategy, const Variable& variable) {
  const auto value = strategy.Run([&] { return variable.value(); });
  std::vector<Tensor> copies = strategy.LocalResults(value);
  while (static_cast<int>(copies.size()) < strategy.num_replicas_in_sync())
    copies.push_back(copies[0]);
  return lockstep::Stack(copies);
}

// Runs `step` and says which of Python's errors a fault of the caller would be.
void Try(Produced& produced, const std::string& name, const std::function<Tensor()>& step) {
  try {
    produced[name] = step();
  } catch (const lockstep::Error& error) {
    const bool fault = error.code() == lockstep::Code::kInvalidArgument ||
                       error.code() == lockstep::Code::kFailedPrecondition;
    produced[name] = fault ? std::string("error:ValueError") : error.what();
  }
}

lockstep::VariableAggregation Aggregation(const std::string& name) {
  if (name.ends_with("_SUM")) return lockstep::VariableAggregation::kSum;
  if (name.ends_with("_MEAN")) return lockstep::VariableAggregation::kMean;
  if (name.ends_with("_ONLY_FIRST_REPLICA"))
    return lockstep::VariableAggregation::kOnlyFirstReplica;
  return lockstep::VariableAggregation::kNone;
}

// One variable that goes through the steps that the outputs' names tell, in their order.
void DistributedVariable(const Case& golden, Produced& produced) {
  const int replicas = golden.Param("replicas", 2);
  lockstep::MirroredStrategy strategy({.devices = replicas, .replicas = replicas});
  const double a = golden.Get<double>("a"), b = golden.Get<double>("b");
  Variable variable;
  {
    const auto scope = strategy.scope();
    variable = Variable(lockstep::Scalar(golden.Get<float>("initial")),
                        {.name = "v",
                         .synchronization = golden.name().starts_with("var_ON_READ")
                                                ? lockstep::VariableSynchronization::kOnRead
                                                : lockstep::VariableSynchronization::kOnWrite,
                         .aggregation = Aggregation(golden.name())});
  }
  const auto own = [&] {
    const Tensor id = lockstep::GetReplicaContext()->replica_id_in_sync_group();
    return lockstep::Cast(id, lockstep::DType::kFloat32) * a + b;
  };
  const auto in_replicas = [&](const std::function<void()>& body) {
    strategy.Run(body);
    return Components(strategy, variable);
  };
  const auto across = [&](const std::function<void()>& body) {
    const auto scope = strategy.scope();
    body();
    return Components(strategy, variable);
  };
  for (const auto& [name, expected] : golden.outputs().items()) {
    const bool adds = name.find("_assign_add(") != std::string::npos;
    const auto assign = [&](const auto& value) {
      if (adds) {
        variable.AssignAdd(value);
      } else {
        variable.Assign(value);
      }
    };
    const std::vector<double> numbers = NumbersIn(name);
    if (name == "cross_read") {
      Try(produced, name, [&] {
        const auto scope = strategy.scope();
        return variable.value();
      });
    } else if (name.starts_with("replica_assign") && name.ends_with("(a*id+b)")) {
      Try(produced, name, [&] { return in_replicas([&] { assign(own()); }); });
    } else if (name.starts_with("replica_assign_python_") && !numbers.empty()) {
      Try(produced, name, [&] { return in_replicas([&] { assign(numbers[0]); }); });
    } else if (name.starts_with("cross_assign") && !numbers.empty()) {
      Try(produced, name, [&] { return across([&] { assign(numbers[0]); }); });
    } else {
      throw Skip{"nothing here does the step " + name};
    }
  }
}

// What the replica r has: "range(6)+10*id reshaped [2,3]".
void ReduceAndGather(const Case& golden, Produced& produced) {
  const int replicas = golden.Param("replicas", 2);
  const auto text = golden.Param<std::string>("value", "range(4)+10*id reshaped [2,2]");
  const std::vector<double> numbers = NumbersIn(text);
  if (!text.starts_with("range(") || text.find("*id") == std::string::npos || numbers.size() < 3)
    throw Skip{"a replica's value is \"range(n)+k*id reshaped [sizes]\", not " + text};
  std::vector<float> range(static_cast<size_t>(numbers[0]));
  std::iota(range.begin(), range.end(), 0.0f);
  lockstep::Shape shape;
  for (size_t i = 2; i < numbers.size(); ++i) shape.Append(static_cast<int64_t>(numbers[i]));
  lockstep::MirroredStrategy strategy({.devices = replicas, .replicas = replicas});
  const auto value = strategy.Run([&] {
    const Tensor id = lockstep::GetReplicaContext()->replica_id_in_sync_group();
    return Tensor::FromVector(range, shape) +
           lockstep::Cast(id, lockstep::DType::kFloat32) * numbers[1];
  });
  for (const auto& [name, expected] : golden.outputs().items()) {
    if (name.starts_with("gather")) {
      produced[name] = strategy.Gather(value, static_cast<int>(NumberOf(name)));
    } else if (name.starts_with("SUM_axis") || name.starts_with("MEAN_axis")) {
      const auto op = name[0] == 'S' ? lockstep::ReduceOp::kSum : lockstep::ReduceOp::kMean;
      std::optional<int> axis;
      if (!name.ends_with("None")) axis = static_cast<int>(NumberOf(name));
      produced[name] = strategy.Reduce(op, value, axis);
    } else {
      throw Skip{"nothing here makes the output " + name};
    }
  }
}

// "MaxSize_1k_max3_100x16": the partitioner, then the shape.
void Partitioners(const Case& golden, Produced& produced) {
  const lockstep::DType dtype = DTypeOf(golden.Param<std::string>("dtype", "float32"));
  for (const auto& [name, expected] : golden.outputs().items()) {
    const size_t cut = name.rfind('_');
    const std::string which = name.substr(0, cut);
    lockstep::Shape shape;
    std::istringstream sizes(name.substr(cut + 1));
    for (std::string size; std::getline(sizes, size, 'x');) shape.Append(std::stoll(size));
    const auto number = [&](const std::string& after) -> std::optional<int64_t> {
      const size_t place = which.find(after);
      if (place == std::string::npos) return {};
      return std::stoll(which.substr(place + after.size()));
    };
    const int64_t bytes = number("Size_").value_or(1) * 1024;
    const lockstep::Partitioner partitioner =
        which.starts_with("Fixed") ? lockstep::partitioners::FixedShards(*number("Shards"))
        : which.starts_with("Min")
            ? lockstep::partitioners::MinSize(bytes, number("_max").value_or(1))
            : lockstep::partitioners::MaxSize(bytes, number("_max"));
    produced[name] = Json(partitioner(shape, dtype)).dump();
  }
}

const RegisterGroup kDistribution("distribution", {{"var", DistributedVariable},
                                                   {"reduce_gather", ReduceAndGather},
                                                   {"keras_fit", KerasFit},
                                                   {"partitioners", Partitioners}});

}  // namespace
}  // namespace golden
