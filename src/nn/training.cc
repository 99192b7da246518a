#include "nn/training.h"

#include "base/log.h"
#include "base/team.h"
#include "distribute/servers/coordinator_state.h"
#include "distribute/servers/partitioner_scope.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "nn/advice.h"
#include "nn/logits_behind.h"
#include "ops/replica_weights.h"
#include "runtime/autocast.h"
#include "runtime/replica.h"

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
      loss_metric(std::make_shared<metrics::Mean>("loss")) {
  for (const auto* metrics : {&this->options.metrics, &this->options.weighted_metrics}) {
    if (std::find(metrics->begin(), metrics->end(), nullptr) != metrics->end())
      throw Error(Code::kInvalidArgument, "[compile] metrics must be made; got a null pointer");
  }
  distribute::CoordinatorState* const state = distribute::CurrentCoordinator::Get();
  if (state == nullptr) return;
  is_scheduled_ = true;
  coordinator_ = state->weak_from_this();
}

// By Keras's rule for batches that the replicas do not divide.
Tensor Model::Training::MeansOfReplicas(const Tensor& values) const {
  const int64_t replicas = model.strategy().num_replicas_in_sync();
  if (replicas == 1 || values.rank() == 0 || values.shape()[0] % replicas == 0) return values;
  Tensor weights = ops::ReplicaWeights(values, replicas);
  while (weights.rank() < values.rank()) weights = ExpandDims(weights, -1);
  return values * (values.dtype() == DType::kFloat32 ? weights : Cast(weights, values.dtype()));
}

// What the loss is computed from: where a softmax or sigmoid has made the predictions, its input,
// in which nothing is clipped, as Keras does. Predictions in half precision become float32 before
// the loss, which then knows no logits; metrics see them as they are.
Model::Training::LossInput Model::Training::InputOfLoss(const Tensor& predictions) const {
  const bool half = predictions.dtype() != runtime::WidenHalf(predictions).dtype();
  const Tensor logits = half ? Tensor() : nn::LogitsBehind(predictions);
  const LossPtr of_logits = logits.defined() ? options.loss->OfLogits() : nullptr;
  if (of_logits == nullptr) return {options.loss, predictions};
  return {of_logits, logits};
}

// The mean over the examples with their weights, and what the weights are penalised for; the loss
// of a step divides by the global weight, so an uneven last batch is a smaller batch.
Tensor Model::Training::TrackLoss(const std::vector<Tensor>& batch, const Tensor& outputs,
                                  bool training) {
  const Tensor& y = batch[1];
  const Tensor sample_weight = batch.size() > 2 ? batch[2] : Tensor();
  const LossInput input = InputOfLoss(outputs);
  const Loss& loss = *input.loss;
  const Tensor predictions = runtime::WidenHalf(input.predictions);
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

void Model::Training::UpdateMetrics(const std::vector<Tensor>& batch, const Tensor& outputs) {
  const Tensor predictions = runtime::WidenHalf(outputs);
  const Tensor sample_weight = batch.size() > 2 ? batch[2] : Tensor();
  const Tensor behind = nn::LogitsBehind(outputs);
  const Tensor logits = behind.defined() ? runtime::WidenHalf(behind) : behind;
  const auto update = [&](Metric& metric, const Tensor& weight) {
    if (!logits.defined() || !metric.UpdateOfLogits(batch[1], logits, weight))
      metric.Update(batch[1], predictions, weight);
  };
  for (const MetricPtr& metric : options.metrics) update(*metric, {});
  for (const MetricPtr& metric : options.weighted_metrics) update(*metric, sample_weight);
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
  const std::string last = model.layers_.empty() ? "" : model.layers_.back()->name();
  for (std::string& line : nn::AdviceOnStep({*options.loss, options.metrics, batch[1], predictions,
                                             last, model.trainable_variables(), gradients}))
    Advise(std::move(line));
  classes_ = predictions.rank() > 0 ? predictions.shape().dim(-1) : 0;
  options.optimizer->Apply(gradients, model.trainable_weights());
  UpdateMetrics(batch, predictions);
}

void Model::Training::TraceTestStep(const std::vector<Tensor>& batch) {
  const Tensor predictions = model.Call(batch[0], false);
  TrackLoss(batch, predictions, false);
  UpdateMetrics(batch, predictions);
}

std::vector<Tensor> Model::Training::Trace(Kind kind, const std::vector<Tensor>& batch) {
  if (kind == Kind::kPredict) return {model.Call(batch[0], false)};
  if (batch.size() < 2) {
    throw Error(Code::kInvalidArgument,
                "[fit] a batch must have x and y; got 1 component; zip the labels to the data");
  }
  kind == Kind::kTest ? TraceTestStep(batch) : TraceTrainStep(batch);
  return {};
}

std::shared_ptr<distribute::StepProgram> Model::Training::Compile(Kind kind,
                                                                  const nn::StepData& step,
                                                                  int shards) {
  const std::vector<ops::TensorType> types = ops::TypesOf(step.arguments);
  // Layers that are built by the step make their weights as in the strategy's scope.
  std::optional<distribute::PartitionerScope> cut;
  if (const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&model.strategy()))
    cut.emplace(servers->options().partitioner);
  const auto body = [&](const std::vector<Tensor>& given) {
    return Trace(kind, step.BatchOf(given));
  };
  distribute::StepOptions options{.examples = step.examples,
                                  .replicas = model.strategy().num_replicas_in_sync(),
                                  .shards = shards,
                                  .has_rows = std::vector<bool>(types.size(), !step.gathered),
                                  .execution = this->options.execution,
                                  .ranks = model.strategy().ranks()};
  options.has_rows.back() = true;
  std::shared_ptr<distribute::StepProgram> program =
      distribute::MakeStepProgram(types, body, options);
  if (!program->mixes_in().empty()) {
    Advise("[advice] the batch is not cut into shards: examples influence each other in " +
           program->mixes_in() +
           "; that changes no result, but one device does the work of that op");
  }
  if (!program->not_spread().empty() && program->mixes_in().empty()) {
    Advise("[advice] every worker computes the whole batch: " + program->not_spread() +
           "; that changes no result, but the others do not help");
  }
  if (kind == Kind::kTrain && plans_.empty())
    AdviseOnDivision(step.examples, shards, program->mixes_in().empty());
  base::Log(base::Severity::kDebug,
            "a step on " + std::to_string(step.examples) + " examples: " + program->Describe());
  return program;
}

void Model::Training::AdviseOnDivision(int64_t examples, int shards, bool cut) {
  const Strategy& strategy = model.strategy();
  const int replicas = strategy.num_replicas_in_sync();
  const int leaves = cut ? distribute::MakeLeaves(examples, replicas, shards).count() : 1;
  for (std::string& line : nn::AdviceOnDivision(
           {examples, replicas, leaves, strategy.num_devices(), shards == 0 && cut}))
    Advise(std::move(line));
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

distribute::StepProgram& Model::Training::ProgramFor(Kind kind, const nn::StepData& step,
                                                     int shards) {
  if (layout_ != runtime::VariableLayout()) plans_.clear();
  const bool norms = options.optimizer != nullptr && options.optimizer->keeps_gradient_norms();
  for (const StepPlan& known : plans_) {
    const bool alike = kind != Kind::kTrain || known.gradient_norms == norms;
    if (alike && known.Fits(kind, step, shards)) return *known.program;
  }
  StepPlan made{kind,
                step.gathered,
                step.examples,
                shards,
                ops::TypesOf(step.arguments),
                Compile(kind, step, shards),
                norms};
  layout_ = runtime::VariableLayout();
  if (measure_steps_) made.program->MeasureSteps();
  plans_.push_back(std::move(made));
  RestoreOthers();
  return *plans_.back().program;
}

}  // namespace lockstep
