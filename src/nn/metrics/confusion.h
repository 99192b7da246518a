#pragma once

#include "lockstep/nn/metric.h"

namespace lockstep::metrics {

/// Labels and predictions of all elements with their weights, in one row. Shapes: [N].
struct Elements {
  Tensor positive;  // float32, 1 where the label is true
  Tensor y_pred;
  Tensor weight;
};
Elements Flatten(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight);

/// Sums over the elements, a value a threshold. `above` [N, thresholds] is 1 where a prediction
/// lies above a threshold, else 0.
struct Counts {
  Tensor true_positives, false_positives, false_negatives, true_negatives;
};
Counts CountAbove(const Elements& elements, const Tensor& above);

}  // namespace lockstep::metrics
