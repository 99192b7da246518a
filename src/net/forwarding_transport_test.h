#pragma once

#include <utility>

#include "net/transport.h"

namespace lockstep::net {

/// A transport that does what another one does; tests override what they look at or disturb.
class ForwardingTransport : public Transport {
 public:
  /// `inner` outlives it.
  explicit ForwardingTransport(Transport& inner) : inner_(inner) {}
  int rank() const override { return inner_.rank(); }
  int num_ranks() const override { return inner_.num_ranks(); }
  base::Executor& executor() override { return inner_.executor(); }
  void Send(int to, Message message) override { inner_.Send(to, std::move(message)); }
  void Listen(Channel channel, Receive receive) override {
    inner_.Listen(channel, std::move(receive));
  }
  Epoch epoch() const override { return inner_.epoch(); }
  void EnterEpoch(Epoch epoch) override { inner_.EnterEpoch(epoch); }
  void AbortEpoch(Status reason) override { inner_.AbortEpoch(std::move(reason)); }
  const Abort* aborted() const override { return inner_.aborted(); }
  void WatchAborts(Watch watch) override { inner_.WatchAborts(std::move(watch)); }

 private:
  Transport& inner_;
};

}  // namespace lockstep::net
