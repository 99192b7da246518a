#include <memory>
#include <utility>

#include "base/log.h"
#include "distribute/workers/communicator.h"
#include "lockstep/nn/metrics_endpoint.h"
#include "monitor/metrics_endpoint.h"
#include "net/ports.h"

namespace lockstep::callbacks {

namespace {

std::string InterfaceNumber(const std::string& address) {
  const auto number = net::OwnNumberOf(address);
  if (number.ok()) return *number;
  throw Error(Code::kInvalidArgument,
              "[metrics] an address must be this machine's, as a number or a name; got '" +
                  address +
                  "' (--metrics-address); write 127.0.0.1, or 0.0.0.0 for all interfaces");
}

class MetricsCallback : public Callback {
 public:
  explicit MetricsCallback(MetricsOptions options) : options_(std::move(options)) {}

  void OnTrainBegin() override {
    if (endpoint_ != nullptr && metrics_ == base::MetricsScope::Current()) return;
    metrics_ = base::MetricsScope::Current();
    endpoint_.reset();
    distribute::Communicator* ranks = model->strategy().ranks();
    const int rank = ranks == nullptr ? 0 : ranks->rank();
    std::string task = "worker " + std::to_string(rank);
    if (ranks != nullptr && static_cast<size_t>(rank) < ranks->watch().tasks().size())
      task = ranks->watch().tasks()[static_cast<size_t>(rank)];
    endpoint_ = monitor::MetricsEndpoint::Open(
                    metrics_, {.address = InterfaceNumber(options_.address),
                               .port = options_.port == 0 ? 0 : options_.port + rank,
                               .labels = {{"worker", task}}})
                    .value();
    base::Log(base::Severity::kInfo, "metrics: http://" + endpoint_->address() + "/metrics");
    if (options_.on_open) options_.on_open(endpoint_->address());
  }
  int64_t ReadsEvery() const override { return 0; }

 private:
  const MetricsOptions options_;
  std::shared_ptr<base::Metrics> metrics_;
  // Until the end of the callback, so that the last figures can be read; it takes up to two seconds
  // to close.
  std::unique_ptr<monitor::MetricsEndpoint> endpoint_;
};

}  // namespace

CallbackPtr Metrics(MetricsOptions options) {
  return std::make_shared<MetricsCallback>(std::move(options));
}

}  // namespace lockstep::callbacks
