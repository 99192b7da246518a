#include "net/linked_endpoint.h"

#include "base/probe.h"

namespace lockstep::net {
LinkedEndpoint::LinkedEndpoint(int rank, int num_ranks, base::Executor& executor)
    : Endpoint(rank, num_ranks, executor), links_(num_ranks) {}

LinkedEndpoint::~LinkedEndpoint() = default;

void LinkedEndpoint::SendOut(int to, Message message) { links_[to]->Send(message); }

void LinkedEndpoint::TellAbort(Epoch epoch, const Abort& abort) {
  for (const auto& link : links_)
    if (link != nullptr) link->TellAbort(epoch, abort);
}

void LinkedEndpoint::Abandon() {
  const Epoch oldest = aborted() != nullptr ? epoch() + 1 : epoch();
  std::erase_if(later_, [&](const auto& waiting) { return waiting.second.epoch < oldest; });
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    link->AbandonBefore(oldest);
    if (revived_ != epoch()) link->Revive();
  }
  revived_ = epoch();
}

void LinkedEndpoint::RetryLater() {
  if (later_.empty()) return;
  retry_.StartAt(executor(), executor().Now(), [this] { Retry(); });
}

void LinkedEndpoint::Arrive(int from, Message message) {
  if (Deliver(from, message) == Receipt::kTaken) return;
  later_.emplace_back(from, std::move(message));
  // A future epoch or a missing handler calls RetryLater itself.
  if (later_.size() == 1) retry_.StartAfter(executor(), kRetryInterval, [this] { Retry(); });
}

void LinkedEndpoint::Retry() {
  std::deque<std::pair<int, Message>> waiting;
  waiting.swap(later_);
  for (auto& [from, message] : waiting)
    if (Deliver(from, message) == Receipt::kLater) later_.emplace_back(from, std::move(message));
  if (!later_.empty()) retry_.StartAfter(executor(), kRetryInterval, [this] { Retry(); });
}

void LinkedEndpoint::Lose(int peer, Status why) {
  LOCKSTEP_PROBE("a link lost its peer");
  // As the links word it.
  const auto says = [&why](const char* words) {
    return why.message().find(words) != std::string::npos;
  };
  losses_.push_back({peer, why, says("got the end of its process"), says("got its leave")});
  AbortEpoch(std::move(why));
}

}  // namespace lockstep::net
