#include "nn/advice.h"

#include <algorithm>
#include <string_view>

#include "graph/tracer.h"

namespace lockstep::nn {

namespace {

bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The op that has made a traced value, behind those that only give it another form.
std::string MadeBy(const Tensor& value) {
  const auto* symbolic = dynamic_cast<const graph::SymbolicValue*>(
      value.is_symbolic() ? value.object().get() : nullptr);
  const auto graph = symbolic == nullptr ? nullptr : symbolic->graph();
  if (graph == nullptr) return {};
  int id = symbolic->endpoint().node;
  while (OneOf(graph->node(id).spec->name,
               {"Reshape", "ReshapeLike", "Identity", "Cast", "Squeeze", "ExpandDims"})) {
    id = graph->node(id).inputs[0].node;
  }
  return graph->node(id).spec->name;
}

std::string NameOfLast(const TracedStep& step) {
  return step.last_layer.empty() ? "the model" : step.last_layer;
}

// The size of the last axis; 0 where there is no axis, or the size is not known.
int64_t LastSize(const Tensor& value) {
  const bool any = value.defined() && value.rank() > 0;
  return any ? std::max<int64_t>(value.shape().dim(-1), 0) : 0;
}

// Labels and predictions that a loss of single values compares by repeating the fewer ones.
void AdviseOnWidth(const TracedStep& step, std::vector<std::string>& lines) {
  const bool single_values =
      OneOf(step.loss.name(),
            {"mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
             "mean_squared_logarithmic_error", "huber_loss", "log_cosh", "hinge", "squared_hinge",
             "poisson", "binary_crossentropy", "binary_focal_crossentropy"});
  const int64_t labels = LastSize(step.labels), predictions = LastSize(step.predictions);
  if (!single_values || step.predictions.rank() < 2 ||
      step.labels.rank() != step.predictions.rank() || labels == predictions ||
      std::min(labels, predictions) != 1) {
    return;
  }
  const std::string layer = NameOfLast(step);
  lines.push_back(labels == 1 ? "[advice] one label an example is compared with each of the " +
                                    std::to_string(predictions) + " predictions of " + layer +
                                    "; give a label for each, or the layer one unit"
                              : "[advice] the one prediction of " + layer +
                                    " is compared with each of " + std::to_string(labels) +
                                    " labels of an example; give the layer a unit for each");
}

// Classes of which there is one.
void AdviseOnOneClass(const TracedStep& step, std::vector<std::string>& lines) {
  if (LastSize(step.predictions) != 1) return;
  const std::string layer = NameOfLast(step);
  if (MadeBy(step.predictions) == "Softmax") {
    lines.push_back("[advice] " + layer + " ends with softmax over one value, which gives 1 " +
                    "whatever comes in; use sigmoid, or a unit for each class");
  }
  if (OneOf(step.loss.name(), {"categorical_crossentropy", "categorical_focal_crossentropy"})) {
    lines.push_back("[advice] " + step.loss.name() + " sees one class, as " + layer +
                    " has one unit, so nothing is learned; use binary_crossentropy, or a unit " +
                    "for each class");
  }
}

void AdviseOnOutput(const TracedStep& step, std::vector<std::string>& lines) {
  const std::string op = MadeBy(step.predictions);
  const bool raw = OneOf(op, {"MatMul", "BatchMatMul", "BatchMatMulV2", "BiasAdd", "Einsum",
                              "Conv2D", "Relu", "Tanh"});
  const bool squashed = OneOf(op, {"Softmax", "Sigmoid"});
  const std::string layer = NameOfLast(step);
  const std::string& loss = step.loss.name();
  const std::string function =
      op == "Sigmoid" || loss.starts_with("binary") ? "sigmoid" : "softmax";
  if (step.loss.expects_probabilities() && raw) {
    lines.push_back("[advice] " + loss + " takes probabilities, but " + layer + " ends without " +
                    function + "; give the loss from_logits = true, or the layer the activation " +
                    function);
  }
  if (step.loss.expects_logits() && squashed) {
    lines.push_back("[advice] " + loss + " with from_logits = true takes logits, but " + layer +
                    " ends with " + function + "; leave " + function +
                    " out, or give the loss from_logits = false");
  }
}

enum class Labels { kClassNumbers, kOneHot, kOther };

Labels KindOf(const Tensor& labels, const Tensor& predictions) {
  if (predictions.rank() == 0 || predictions.shape().dim(-1) <= 1) return Labels::kOther;
  const bool fewer = labels.rank() + 1 == predictions.rank();
  if (fewer || (labels.rank() == predictions.rank() && labels.shape().dim(-1) == 1)) {
    return Labels::kClassNumbers;
  }
  return labels.rank() == predictions.rank() ? Labels::kOneHot : Labels::kOther;
}

// By the default names of metrics: one that was given another name is taken to be meant.
std::string CureFor(const std::string& metric, const TracedStep& step) {
  const Labels labels = KindOf(step.labels, step.predictions);
  const std::string& loss = step.loss.name();
  if (labels == Labels::kOneHot && loss.starts_with("categorical") &&
      metric.starts_with("sparse_")) {
    return "takes class numbers, but the labels of " + loss + " are one-hot; use " +
           metric.substr(7);
  }
  if (labels == Labels::kClassNumbers && loss.starts_with("sparse_")) {
    if (OneOf(metric,
              {"categorical_accuracy", "top_k_categorical_accuracy", "categorical_crossentropy"})) {
      return "takes one-hot labels, but those of " + loss + " are class numbers; use sparse_" +
             metric;
    }
    if (OneOf(metric,
              {"binary_accuracy", "binary_crossentropy", "mean_squared_error",
               "mean_absolute_error", "root_mean_squared_error", "precision", "recall", "auc"})) {
      return "compares each prediction with the label, but the labels of " + loss +
             " are class numbers; use sparse_categorical_accuracy";
    }
  }
  if (LastSize(step.predictions) == 1 &&
      OneOf(metric, {"sparse_categorical_accuracy", "categorical_accuracy",
                     "sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy"})) {
    return "looks for the largest of several predictions, but " + NameOfLast(step) +
           " gives one; use binary_accuracy, or for a regression mean_absolute_error";
  }
  const bool threshold =
      OneOf(metric, {"binary_accuracy", "precision", "recall", "auc", "true_positives",
                     "true_negatives", "false_positives", "false_negatives"});
  if (threshold && step.loss.expects_logits()) {
    return "takes probabilities, but " + loss +
           " with from_logits = true has the model end with logits; end with sigmoid and give the "
           "loss from_logits = false";
  }
  return {};
}

}  // namespace

std::vector<std::string> AdviceOnStep(const TracedStep& step) {
  std::vector<std::string> lines;
  AdviseOnOutput(step, lines);
  AdviseOnOneClass(step, lines);
  AdviseOnWidth(step, lines);
  for (const MetricPtr& metric : step.metrics) {
    const std::string cure = CureFor(metric->name(), step);
    if (!cure.empty()) lines.push_back("[advice] the metric " + metric->name() + " " + cure);
  }
  for (size_t i = 0; i < step.variables.size() && i < step.gradients.size(); ++i) {
    if (step.gradients[i].defined()) continue;
    lines.push_back("[advice] the loss does not reach the variable " + step.variables[i].name() +
                    ", so it never changes; use its layer's output, or make it not trainable");
  }
  return lines;
}

std::vector<std::string> AdviceOnDivision(const BatchDivision& division) {
  if (division.leaves >= division.devices) return {};
  const int last = division.devices - 1;
  const std::string idle = division.leaves == last
                               ? "device " + std::to_string(last) + " has none of its own"
                               : "devices " + std::to_string(division.leaves) + " to " +
                                     std::to_string(last) + " have none of their own";
  std::string cure =
      "use " + std::to_string(division.leaves) + (division.leaves == 1 ? " device" : " devices");
  if (division.shards_follow_batch) {
    int shards = 1;
    while (shards * division.replicas < division.devices && shards < 64) shards *= 2;
    const int64_t enough = int64_t{16} * shards * division.replicas;
    if (enough > division.examples && shards * division.replicas >= division.devices) {
      cure = "a batch of " + std::to_string(enough) + " has enough, or " + cure;
    }
  }
  return {"[advice] a batch of " + std::to_string(division.examples) + " examples has " +
          std::to_string(division.leaves) + (division.leaves == 1 ? " shard" : " shards") +
          " for " + std::to_string(division.devices) + " devices: " + idle + "; " + cure};
}

std::vector<std::string> AdviceOnBatchSize(int64_t batch_size, int64_t examples) {
  if (batch_size <= examples) return {};
  return {"[advice] batch_size " + std::to_string(batch_size) + " is more than the " +
          std::to_string(examples) + " examples there are, so an epoch is one step of " +
          std::to_string(examples) + "; give a smaller one"};
}

}  // namespace lockstep::nn
