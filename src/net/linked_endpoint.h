#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "net/endpoint.h"
#include "net/link.h"

namespace lockstep::net {

/// A transport that reaches each peer over a link of its own, whatever kind that is.
class LinkedEndpoint : public Endpoint, protected LinkEvents {
 public:
  LinkedEndpoint(int rank, int num_ranks, base::Executor& executor);
  ~LinkedEndpoint() override;
  std::vector<Loss> losses() const final { return losses_; }

 protected:
  void SetLink(int peer, std::unique_ptr<Link> link) { links_[peer] = std::move(link); }
  /// Lets go of all links, for owners that must do so before their own parts go.
  void DropLinks() { links_.clear(); }

  void Arrive(int from, Message message) override;
  void HearAbort(Epoch epoch, Abort abort) override { EndEpoch(epoch, std::move(abort)); }
  void Lose(int peer, Status why) override;

 private:
  void SendOut(int to, Message message) override;
  void TellAbort(Epoch epoch, const Abort& abort) override;
  void Abandon() override;
  void RetryLater() override;
  void Retry();

  std::vector<std::unique_ptr<Link>> links_;  // by rank; null for this one
  std::deque<std::pair<int, Message>> later_;
  std::vector<Loss> losses_;
  Epoch revived_ = 0;
  base::Timer retry_;
};

}  // namespace lockstep::net
