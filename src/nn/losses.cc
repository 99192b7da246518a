// Keras's losses by name: functions of loss_functions.h with their options.

#include "lockstep/nn/loss.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "nn/known_names.h"
#include "nn/loss_functions.h"

namespace lockstep::losses {

namespace {

using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

struct Traits {
  bool expects_probabilities = false;
  bool expects_logits = false;
  bool whole_batch = false;
};

// The tensor with `axis` moved to the end.
Tensor LastAxis(const Tensor& x, int axis) {
  if (axis == -1) return x;
  const int place = NormalizeAxis(axis, x.rank(), "loss");
  std::vector<int64_t> order;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != place) order.push_back(i);
  }
  order.push_back(place);
  return Transpose(x, order);
}

class FunctionLoss : public Loss {
 public:
  FunctionLoss(std::string name, Reduction reduction, Function function, Traits traits = {})
      : Loss(std::move(name), reduction), function_(std::move(function)), traits_(traits) {}
  Tensor PerExample(const Tensor& y_true, const Tensor& y_pred) const override {
    return function_(y_true, y_pred);
  }
  bool expects_probabilities() const override { return traits_.expects_probabilities; }
  bool whole_batch() const override { return traits_.whole_batch; }
  bool expects_logits() const override { return traits_.expects_logits; }

 private:
  Function function_;
  Traits traits_;
};

// A loss of aligned pairs.
template <typename Options, typename PairFunction>
LossPtr Make(const char* name, const Options& options, PairFunction function, Traits traits = {}) {
  return std::make_shared<FunctionLoss>(
      options.name.empty() ? name : options.name, options.reduction,
      [function](const Tensor& y_true, const Tensor& y_pred) {
        const nn::Pair pair = nn::Align(y_true, y_pred);
        return function(pair.y_true, pair.y_pred);
      },
      traits);
}

// A cross entropy, which is computed from the logits where they are known.
template <typename Options>
class CrossentropyLoss : public FunctionLoss {
 public:
  using OfPair = Tensor (*)(const Tensor& y_true, const Tensor& y_pred, const Options& options);
  CrossentropyLoss(const Options& options, const char* name, OfPair function)
      : FunctionLoss(options.name.empty() ? name : options.name, options.reduction,
                     [options, function](const Tensor& y_true, const Tensor& y_pred) {
                       const nn::Pair pair = nn::Align(y_true, y_pred);
                       return function(LastAxis(pair.y_true, options.axis),
                                       LastAxis(pair.y_pred, options.axis), options);
                     },
                     {.expects_probabilities = !options.from_logits,
                      .expects_logits = options.from_logits,
                      .whole_batch = options.axis == 0}),
        options_(options),
        function_(function) {}
  LossPtr OfLogits() const override {
    if (options_.axis != -1) return nullptr;
    Options options = options_;
    options.from_logits = true;
    return std::make_shared<CrossentropyLoss>(options, name().c_str(), function_);
  }

 private:
  Options options_;
  OfPair function_;
};

class SparseCrossentropyLoss : public Loss {
 public:
  explicit SparseCrossentropyLoss(const SparseCrossentropyOptions& options)
      : Loss(options.name.empty() ? "sparse_categorical_crossentropy" : options.name,
             options.reduction),
        options_(options) {}
  Tensor PerExample(const Tensor& y_true, const Tensor& scores) const override {
    const Tensor y_pred = LastAxis(scores, options_.axis);
    const Tensor labels = nn::SparseLabels(y_true, y_pred);
    if (!options_.ignore_class)
      return nn::SparseCategoricalCrossentropy(labels, y_pred, options_.from_logits);
    // An ignored label may lie outside of the classes: class 0 stands in for it.
    const Tensor valid = Valid(labels);
    const Tensor values = nn::SparseCategoricalCrossentropy(labels * Cast(valid, labels.dtype()),
                                                            y_pred, options_.from_logits);
    return Where(valid, values, 0.0);
  }
  Tensor Mask(const Tensor& y_true, const Tensor& y_pred) const override {
    return options_.ignore_class ? Valid(nn::SparseLabels(y_true, LastAxis(y_pred, options_.axis)))
                                 : Tensor();
  }
  bool expects_probabilities() const override { return !options_.from_logits; }
  bool expects_logits() const override { return options_.from_logits; }
  LossPtr OfLogits() const override {
    if (options_.axis != -1) return nullptr;
    SparseCrossentropyOptions options = options_;
    options.from_logits = true;
    options.name = name();
    return std::make_shared<SparseCrossentropyLoss>(options);
  }

 private:
  Tensor Valid(const Tensor& labels) const { return NotEqual(labels, *options_.ignore_class); }

  SparseCrossentropyOptions options_;
};

}  // namespace

LossPtr MeanSquaredError(const LossOptions& options) {
  return Make("mean_squared_error", options, nn::MeanSquaredError);
}
LossPtr MeanAbsoluteError(const LossOptions& options) {
  return Make("mean_absolute_error", options, nn::MeanAbsoluteError);
}
LossPtr MeanAbsolutePercentageError(const LossOptions& options) {
  return Make("mean_absolute_percentage_error", options, nn::MeanAbsolutePercentageError);
}
LossPtr MeanSquaredLogarithmicError(const LossOptions& options) {
  return Make("mean_squared_logarithmic_error", options, nn::MeanSquaredLogarithmicError);
}
LossPtr LogCosh(const LossOptions& options) { return Make("log_cosh", options, nn::LogCosh); }
LossPtr Hinge(const LossOptions& options) { return Make("hinge", options, nn::Hinge); }
LossPtr SquaredHinge(const LossOptions& options) {
  return Make("squared_hinge", options, nn::SquaredHinge);
}
LossPtr CategoricalHinge(const LossOptions& options) {
  return Make("categorical_hinge", options, nn::CategoricalHinge);
}
LossPtr KLDivergence(const LossOptions& options) {
  return Make("kl_divergence", options, nn::KLDivergence, {.expects_probabilities = true});
}
LossPtr Poisson(const LossOptions& options) { return Make("poisson", options, nn::Poisson); }

LossPtr Huber(const HuberOptions& options) {
  return Make("huber_loss", options, [delta = options.delta](const Tensor& t, const Tensor& p) {
    return nn::Huber(t, p, delta);
  });
}

LossPtr CosineSimilarity(const CosineSimilarityOptions& options) {
  return Make("cosine_similarity", options,
              [axis = options.axis](const Tensor& t, const Tensor& p) {
                return -nn::CosineSimilarity(t, p, axis);
              },
              {.whole_batch = options.axis == 0});
}

LossPtr BinaryCrossentropy(const CrossentropyOptions& options) {
  return std::make_shared<CrossentropyLoss<CrossentropyOptions>>(
      options, "binary_crossentropy",
      [](const Tensor& t, const Tensor& p, const CrossentropyOptions& given) {
        return nn::BinaryCrossentropy(t, p, given.from_logits, given.label_smoothing);
      });
}

LossPtr CategoricalCrossentropy(const CrossentropyOptions& options) {
  return std::make_shared<CrossentropyLoss<CrossentropyOptions>>(
      options, "categorical_crossentropy",
      [](const Tensor& t, const Tensor& p, const CrossentropyOptions& given) {
        return nn::CategoricalCrossentropy(t, p, given.from_logits, given.label_smoothing);
      });
}

namespace {

nn::Focal FocalOf(const FocalOptions& options) {
  return {options.alpha, options.gamma, options.apply_class_balancing, options.from_logits,
          options.label_smoothing};
}

}  // namespace

LossPtr BinaryFocalCrossentropy(const FocalOptions& options) {
  return std::make_shared<CrossentropyLoss<FocalOptions>>(
      options, "binary_focal_crossentropy",
      [](const Tensor& t, const Tensor& p, const FocalOptions& given) {
        return nn::BinaryFocalCrossentropy(t, p, FocalOf(given));
      });
}

// Of probabilities alone, as in Keras, which divides them by their sum and clips them.
LossPtr CategoricalFocalCrossentropy(const FocalOptions& options) {
  return Make("categorical_focal_crossentropy", options,
              [focal = FocalOf(options), axis = options.axis](const Tensor& t, const Tensor& p) {
                return nn::CategoricalFocalCrossentropy(LastAxis(t, axis), LastAxis(p, axis),
                                                        focal);
              },
              {.expects_probabilities = !options.from_logits,
               .expects_logits = options.from_logits,
               .whole_batch = options.axis == 0});
}

LossPtr SparseCategoricalCrossentropy(const SparseCrossentropyOptions& options) {
  return std::make_shared<SparseCrossentropyLoss>(options);
}
LossPtr CategoricalGeneralizedCrossEntropy(const GeneralizedCrossentropyOptions& options) {
  if (!(options.q > 0 && options.q < 1)) {
    throw Error(Code::kInvalidArgument,
                "[categorical_generalized_cross_entropy] q must lie between 0 and 1; got " +
                    std::to_string(options.q));
  }
  return std::make_shared<FunctionLoss>(
      options.name.empty() ? "categorical_generalized_cross_entropy" : options.name,
      options.reduction,
      [q = options.q](const Tensor& y_true, const Tensor& y_pred) {
        return nn::GeneralizedCrossentropy(nn::SparseLabels(y_true, y_pred), y_pred, q);
      },
      Traits{.expects_probabilities = true});
}

LossPtr Dice(const OverlapOptions& options) {
  return Make("dice", options,
              [axes = options.axis.value_or(Axes())](const Tensor& t, const Tensor& p) {
                return nn::Dice(t, p, axes);
              },
              {.whole_batch = !options.axis});
}

LossPtr Tversky(const OverlapOptions& options) {
  return Make("tversky", options,
              [options](const Tensor& t, const Tensor& p) {
                return nn::Tversky(t, p, options.alpha, options.beta,
                                   options.axis.value_or(Axes()));
              },
              {.whole_batch = !options.axis});
}

LossPtr FromFunction(const std::string& name, Function function, Reduction reduction) {
  return std::make_shared<FunctionLoss>(name, reduction, std::move(function));
}

namespace {

struct Named {
  std::vector<std::string> names;
  LossPtr (*make)();
};

const std::vector<Named>& AllNames() {
  static const std::vector<Named> all{
      {{"mean_squared_error", "MeanSquaredError", "mse", "MSE"}, [] { return MeanSquaredError(); }},
      {{"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"},
       [] { return MeanAbsoluteError(); }},
      {{"mean_absolute_percentage_error", "MeanAbsolutePercentageError", "mape", "MAPE"},
       [] { return MeanAbsolutePercentageError(); }},
      {{"mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", "msle", "MSLE"},
       [] { return MeanSquaredLogarithmicError(); }},
      {{"cosine_similarity", "CosineSimilarity"}, [] { return CosineSimilarity(); }},
      {{"huber", "Huber"}, [] { return Huber(); }},
      {{"log_cosh", "LogCosh", "logcosh"}, [] { return LogCosh(); }},
      {{"hinge", "Hinge"}, [] { return Hinge(); }},
      {{"squared_hinge", "SquaredHinge"}, [] { return SquaredHinge(); }},
      {{"categorical_hinge", "CategoricalHinge"}, [] { return CategoricalHinge(); }},
      {{"kl_divergence", "KLDivergence", "kld", "KLD"}, [] { return KLDivergence(); }},
      {{"poisson", "Poisson"}, [] { return Poisson(); }},
      {{"binary_crossentropy", "BinaryCrossentropy", "bce", "BCE"},
       [] { return BinaryCrossentropy(); }},
      {{"binary_focal_crossentropy", "BinaryFocalCrossentropy"},
       [] { return BinaryFocalCrossentropy(); }},
      {{"categorical_crossentropy", "CategoricalCrossentropy"},
       [] { return CategoricalCrossentropy(); }},
      {{"categorical_focal_crossentropy", "CategoricalFocalCrossentropy"},
       [] { return CategoricalFocalCrossentropy(); }},
      {{"sparse_categorical_crossentropy", "SparseCategoricalCrossentropy"},
       [] { return SparseCategoricalCrossentropy(); }},
      {{"categorical_generalized_cross_entropy", "CategoricalGeneralizedCrossEntropy"},
       [] { return CategoricalGeneralizedCrossEntropy(); }},
      {{"dice", "Dice"}, [] { return Dice(); }},
      {{"tversky", "Tversky"}, [] { return Tversky(); }},
  };
  return all;
}

}  // namespace

LossPtr Get(const std::string& name) {
  std::vector<std::string> known;
  for (const Named& named : AllNames()) {
    for (const std::string& alias : named.names) {
      if (alias == name) return named.make();
    }
    known.push_back(named.names.front());
  }
  nn::RefuseName("losses", name, known);
}

}  // namespace lockstep::losses
