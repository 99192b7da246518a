#include <algorithm>
#include <cmath>

#include "nn/callbacks/monitor.h"

namespace lockstep::callbacks {

namespace {

class ReduceLROnPlateauCallback : public Callback {
 public:
  explicit ReduceLROnPlateauCallback(const ReduceLROnPlateauOptions& options)
      : options_(options),
        monitor_("reduce_lr_on_plateau", options.monitor, options.mode, options.min_delta) {
    if (!(options.factor < 1)) {
      throw Error(Code::kInvalidArgument, "[reduce_lr_on_plateau] factor must be below 1; got " +
                                              std::to_string(options.factor) +
                                              "; a plateau is answered by smaller steps");
    }
  }

  void OnTrainBegin() override {
    wait_ = cooldown_ = 0;
    best_.reset();
  }

  int64_t ReadsEvery() const override { return 0; }
  void OnEpochEnd(int, Logs& logs) override {
    logs["learning_rate"] = LearningRateOf(*model);
    const auto current = monitor_.Value(logs);
    if (!current) return;
    if (cooldown_ > 0) {
      --cooldown_;
      wait_ = 0;
    }
    // Keras compares with an infinity at first, so that a NaN is no improvement.
    if (best_ ? monitor_.Better(*current, best_) : !std::isnan(*current)) {
      best_ = current;
      wait_ = 0;
    } else if (cooldown_ == 0 && ++wait_ >= options_.patience) {
      Reduce();
    }
  }

  std::string name() const override { return "reduce_lr_on_plateau"; }
  std::vector<NamedTensor> State() const override {
    std::vector<NamedTensor> state{Kept("wait", wait_), Kept("cooldown", cooldown_)};
    if (best_) state.push_back(Kept("best", *best_));
    return state;
  }
  void SetState(const SavedState& state) override {
    wait_ = static_cast<int>(KeptIn(state, "wait", 0));
    cooldown_ = static_cast<int>(KeptIn(state, "cooldown", 0));
    if (state.Find("best") != nullptr) best_ = KeptIn(state, "best", 0);
  }

 private:
  void Reduce() {
    const double old = LearningRateOf(*model);
    if (old <= static_cast<float>(options_.min_lr)) return;
    SetLearningRate(*model, std::max(old * options_.factor, options_.min_lr));
    cooldown_ = options_.cooldown;
    wait_ = 0;
  }

  ReduceLROnPlateauOptions options_;
  Monitor monitor_;
  int wait_ = 0;
  int cooldown_ = 0;
  std::optional<double> best_;
};

}  // namespace

CallbackPtr ReduceLROnPlateau(const ReduceLROnPlateauOptions& options) {
  return std::make_shared<ReduceLROnPlateauCallback>(options);
}

}  // namespace lockstep::callbacks
