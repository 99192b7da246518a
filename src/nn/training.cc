#include "nn/training.h"

#include <algorithm>
#include <chrono>
#include <numeric>

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
#include "nn/progress.h"
#include "ops/builder.h"
#include "ops/replica_weights.h"
#include "random/shuffle.h"
#include "runtime/devices.h"
#include "runtime/fold.h"

namespace lockstep {

namespace {

// The order of the examples in an epoch: it follows from the global seed and the epoch alone.
std::vector<int64_t> EpochOrder(int64_t examples, int epoch, bool shuffle) {
  if (!shuffle) {
    std::vector<int64_t> order(examples);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  return random::ShufflePermutation(random::StatelessStream(RandomSeed(), epoch), examples);
}

Tensor Rows(const std::vector<int64_t>& order, int64_t begin, int64_t end) {
  return Tensor::FromHost(std::span<const int64_t>(order.data() + begin, end - begin),
                          Shape{end - begin});
}

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

// What the losses of the examples count: by the loss's mask, and by Keras's rule for batches that
// the replicas do not divide. Empty where all count the same.
Tensor ExampleWeights(const Loss& loss, const Tensor& y, const Tensor& predictions,
                      const Tensor& values, int64_t replicas) {
  Tensor weights;
  if (replicas > 1 && values.rank() > 0 && values.shape()[0] % replicas != 0)
    weights = ops::ReplicaWeights(values, replicas);
  return loss.Weights(values, weights, loss.Mask(y, predictions));
}

}  // namespace

Model::Training::Training(Model& model, CompileOptions options)
    : model(model),
      options(std::move(options)),
      loss_metric(std::make_shared<metrics::Mean>("loss")) {}

void Model::Training::CheckSources(const Tensor& x, const Tensor& y) const {
  if (x.rank() == 0 || y.rank() == 0 || x.shape()[0] != y.shape()[0]) {
    throw Error(Code::kInvalidArgument,
                "[fit] x and y must have as many examples along axis 0; got " +
                    x.shape().ToString() + " and " + y.shape().ToString());
  }
}

// The loss of the step divides by the global weight, so an uneven last batch is a smaller batch.
void Model::Training::TraceTrainStep(const Tensor& x, const Tensor& y) {
  Tensor predictions, values;
  std::vector<Weight> weights;
  std::vector<Tensor> gradients;
  {
    GradientTape tape;
    predictions = model.Call(x, true);
    values = options.loss->PerExample(y, predictions);
    weights = model.trainable_weights();  // the first call has made them
    const bool keras = options.uneven_batches == UnevenBatches::kKeras;
    const int64_t replicas = keras ? model.strategy().num_replicas_in_sync() : 1;
    const Tensor own = ExampleWeights(*options.loss, y, predictions, values, replicas);
    Tensor loss = options.loss->Reduce(own.defined() ? values * own : values);
    // The reported loss is the mean over the examples that count, however replicas divide them.
    const Tensor counted = ExampleWeights(*options.loss, y, predictions, values, 1);
    if (counted.defined()) values = values * counted;
    if (const Tensor penalty = Penalty(weights); penalty.defined()) {
      loss = loss + penalty;
      values = values + penalty;
    }
    gradients = tape.Gradient(options.optimizer->ScaleLoss(loss), model.trainable_variables());
  }
  options.optimizer->Apply(gradients, weights);
  loss_metric->UpdateValues(values);
  for (const MetricPtr& metric : options.metrics) metric->Update(y, predictions);
}

void Model::Training::TraceTestStep(const Tensor& x, const Tensor& y) {
  const Tensor predictions = model.Call(x, false);
  Tensor values = options.loss->PerExample(y, predictions);
  const Tensor counted = ExampleWeights(*options.loss, y, predictions, values, 1);
  if (counted.defined()) values = values * counted;
  const Tensor penalty = Penalty(model.trainable_weights());
  if (penalty.defined()) values = values + penalty;
  loss_metric->UpdateValues(values);
  for (const MetricPtr& metric : options.metrics) metric->Update(y, predictions);
}

std::unique_ptr<runtime::Plan> Model::Training::Compile(Kind kind,
                                                        const std::vector<Tensor>& sources,
                                                        int64_t examples, int shards) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& source : sources)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(source)));
  const Tensor rows = tracer.AddParameter({DType::kInt64, Shape{examples}, DType::kInt64});
  {
    ops::BuilderScope scope(&tracer);
    std::vector<Tensor> batch;
    for (const Tensor& parameter : parameters) batch.push_back(Gather(parameter, rows));
    switch (kind) {
      case Kind::kTrain: {
        const distribute::ReplicaBatchScope replicas(examples,
                                                     model.strategy().num_replicas_in_sync());
        TraceTrainStep(batch[0], batch[1]);
        break;
      }
      case Kind::kTest:
        TraceTestStep(batch[0], batch[1]);
        break;
      case Kind::kPredict:
        tracer.graph()->results() = {tracer.EndpointOf(model.Call(batch[0], false))};
        break;
    }
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  std::vector<bool> has_rows(parameters.size() + 1, false);
  has_rows.back() = true;
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, examples, has_rows);
  if (analysis.can_cut()) {
    const int replicas = model.strategy().num_replicas_in_sync();
    graph::CutIntoLeaves(graph, analysis,
                         distribute::MakeLeaves(examples, replicas, shards).offsets);
  } else if (!told_uncut_) {
    told_uncut_ = true;
    base::Log(base::Severity::kInfo,
              "the batch is not cut into shards: examples influence each other in " +
                  graph.node(analysis.mixing_node).name);
  }
  auto plan = runtime::Plan::Compile(graph::Simplify(runtime::FoldConstants(graph)), {});
  base::Log(base::Severity::kDebug,
            "plan of a step on " + std::to_string(examples) + " examples: " + plan->Describe());
  return plan;
}

runtime::Plan& Model::Training::PlanFor(Kind kind, const std::vector<Tensor>& sources,
                                        int64_t examples, int shards) {
  PlanKey key{kind, examples, shards, {}};
  for (const Tensor& source : sources) key.sources.push_back(ops::TensorType::Of(source));
  for (auto& [known, plan] : plans_) {
    if (known == key) return *plan;
  }
  plans_.emplace_back(key, Compile(kind, sources, examples, shards));
  if (measure_steps_) plans_.back().second->MeasureSteps();
  return *plans_.back().second;
}

void Model::Training::ResetMetrics() {
  loss_metric->Reset();
  for (const MetricPtr& metric : options.metrics) metric->Reset();
}

Logs Model::Training::Results() const {
  Logs logs{{"loss", loss_metric->Result().scalar<float>()}};
  for (const MetricPtr& metric : options.metrics)
    logs[metric->name()] = metric->Result().scalar<float>();
  return logs;
}

History Model::Training::Fit(const Tensor& x, const Tensor& y, const FitOptions& fit) {
  using Clock = std::chrono::steady_clock;
  CheckSources(x, y);
  if (fit.batch_size <= 0 || fit.epochs < 0) {
    throw Error(Code::kInvalidArgument,
                "[fit] batch_size must be positive and epochs not negative; got " +
                    std::to_string(fit.batch_size) + " and " + std::to_string(fit.epochs));
  }
  runtime::TeamScope devices(model.strategy().team());
  const int64_t examples = x.shape()[0];
  const int64_t steps = (examples + fit.batch_size - 1) / fit.batch_size;
  const std::vector<Tensor> sources{x, y};
  History history;
  model.stop_training = false;
  measure_steps_ = fit.measure_steps;
  const auto start = Clock::now();
  for (const auto& callback : fit.callbacks) callback->model = &model;
  for (const auto& callback : fit.callbacks) callback->OnTrainBegin();
  for (int epoch = fit.initial_epoch; epoch < fit.epochs && !model.stop_training; ++epoch) {
    ResetMetrics();
    Progress progress(fit.verbose, epoch, fit.epochs, steps);
    for (const auto& callback : fit.callbacks) callback->OnEpochBegin(epoch);
    const std::vector<int64_t> order = EpochOrder(examples, epoch, fit.shuffle);
    for (int64_t step = 0; step < steps && !model.stop_training; ++step) {
      const auto step_start = Clock::now();
      for (const auto& callback : fit.callbacks) callback->OnTrainBatchBegin(step);
      const int64_t begin = step * fit.batch_size;
      const int64_t end = std::min(begin + fit.batch_size, examples);
      const Tensor arguments[] = {x, y, Rows(order, begin, end)};
      PlanFor(Kind::kTrain, sources, end - begin, fit.shards)
          .Run(arguments, model.strategy().team());
      ++history.steps;
      for (const auto& callback : fit.callbacks)
        callback->OnTrainBatchEnd(step, [this] { return Results(); });
      progress.Step(step + 1, [this] { return Results(); });
      history.step_microseconds.push_back(
          std::chrono::duration<float, std::micro>(Clock::now() - step_start).count());
      if (fit.max_steps > 0 && history.steps >= fit.max_steps) model.stop_training = true;
    }
    Logs logs = Results();
    progress.End(logs);
    for (const auto& callback : fit.callbacks) callback->OnEpochEnd(epoch, logs);
    for (const auto& [name, value] : logs) history.history[name].push_back(value);
    history.epoch.push_back(epoch);
  }
  if (history.steps > 0) options.optimizer->Finalize();
  for (const auto& callback : fit.callbacks) callback->OnTrainEnd();
  if (fit.measure_steps && !plans_.empty()) history.breakdown = plans_.front().second->Breakdown();
  history.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return history;
}

Logs Model::Training::Evaluate(const Tensor& x, const Tensor& y, int64_t batch_size) {
  CheckSources(x, y);
  runtime::TeamScope devices(model.strategy().team());
  ResetMetrics();
  const int64_t examples = x.shape()[0];
  const std::vector<int64_t> order = EpochOrder(examples, 0, false);
  for (int64_t begin = 0; begin < examples; begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, examples);
    const Tensor arguments[] = {x, y, Rows(order, begin, end)};
    PlanFor(Kind::kTest, {x, y}, end - begin, 0).Run(arguments, model.strategy().team());
  }
  return Results();
}

Tensor Model::Training::Predict(const Tensor& x, int64_t batch_size) {
  runtime::TeamScope devices(model.strategy().team());
  const int64_t examples = x.shape()[0];
  const std::vector<int64_t> order = EpochOrder(examples, 0, false);
  std::vector<Tensor> parts;
  for (int64_t begin = 0; begin < examples; begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, examples);
    const Tensor arguments[] = {x, Rows(order, begin, end)};
    parts.push_back(
        PlanFor(Kind::kPredict, {x}, end - begin, 0).Run(arguments, model.strategy().team())[0]);
  }
  return parts.size() == 1 ? parts[0] : Concat(parts, 0);
}

}  // namespace lockstep
