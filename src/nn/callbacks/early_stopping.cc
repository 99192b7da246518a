#include "nn/callbacks/monitor.h"

namespace lockstep::callbacks {

namespace {

class EarlyStoppingCallback : public Callback {
 public:
  explicit EarlyStoppingCallback(const EarlyStoppingOptions& options)
      : options_(options),
        monitor_("early_stopping", options.monitor, options.mode, options.min_delta) {}

  void OnTrainBegin() override {
    wait_ = 0;
    best_.reset();
    best_weights_.clear();
  }

  int64_t ReadsEvery() const override { return 0; }
  void OnEpochEnd(int epoch, Logs& logs) override {
    const auto current = monitor_.Value(logs);
    if (!current || epoch < options_.start_from_epoch) return;
    if (options_.restore_best_weights && best_weights_.empty()) KeepWeights();
    ++wait_;
    if (monitor_.Better(*current, best_)) {
      best_ = current;
      if (options_.restore_best_weights) KeepWeights();
      if (!options_.baseline || monitor_.Better(*current, options_.baseline)) wait_ = 0;
      return;
    }
    if (wait_ >= options_.patience && epoch > 0) model->stop_training = true;
  }

  void OnTrainEnd() override {
    const std::vector<Variable> variables = model->variables();
    for (size_t i = 0; i < best_weights_.size(); ++i) variables[i].Assign(best_weights_[i]);
  }

  std::string name() const override { return "early_stopping"; }
  std::vector<NamedTensor> State() const override {
    std::vector<NamedTensor> state{Kept("wait", wait_)};
    if (best_) state.push_back(Kept("best", *best_));
    for (size_t i = 0; i < best_weights_.size(); ++i)
      state.push_back({"weight_" + std::to_string(i), best_weights_[i]});
    return state;
  }
  void SetState(const SavedState& state) override {
    wait_ = static_cast<int>(KeptIn(state, "wait", 0));
    if (state.Find("best") != nullptr) best_ = KeptIn(state, "best", 0);
    for (size_t i = 0; i < model->variables().size(); ++i) {
      const Tensor* weight = state.Find("weight_" + std::to_string(i));
      if (weight != nullptr && options_.restore_best_weights) best_weights_.push_back(*weight);
    }
  }

 private:
  void KeepWeights() {
    best_weights_.clear();
    for (const Variable& variable : model->variables()) best_weights_.push_back(variable.value());
  }

  EarlyStoppingOptions options_;
  Monitor monitor_;
  int wait_ = 0;
  std::optional<double> best_;
  std::vector<Tensor> best_weights_;
};

}  // namespace

CallbackPtr EarlyStopping(const EarlyStoppingOptions& options) {
  return std::make_shared<EarlyStoppingCallback>(options);
}

}  // namespace lockstep::callbacks
