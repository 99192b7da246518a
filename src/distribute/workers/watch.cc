#include "distribute/workers/watch.h"

#include <utility>

#include "base/trace.h"

namespace lockstep::distribute {

namespace {

constexpr const char* kWaits = "lockstep_wait_seconds_total";
constexpr const char* kWaitsHelp = "Seconds in which there was nothing to do but wait for a peer.";
constexpr const char* kSent = "lockstep_sent_bytes_total";
constexpr const char* kSentHelp = "Bytes of messages to a peer, by transport.";
constexpr const char* kReceived = "lockstep_received_bytes_total";
constexpr const char* kReceivedHelp = "Bytes of messages from a peer, by transport.";

}  // namespace

Watch::Watch()
    : epoch_(metrics_->Gauge("lockstep_epoch", "Epoch of the membership.")),
      recoveries_(metrics_->Counter("lockstep_recoveries_total",
                                    "How often this task went on after others were lost.")) {}

void Watch::Enter(uint64_t epoch, std::vector<std::string> tasks, int num_ranks) {
  epoch_.Set(static_cast<double>(epoch));
  tasks_ = std::move(tasks);
  for (int rank = static_cast<int>(tasks_.size()); rank < num_ranks; ++rank)
    tasks_.push_back("worker " + std::to_string(rank));
  waits_.clear();
  for (const std::string& task : tasks_)
    waits_.push_back(&metrics_->Counter(kWaits, kWaitsHelp, {{"peer", task}}));
  roads_.assign(tasks_.size(), {});
  if (auto* trace = base::TraceRecorder::Current()) trace->SetPeers(tasks_);
}

void Watch::Waited(const std::string& what, int peer, base::Time from, base::Time to) {
  if (peer >= 0 && static_cast<size_t>(peer) < waits_.size())
    waits_[static_cast<size_t>(peer)]->Add(std::chrono::duration<double>(to - from).count());
  if (auto* trace = base::TraceRecorder::Current()) trace->Wait(what, peer, from, to);
}

void Watch::NoteTraffic(const net::Transport& transport) {
  const std::vector<net::Traffic> traffic = transport.traffic();
  for (size_t rank = 0; rank < traffic.size() && rank < roads_.size(); ++rank) {
    const net::Traffic& now = traffic[rank];
    Road& road = roads_[rank];
    if (now.sent_bytes + now.received_bytes == 0) continue;
    if (road.sent == nullptr) {
      const base::MetricLabels labels{{"peer", tasks_[rank]}, {"transport", now.road}};
      road.sent = &metrics_->Counter(kSent, kSentHelp, labels);
      road.received = &metrics_->Counter(kReceived, kReceivedHelp, labels);
    }
    road.sent->Add(static_cast<double>(now.sent_bytes - road.noted.sent_bytes));
    road.received->Add(static_cast<double>(now.received_bytes - road.noted.received_bytes));
    road.noted = now;
  }
}

}  // namespace lockstep::distribute
