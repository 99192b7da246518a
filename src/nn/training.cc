#include "nn/training.h"

#include "base/log.h"
#include "base/team.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "ops/builder.h"
#include "ops/replica_weights.h"
#include "runtime/fold.h"

namespace lockstep {

namespace {

// What the regularizers of the weights add to the loss; empty where there are none.
Tensor Penalty(const std::vector<Weight>& weights) {
  Tensor sum;
  for (const Weight& weight : weights) {
    if (weight.regularizer == nullptr) continue;
    const Tensor term = Cast((*weight.regularizer)(weight.variable.value()), DType::kFloat32);
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

}  // namespace

Model::Training::Training(Model& model, CompileOptions options)
    : model(model),
      options(std::move(options)),
      loss_metric(std::make_shared<metrics::Mean>("loss")) {}

// By Keras's rule for batches that the replicas do not divide.
Tensor Model::Training::MeansOfReplicas(const Tensor& values) const {
  const int64_t replicas = model.strategy().num_replicas_in_sync();
  if (replicas == 1 || values.rank() == 0 || values.shape()[0] % replicas == 0) return values;
  Tensor weights = ops::ReplicaWeights(values, replicas);
  while (weights.rank() < values.rank()) weights = ExpandDims(weights, -1);
  return values * (values.dtype() == DType::kFloat32 ? weights : Cast(weights, values.dtype()));
}

// The mean over the examples with their weights, and what the weights are penalised for; the loss
// of a step divides by the global weight, so an uneven last batch is a smaller batch.
Tensor Model::Training::TrackLoss(const std::vector<Tensor>& batch, const Tensor& predictions,
                                  bool training) {
  const Tensor& y = batch[1];
  const Tensor sample_weight = batch.size() > 2 ? batch[2] : Tensor();
  const Loss& loss = *options.loss;
  Tensor values = loss.PerExample(y, predictions);
  const Tensor mask = loss.Mask(y, predictions);
  const bool keras = training && options.uneven_batches == UnevenBatches::kKeras;
  Tensor reduced = loss.Reduce(keras ? MeansOfReplicas(values) : values, sample_weight, mask);
  // The reported loss is the mean over the examples that count, however replicas divide them.
  const Tensor weights = loss.Weights(values, sample_weight, mask);
  if (weights.defined()) values = values * weights;
  if (loss.reduction() == Reduction::kNone) reduced = ReduceSum(reduced);
  const Tensor penalty = Penalty(model.trainable_weights());
  if (penalty.defined()) {
    reduced = reduced + penalty;
    values = values + penalty;
  }
  const bool mean_of_values =
      loss.reduction() == Reduction::kSumOverBatchSize || loss.reduction() == Reduction::kNone;
  if (mean_of_values) {
    loss_metric->UpdateValues(values);
  } else {
    loss_metric->UpdateValues(reduced, Scalar<float>(static_cast<float>(y.shape()[0])));
  }
  return reduced;
}

void Model::Training::UpdateMetrics(const std::vector<Tensor>& batch, const Tensor& predictions) {
  const Tensor sample_weight = batch.size() > 2 ? batch[2] : Tensor();
  for (const MetricPtr& metric : options.metrics) metric->Update(batch[1], predictions);
  for (const MetricPtr& metric : options.weighted_metrics)
    metric->Update(batch[1], predictions, sample_weight);
}

void Model::Training::TraceTrainStep(const std::vector<Tensor>& batch) {
  Tensor predictions;
  std::vector<Tensor> gradients;
  {
    GradientTape tape;
    predictions = model.Call(batch[0], true);
    const Tensor loss = TrackLoss(batch, predictions, true);
    gradients = tape.Gradient(options.optimizer->ScaleLoss(loss), model.trainable_variables());
  }
  classes_ = predictions.rank() > 0 ? predictions.shape().dim(-1) : 0;
  options.optimizer->Apply(gradients, model.trainable_weights());
  UpdateMetrics(batch, predictions);
}

void Model::Training::TraceTestStep(const std::vector<Tensor>& batch) {
  const Tensor predictions = model.Call(batch[0], false);
  TrackLoss(batch, predictions, false);
  UpdateMetrics(batch, predictions);
}

void Model::Training::Trace(Kind kind, const std::vector<Tensor>& batch, graph::Graph& graph) {
  if (kind == Kind::kPredict) {
    const Tensor predictions = model.Call(batch[0], false);
    graph.results() = {static_cast<graph::Tracer&>(ops::CurrentBuilder()).EndpointOf(predictions)};
    return;
  }
  if (batch.size() < 2) {
    throw Error(Code::kInvalidArgument,
                "[fit] a batch must have x and y; got 1 component; zip the labels to the data");
  }
  if (kind == Kind::kTest) return TraceTestStep(batch);
  const distribute::ReplicaBatchScope replicas(batch[0].shape()[0],
                                               model.strategy().num_replicas_in_sync());
  TraceTrainStep(batch);
}

std::unique_ptr<runtime::Plan> Model::Training::Compile(Kind kind, const nn::StepData& step,
                                                        int shards) {
  graph::Tracer tracer;
  std::vector<Tensor> batch;
  for (const Tensor& argument : step.arguments)
    batch.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  std::vector<bool> has_rows(batch.size(), !step.gathered);
  {
    ops::BuilderScope scope(&tracer);
    if (step.gathered) {
      const Tensor rows = batch.back();
      has_rows.back() = true;
      batch.pop_back();
      for (Tensor& whole : batch) whole = Gather(whole, rows);
    }
    Trace(kind, batch, *tracer.graph());
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, step.examples, has_rows);
  if (analysis.can_cut()) {
    const int replicas = model.strategy().num_replicas_in_sync();
    graph::CutIntoLeaves(graph, analysis,
                         distribute::MakeLeaves(step.examples, replicas, shards).offsets);
  } else {
    Advise("the batch is not cut into shards: examples influence each other in " +
           graph.node(analysis.mixing_node).name);
  }
  auto plan = runtime::Plan::Compile(graph::Simplify(runtime::FoldConstants(graph)), {});
  base::Log(base::Severity::kDebug, "plan of a step on " + std::to_string(step.examples) +
                                        " examples: " + plan->Describe());
  return plan;
}

bool Model::Training::StepPlan::Fits(Kind of, const nn::StepData& step, int cut) const {
  if (kind != of || examples != step.examples || shards != cut || gathered != step.gathered ||
      types.size() != step.arguments.size())
    return false;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].dtype != step.arguments[i].dtype() ||
        !(types[i].shape == step.arguments[i].shape()))
      return false;
  }
  return true;
}

runtime::Plan& Model::Training::PlanFor(Kind kind, const nn::StepData& step, int shards) {
  for (const StepPlan& known : plans_) {
    if (known.Fits(kind, step, shards)) return *known.plan;
  }
  StepPlan made{kind, step.gathered, step.examples, shards, {}, Compile(kind, step, shards)};
  for (const Tensor& argument : step.arguments) made.types.push_back(ops::TensorType::Of(argument));
  if (measure_steps_) made.plan->MeasureSteps();
  plans_.push_back(std::move(made));
  return *plans_.back().plan;
}

}  // namespace lockstep
