#include "lockstep/nn/callbacks.h"

namespace lockstep::callbacks {

namespace {

class Lambda : public Callback {
 public:
  explicit Lambda(LambdaCallbackOptions options) : options_(std::move(options)) {}
  void OnTrainBegin() override {
    if (options_.on_train_begin) options_.on_train_begin();
  }
  void OnTrainEnd() override {
    if (options_.on_train_end) options_.on_train_end();
  }
  void OnEpochBegin(int epoch) override {
    if (options_.on_epoch_begin) options_.on_epoch_begin(epoch);
  }
  void OnEpochEnd(int epoch, Logs& logs) override {
    if (options_.on_epoch_end) options_.on_epoch_end(epoch, logs);
  }
  void OnTrainBatchBegin(int64_t batch) override {
    if (options_.on_train_batch_begin) options_.on_train_batch_begin(batch);
  }
  void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) override {
    if (options_.on_train_batch_end) options_.on_train_batch_end(batch, logs);
  }
  int64_t ReadsEvery() const override {
    return options_.on_train_batch_begin || options_.on_train_batch_end ? 1 : 0;
  }

 private:
  LambdaCallbackOptions options_;
};

}  // namespace

CallbackPtr LambdaCallback(LambdaCallbackOptions options) {
  return std::make_shared<Lambda>(std::move(options));
}

}  // namespace lockstep::callbacks
