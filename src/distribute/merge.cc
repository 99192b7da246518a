#include "distribute/merge.h"

#include <mutex>

#include "distribute/context.h"
#include "distribute/meeting.h"
#include "distribute/replica_ops.h"
#include "graph/tracer.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/compiled.h"
#include "runtime/eager.h"

namespace lockstep::distribute {

namespace {

class EagerBody : public MergeBody {
 public:
  explicit EagerBody(MergeFunction function) : function_(std::move(function)) {}
  std::vector<PerReplica> Run(Strategy& strategy,
                              const std::vector<std::vector<Tensor>>& by_replica) override {
    std::vector<PerReplica> arguments;
    for (size_t i = 0; i < by_replica[0].size(); ++i) {
      std::vector<Tensor> values;
      for (const auto& inputs : by_replica) values.push_back(inputs[i]);
      arguments.emplace_back(std::move(values));
    }
    return function_(strategy, arguments);
  }

 private:
  MergeFunction function_;
};

// Parameters are argument by argument, replica by replica; then what was captured, for which that
// of replica 0 stands.
class TracedBody : public MergeBody {
 public:
  TracedBody(std::shared_ptr<graph::Graph> graph, std::vector<int> counts, int given)
      : graph_(std::move(graph)), counts_(std::move(counts)), given_(given) {}

  std::vector<PerReplica> Run(Strategy& strategy,
                              const std::vector<std::vector<Tensor>>& by_replica) override {
    std::vector<Tensor> arguments;
    for (int i = 0; i < given_; ++i) {
      for (const auto& inputs : by_replica) arguments.push_back(inputs[i]);
    }
    for (size_t i = given_; i < by_replica[0].size(); ++i) arguments.push_back(by_replica[0][i]);
    const bool eager = &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance();
    const std::vector<Tensor> results = eager
                                            ? CompiledFor(arguments).Run(arguments, strategy.team())
                                            : runtime::Inline(*graph_, arguments);
    std::vector<PerReplica> all;
    auto next = results.begin();
    for (int count : counts_) {
      if (count == 1) {
        all.emplace_back(*next);
      } else {
        all.emplace_back(std::vector<Tensor>(next, next + count));
      }
      next += count;
    }
    return all;
  }
  const std::shared_ptr<graph::Graph>& graph() const { return graph_; }

 private:
  runtime::Compiled& CompiledFor(const std::vector<Tensor>& arguments) {
    const std::vector<ops::TensorType> types = ops::TypesOf(arguments);
    std::lock_guard lock(mutex_);
    for (auto& [known, compiled] : compiled_) {
      if (known == types) return *compiled;
    }
    compiled_.emplace_back(types,
                           std::make_unique<runtime::Compiled>(graph::Specialize(*graph_, types)));
    return *compiled_.back().second;
  }

  std::shared_ptr<graph::Graph> graph_;
  std::vector<int> counts_;
  int given_;
  std::mutex mutex_;
  std::vector<std::pair<std::vector<ops::TensorType>, std::unique_ptr<runtime::Compiled>>>
      compiled_;
};

struct TracedArguments {
  std::vector<Tensor> carried;         // of this replica
  std::vector<PerReplica> parameters;  // as the function sees them
};

TracedArguments AddParameters(graph::Tracer& tracer, const std::vector<Tensor>& arguments,
                              int replicas) {
  TracedArguments traced;
  for (const Tensor& argument : arguments) {
    if (!argument.defined()) {
      traced.parameters.emplace_back(Tensor());
      continue;
    }
    const IndexedSlices* slices = IndexedSlices::Of(argument);
    std::vector<Tensor> parts{argument};
    if (slices != nullptr) parts = {slices->values, slices->indices};
    std::vector<std::vector<Tensor>> by_part;
    for (Tensor& part : parts) {
      std::vector<Tensor> one{part};
      ops::ResolveWeak(one, "merge_call");
      traced.carried.push_back(one[0]);
      std::vector<Tensor> values;
      for (int r = 0; r < replicas; ++r)
        values.push_back(tracer.AddParameter(ops::TensorType::Of(one[0])));
      by_part.push_back(std::move(values));
    }
    if (slices == nullptr) {
      traced.parameters.emplace_back(std::move(by_part[0]));
      continue;
    }
    std::vector<Tensor> values;
    for (int r = 0; r < replicas; ++r) {
      values.push_back(IndexedSlices{by_part[0][r], by_part[1][r], slices->dense_shape}.ToTensor());
    }
    traced.parameters.emplace_back(std::move(values));
  }
  return traced;
}

}  // namespace

std::shared_ptr<TensorObject> EagerMerge(const MergeFunction& function) {
  return std::make_shared<EagerBody>(function);
}

std::vector<Tensor> TraceMerge(Strategy& strategy, const MergeFunction& function,
                               const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  TracedArguments traced = AddParameters(tracer, arguments, strategy.num_replicas_in_sync());
  auto types = std::make_shared<ResultTypes>();
  std::vector<int> counts;
  {
    const ops::RecordingPause pause;
    const CrossReplicaScope cross(strategy);
    const ops::BuilderScope builder(&tracer);
    for (const PerReplica& result : function(strategy, traced.parameters)) {
      counts.push_back(static_cast<int>(result.values().size()));
      for (Tensor value : result.values()) {
        if (const IndexedSlices* slices = IndexedSlices::Of(value)) value = slices->ToDense();
        std::vector<Tensor> one{value};
        ops::ResolveWeak(one, "merge_call");
        tracer.graph()->results().push_back(tracer.EndpointOf(one[0]));
      }
      types->types.push_back(tracer.graph()->type(tracer.graph()->results().back()));
    }
  }
  std::vector<Tensor> inputs = traced.carried;
  const int given = static_cast<int>(inputs.size());
  inputs.insert(inputs.end(), tracer.captures().begin(), tracer.captures().end());
  auto body = std::make_shared<TracedBody>(tracer.graph(), counts, given);
  return ops::Emit("ReplicaMerge", std::move(inputs),
                   {{"body", std::shared_ptr<TensorObject>(body)},
                    {"graph", std::shared_ptr<TensorObject>(tracer.graph())},
                    {"results", std::shared_ptr<TensorObject>(types)}});
}

}  // namespace lockstep::distribute
