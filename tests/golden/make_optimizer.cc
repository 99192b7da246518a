#include "make_optimizer.h"

#include <set>
#include <sstream>

#include "lockstep/nn/optimizers.h"

namespace golden {

using lockstep::OptimizerPtr;
namespace optimizers = lockstep::optimizers;

namespace {

// Parameters by name, with the defaults of the options that they go into.
class Params {
 public:
  explicit Params(const Json& json) : json_(json) {}
  // Skip for a parameter that nobody has read.
  void CheckAllRead() const {
    for (const auto& [name, value] : json_.items()) {
      if (name != "note" && name != "class" && !read_.contains(name))
        throw Skip{"the optimizer's parameter " + name + " is not known here"};
    }
  }
  template <typename T>
  void Read(const std::string& name, T& value) const {
    read_.insert(name);
    if (json_.contains(name) && !json_[name].is_null()) value = json_[name].get<T>();
  }
  void Read(const std::string& name, lockstep::LearningRate& rate) const {
    double value = rate.value();
    Read(name, value);
    rate = value;
  }
  void Read(const std::string& name, std::optional<double>& value) const {
    read_.insert(name);
    if (!json_.contains(name)) return;
    value = json_[name].is_null() ? std::nullopt : std::optional(json_[name].get<double>());
  }

 private:
  const Json& json_;
  mutable std::set<std::string> read_;
};

lockstep::UpdateOptions Update(const Params& params) {
  lockstep::UpdateOptions options;
  params.Read("weight_decay", options.weight_decay);
  params.Read("clipnorm", options.clipnorm);
  params.Read("clipvalue", options.clipvalue);
  params.Read("global_clipnorm", options.global_clipnorm);
  params.Read("use_ema", options.use_ema);
  params.Read("ema_momentum", options.ema_momentum);
  params.Read("ema_overwrite_frequency", options.ema_overwrite_frequency);
  params.Read("loss_scale_factor", options.loss_scale_factor);
  params.Read("gradient_accumulation_steps", options.gradient_accumulation_steps);
  return options;
}

// What the rules of Adam's family share.
template <typename Options>
Options Betas(const Params& params) {
  Options options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("beta_1", options.beta_1);
  params.Read("beta_2", options.beta_2);
  if constexpr (requires { options.epsilon; }) params.Read("epsilon", options.epsilon);
  if constexpr (requires { options.amsgrad; }) params.Read("amsgrad", options.amsgrad);
  return options;
}

OptimizerPtr Sgd(const Params& params) {
  optimizers::SgdOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("momentum", options.momentum);
  params.Read("nesterov", options.nesterov);
  return optimizers::Sgd(options, Update(params));
}

OptimizerPtr Rmsprop(const Params& params) {
  optimizers::RmspropOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("rho", options.rho);
  params.Read("momentum", options.momentum);
  params.Read("epsilon", options.epsilon);
  params.Read("centered", options.centered);
  return optimizers::Rmsprop(options, Update(params));
}

OptimizerPtr Adagrad(const Params& params) {
  optimizers::AdagradOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("initial_accumulator_value", options.initial_accumulator_value);
  params.Read("epsilon", options.epsilon);
  return optimizers::Adagrad(options, Update(params));
}

OptimizerPtr Adadelta(const Params& params) {
  optimizers::AdadeltaOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("rho", options.rho);
  params.Read("epsilon", options.epsilon);
  return optimizers::Adadelta(options, Update(params));
}

OptimizerPtr Ftrl(const Params& params) {
  optimizers::FtrlOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("learning_rate_power", options.learning_rate_power);
  params.Read("initial_accumulator_value", options.initial_accumulator_value);
  params.Read("l1_regularization_strength", options.l1_regularization_strength);
  params.Read("l2_regularization_strength", options.l2_regularization_strength);
  params.Read("l2_shrinkage_regularization_strength", options.l2_shrinkage_regularization_strength);
  params.Read("beta", options.beta);
  return optimizers::Ftrl(options, Update(params));
}

OptimizerPtr Adafactor(const Params& params) {
  optimizers::AdafactorOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("beta_2_decay", options.beta_2_decay);
  params.Read("epsilon_1", options.epsilon_1);
  params.Read("epsilon_2", options.epsilon_2);
  params.Read("clip_threshold", options.clip_threshold);
  bool without_effect = true;  // in Keras, too
  params.Read("relative_step", without_effect);
  return optimizers::Adafactor(options, Update(params));
}

OptimizerPtr Muon(const Params& params) {
  optimizers::MuonOptions options;
  params.Read("learning_rate", options.learning_rate);
  params.Read("adam_beta_1", options.adam_beta_1);
  params.Read("adam_beta_2", options.adam_beta_2);
  params.Read("adam_weight_decay", options.adam_weight_decay);
  params.Read("epsilon", options.epsilon);
  params.Read("exclude_layers", options.exclude_layers);
  params.Read("exclude_embeddings", options.exclude_embeddings);
  params.Read("muon_a", options.muon_a);
  params.Read("muon_b", options.muon_b);
  params.Read("muon_c", options.muon_c);
  params.Read("adam_lr_ratio", options.adam_lr_ratio);
  params.Read("momentum", options.momentum);
  params.Read("ns_steps", options.ns_steps);
  params.Read("nesterov", options.nesterov);
  std::optional<double> rms_rate = options.rms_rate;
  params.Read("rms_rate", rms_rate);
  options.rms_rate = rms_rate.value_or(0);  // as null
  return optimizers::Muon(options, Update(params));
}

OptimizerPtr Make(const std::string& type, const Params& params) {
  if (type == "SGD") return Sgd(params);
  if (type == "RMSprop") return Rmsprop(params);
  if (type == "Adagrad") return Adagrad(params);
  if (type == "Adadelta") return Adadelta(params);
  if (type == "Adam")
    return optimizers::Adam(Betas<optimizers::AdamOptions>(params), Update(params));
  if (type == "AdamW")
    return optimizers::AdamW(Betas<optimizers::AdamOptions>(params), Update(params));
  if (type == "Nadam")
    return optimizers::Nadam(Betas<optimizers::NadamOptions>(params), Update(params));
  if (type == "Adamax")
    return optimizers::Adamax(Betas<optimizers::AdamaxOptions>(params), Update(params));
  if (type == "Lion")
    return optimizers::Lion(Betas<optimizers::LionOptions>(params), Update(params));
  if (type == "Lamb")
    return optimizers::Lamb(Betas<optimizers::LambOptions>(params), Update(params));
  if (type == "Ftrl") return Ftrl(params);
  if (type == "Adafactor") return Adafactor(params);
  if (type == "Muon") return Muon(params);
  throw Skip{"the optimizer " + type + " is not known here"};
}

OptimizerPtr MakeAndCheck(const std::string& type, const Json& json) {
  const Params params(json);
  OptimizerPtr optimizer = Make(type, params);
  params.CheckAllRead();
  return optimizer;
}

}  // namespace

OptimizerPtr MakeOptimizer(const Case& golden) {
  for (const auto& [name, value] : golden.AllParams().items()) golden.Knows(name);
  return MakeAndCheck(golden.Get<std::string>("class"), golden.AllParams());
}

OptimizerPtr ParseOptimizer(const std::string& text) {
  const size_t open = text.find('(');
  Json params = Json::object();
  if (open == std::string::npos) return MakeAndCheck(text, params);
  std::istringstream entries(text.substr(open + 1, text.rfind(')') - open - 1));
  for (std::string entry; std::getline(entries, entry, ',');) {
    const size_t equals = entry.find('=');
    const std::string name =
        equals == std::string::npos ? "learning_rate" : entry.substr(0, equals);
    std::string value = equals == std::string::npos ? entry : entry.substr(equals + 1);
    if (value == "True") value = "true";
    if (value == "False") value = "false";
    params[name] = Json::parse(value);
  }
  return MakeAndCheck(text.substr(0, open), params);
}

}  // namespace golden
