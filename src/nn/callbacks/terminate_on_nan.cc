#include <cmath>

#include "base/log.h"
#include "lockstep/nn/callbacks.h"

namespace lockstep::callbacks {

namespace {

class TerminateOnNaNCallback : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LogsSource& logs) override {
    const double loss = logs().at("loss");
    if (std::isfinite(loss)) return;
    base::Log(base::Severity::kWarning, "[terminate_on_nan] batch " + std::to_string(batch) +
                                            ": the loss is " + std::to_string(loss) +
                                            "; training ends");
    model->stop_training = true;
  }
};

}  // namespace

CallbackPtr TerminateOnNaN() { return std::make_shared<TerminateOnNaNCallback>(); }

}  // namespace lockstep::callbacks
