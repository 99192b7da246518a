#include "net/endpoint.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/probe.h"

namespace lockstep::net {

Endpoint::Endpoint(int rank, int num_ranks, base::Executor& executor)
    : rank_(rank), num_ranks_(num_ranks), executor_(executor), traffic_(std::max(0, num_ranks)) {
  LOCKSTEP_CHECK_LE(0, rank);
  LOCKSTEP_CHECK_LT(rank, num_ranks);
}

void Endpoint::Send(int to, Message message) {
  LOCKSTEP_CHECK_LE(0, to);
  LOCKSTEP_CHECK_LT(to, num_ranks_);
  LOCKSTEP_CHECK_NE(to, rank_);
  if (message.epoch != epoch_ || aborted() != nullptr) {
    LOCKSTEP_PROBE("a message of an epoch that is over is not sent");
    return;
  }
  traffic_[to].sent_bytes += message.size();
  SendOut(to, std::move(message));
}

std::vector<Traffic> Endpoint::traffic() const {
  std::vector<Traffic> traffic = traffic_;
  for (int peer = 0; peer < num_ranks_; ++peer)
    if (peer != rank_) traffic[peer].road = RoadTo(peer);
  return traffic;
}

void Endpoint::Listen(Channel channel, Receive receive) {
  if (receive == nullptr) {
    receivers_.erase(channel);
    return;
  }
  receivers_[channel] = std::move(receive);
  RetryLater();
}

const Abort* Endpoint::aborted() const {
  const auto found = aborts_.find(epoch_);
  return found == aborts_.end() ? nullptr : &found->second;
}

void Endpoint::EnterEpoch(Epoch epoch) {
  LOCKSTEP_CHECK_LT(epoch_, epoch);
  epoch_ = epoch;
  aborts_.erase(aborts_.begin(), aborts_.lower_bound(epoch));
  Abandon();
  if (aborted() != nullptr) {
    LOCKSTEP_PROBE("an epoch was aborted before this rank entered it");
    CallWatch();
    return;
  }
  RetryLater();
}

Receipt Endpoint::Deliver(int from, const Message& message) {
  if (message.epoch > epoch_) return Receipt::kLater;
  if (message.epoch < epoch_ || aborted() != nullptr) {
    LOCKSTEP_PROBE("a message of an epoch that is over is dropped on arrival");
    return Receipt::kTaken;
  }
  const auto receiver = receivers_.find(message.channel);
  if (receiver == receivers_.end()) return Receipt::kLater;
  const Receipt receipt = receiver->second(from, message);
  if (receipt == Receipt::kTaken) traffic_[from].received_bytes += message.size();
  return receipt;
}

void Endpoint::EndEpoch(Epoch epoch, Abort abort) {
  if (epoch < epoch_) return;
  const auto [place, is_first] = aborts_.try_emplace(epoch, std::move(abort));
  if (!is_first) return;
  TellAbort(epoch, place->second);
  if (epoch != epoch_) return;
  Abandon();
  CallWatch();
}

void Endpoint::CallWatch() {
  watch_call_.StartAt(executor_, executor_.Now(), [this] {
    if (aborted() == nullptr || watch_ == nullptr) return;
    const Abort abort = *aborted();
    const Watch watch = watch_;
    watch(epoch_, abort);
  });
}

}  // namespace lockstep::net
