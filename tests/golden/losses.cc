#include "case.h"
#include "gradients.h"
#include "lockstep/nn/loss.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/gradient_tape.h"

namespace golden {
namespace {

using lockstep::LossPtr;
using lockstep::Reduction;
using lockstep::Tensor;
namespace losses = lockstep::losses;

LossPtr Make(const Case& golden, Reduction reduction) {
  const auto type = golden.Get<std::string>("class");
  const bool from_logits = golden.Param("from_logits", false);
  const double smoothing = golden.Param("label_smoothing", 0.0);
  const bool overlaps = type == "Dice" || type == "Tversky";
  const int axis = overlaps ? -1 : golden.Param("axis", -1);
  const losses::LossOptions plain{.reduction = reduction};
  const losses::CrossentropyOptions crossentropy{.from_logits = from_logits,
                                                 .label_smoothing = smoothing,
                                                 .axis = axis,
                                                 .reduction = reduction};
  const losses::FocalOptions focal{
      .alpha = golden.Param("alpha", 0.25),
      .gamma = golden.Param("gamma", 2.0),
      .apply_class_balancing = golden.Param("apply_class_balancing", false),
      .from_logits = from_logits,
      .label_smoothing = smoothing,
      .axis = axis,
      .reduction = reduction};
  losses::OverlapOptions overlap{.alpha = golden.Param("alpha", 0.5),
                                 .beta = golden.Param("beta", 0.5),
                                 .reduction = reduction};
  if (overlaps && golden.HasParam("axis")) overlap.axis = lockstep::Axes(golden.Integers("axis"));
  if (type == "MeanSquaredError") return losses::MeanSquaredError(plain);
  if (type == "MeanAbsoluteError") return losses::MeanAbsoluteError(plain);
  if (type == "MeanAbsolutePercentageError") return losses::MeanAbsolutePercentageError(plain);
  if (type == "MeanSquaredLogarithmicError") return losses::MeanSquaredLogarithmicError(plain);
  if (type == "LogCosh") return losses::LogCosh(plain);
  if (type == "Hinge") return losses::Hinge(plain);
  if (type == "SquaredHinge") return losses::SquaredHinge(plain);
  if (type == "CategoricalHinge") return losses::CategoricalHinge(plain);
  if (type == "KLDivergence") return losses::KLDivergence(plain);
  if (type == "Poisson") return losses::Poisson(plain);
  if (type == "CosineSimilarity")
    return losses::CosineSimilarity({.axis = golden.Param("axis", -1), .reduction = reduction});
  if (type == "Huber")
    return losses::Huber({.delta = golden.Param("delta", 1.0), .reduction = reduction});
  if (type == "BinaryCrossentropy") return losses::BinaryCrossentropy(crossentropy);
  if (type == "CategoricalCrossentropy") return losses::CategoricalCrossentropy(crossentropy);
  if (type == "BinaryFocalCrossentropy") return losses::BinaryFocalCrossentropy(focal);
  if (type == "CategoricalFocalCrossentropy") return losses::CategoricalFocalCrossentropy(focal);
  if (type == "SparseCategoricalCrossentropy") {
    losses::SparseCrossentropyOptions options{
        .from_logits = from_logits, .axis = axis, .reduction = reduction};
    if (golden.HasParam("ignore_class")) options.ignore_class = golden.Get<int64_t>("ignore_class");
    return losses::SparseCategoricalCrossentropy(options);
  }
  if (type == "CategoricalGeneralizedCrossEntropy")
    return losses::CategoricalGeneralizedCrossEntropy(
        {.q = golden.Param("q", 0.5), .reduction = reduction});
  if (type == "Dice") return losses::Dice(overlap);
  if (type == "Tversky") return losses::Tversky(overlap);
  return losses::Get(type);
}

void RunLoss(const Case& golden, Produced& produced) {
  const Tensor y_true = golden.Input("y_true");
  const Tensor y_pred = golden.Input("y_pred");
  const Tensor weight = golden.HasInput("sample_weight") ? golden.Input("sample_weight") : Tensor();
  // Keras computes losses in float32, whatever the predictions are.
  const auto loss = [&](Reduction reduction, const Tensor& sample_weight) {
    const bool cast =
        lockstep::IsFloating(y_pred.dtype()) && y_pred.dtype() != lockstep::DType::kFloat32;
    const Tensor own = cast ? lockstep::Cast(y_pred, lockstep::DType::kFloat32) : y_pred;
    return (*Make(golden, reduction))(y_true, own, sample_weight);
  };
  produced["none"] = loss(Reduction::kNone, Tensor());
  produced["sum"] = loss(Reduction::kSum, Tensor());
  {
    lockstep::GradientTape tape;
    tape.Watch(y_pred);
    const Tensor mean = loss(Reduction::kSumOverBatchSize, Tensor());
    produced["sum_over_batch_size"] = mean;
    ProduceGradient(produced, "d_y_pred_of_mean", tape.Gradient(mean, y_pred));
  }
  if (golden.HasOutput("weighted_sum_over_batch_size"))
    produced["weighted_sum_over_batch_size"] = loss(Reduction::kSumOverBatchSize, weight);
  if (golden.HasOutput("weighted_mean_with_sample_weight"))
    produced["weighted_mean_with_sample_weight"] = loss(Reduction::kMeanWithSampleWeight, weight);
}

const RegisterGroup kLosses("losses", {{"loss", RunLoss}});

}  // namespace
}  // namespace golden
