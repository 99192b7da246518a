#include "nn/callbacks/monitor.h"

namespace lockstep::callbacks {

namespace {

class Scheduler : public Callback {
 public:
  explicit Scheduler(std::function<double(int, double)> schedule)
      : schedule_(std::move(schedule)) {}
  void OnEpochBegin(int epoch) override {
    SetLearningRate(*model, schedule_(epoch, LearningRateOf(*model)));
  }
  int64_t ReadsEvery() const override { return 0; }
  void OnEpochEnd(int, Logs& logs) override { logs["learning_rate"] = LearningRateOf(*model); }

 private:
  std::function<double(int, double)> schedule_;
};

}  // namespace

CallbackPtr LearningRateScheduler(std::function<double(int epoch, double rate)> schedule) {
  return std::make_shared<Scheduler>(std::move(schedule));
}

}  // namespace lockstep::callbacks
