// Means of what the losses compute for each example.

#include "lockstep/ops/math.h"
#include "nn/loss_functions.h"
#include "nn/metrics/mean_of_function.h"

namespace lockstep::metrics {

namespace {

MetricFunction OfPair(MetricFunction function) {
  return [function = std::move(function)](const Tensor& y_true, const Tensor& y_pred) {
    const nn::Pair pair = nn::Align(y_true, y_pred);
    return function(pair.y_true, pair.y_pred);
  };
}

MetricPtr Aligned(std::string name, MetricFunction function) {
  return std::make_shared<MeanOfFunction>(std::move(name), OfPair(std::move(function)));
}

// `make` gives the function of probabilities or of logits.
MetricPtr Crossentropy(std::string name, bool from_logits,
                       const std::function<MetricFunction(bool)>& make) {
  return std::make_shared<MeanOfFunction>(std::move(name), make(from_logits), make(true));
}

std::string NameOr(const std::string& name, const char* otherwise) {
  return name.empty() ? otherwise : name;
}

class RootMean : public MeanOfFunction {
 public:
  explicit RootMean(std::string name)
      : MeanOfFunction(std::move(name), [](const Tensor& y_true, const Tensor& y_pred) {
          const nn::Pair pair = nn::Align(y_true, y_pred);
          return Square(pair.y_pred - pair.y_true);
        }) {}
  Tensor Result() const override { return Sqrt(Mean::Result()); }
};

}  // namespace

MetricPtr MeanSquaredError(std::string name) {
  return Aligned(std::move(name), nn::MeanSquaredError);
}
MetricPtr RootMeanSquaredError(std::string name) {
  return std::make_shared<RootMean>(std::move(name));
}
MetricPtr MeanAbsoluteError(std::string name) {
  return Aligned(std::move(name), nn::MeanAbsoluteError);
}
MetricPtr MeanAbsolutePercentageError(std::string name) {
  return Aligned(std::move(name), nn::MeanAbsolutePercentageError);
}
MetricPtr MeanSquaredLogarithmicError(std::string name) {
  return Aligned(std::move(name), nn::MeanSquaredLogarithmicError);
}
MetricPtr LogCoshError(std::string name) { return Aligned(std::move(name), nn::LogCosh); }
MetricPtr CosineSimilarity(std::string name, int axis) {
  return Aligned(std::move(name), [axis](const Tensor& y_true, const Tensor& y_pred) {
    return nn::CosineSimilarity(y_true, y_pred, axis);
  });
}
MetricPtr KLDivergence(std::string name) { return Aligned(std::move(name), nn::KLDivergence); }
MetricPtr Poisson(std::string name) { return Aligned(std::move(name), nn::Poisson); }
MetricPtr Hinge(std::string name) { return Aligned(std::move(name), nn::Hinge); }
MetricPtr SquaredHinge(std::string name) { return Aligned(std::move(name), nn::SquaredHinge); }
MetricPtr CategoricalHinge(std::string name) {
  return Aligned(std::move(name), nn::CategoricalHinge);
}
MetricPtr BinaryCrossentropy(const CrossentropyOptions& options) {
  const double label_smoothing = options.label_smoothing;
  return Crossentropy(NameOr(options.name, "binary_crossentropy"), options.from_logits,
                      [=](bool logits) {
                        return OfPair([=](const Tensor& y_true, const Tensor& y_pred) {
                          return nn::BinaryCrossentropy(y_true, y_pred, logits, label_smoothing);
                        });
                      });
}
MetricPtr CategoricalCrossentropy(const CrossentropyOptions& options) {
  const double label_smoothing = options.label_smoothing;
  return Crossentropy(
      NameOr(options.name, "categorical_crossentropy"), options.from_logits, [=](bool logits) {
        return OfPair([=](const Tensor& y_true, const Tensor& y_pred) {
          return nn::CategoricalCrossentropy(y_true, y_pred, logits, label_smoothing);
        });
      });
}
MetricPtr SparseCategoricalCrossentropy(const SparseCrossentropyOptions& options) {
  return Crossentropy(NameOr(options.name, "sparse_categorical_crossentropy"), options.from_logits,
                      [](bool logits) -> MetricFunction {
                        return [logits](const Tensor& y_true, const Tensor& y_pred) {
                          return nn::SparseCategoricalCrossentropy(nn::SparseLabels(y_true, y_pred),
                                                                   y_pred, logits);
                        };
                      });
}

}  // namespace lockstep::metrics
