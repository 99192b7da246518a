#pragma once

#include <deque>
#include <map>
#include <memory>

#include "net/transport.h"

namespace lockstep::net {

/// A refused message waits this long before its next try, unless a handler or epoch comes first.
inline constexpr base::Duration kRetryInterval = std::chrono::milliseconds(1);

/// The part of a transport that does not depend on the wire: channels, epochs and aborts.
class Endpoint : public Transport {
 public:
  Endpoint(int rank, int num_ranks, base::Executor& executor);

  int rank() const final { return rank_; }
  int num_ranks() const final { return num_ranks_; }
  base::Executor& executor() final { return executor_; }
  void Send(int to, Message message) final;
  void Listen(Channel channel, Receive receive) final;
  Epoch epoch() const final { return epoch_; }
  void EnterEpoch(Epoch epoch) final;
  void AbortEpoch(Status reason) final { EndEpoch(epoch_, {rank_, std::move(reason)}); }
  const Abort* aborted() const final;
  void WatchAborts(Watch watch) final { watch_ = std::move(watch); }
  std::vector<Traffic> traffic() const final;

 protected:
  /// As `Traffic` names it.
  virtual std::string RoadTo(int peer) const = 0;
  /// Puts a message of the current epoch on the wire.
  virtual void SendOut(int to, Message message) = 0;
  /// Tells every other rank, as long as there is hope, that `epoch` has ended.
  virtual void TellAbort(Epoch epoch, const Abort& abort) = 0;
  /// Forgets what is under way for epochs below the current one, or for it when it is aborted.
  virtual void Abandon() = 0;
  /// Asks for another try at everything that was answered kLater.
  virtual void RetryLater() = 0;

  /// Gives a message from the wire to its handler. Past epochs: taken and dropped.
  Receipt Deliver(int from, const Message& message);
  /// Takes note of an abort, from here or from the wire, and passes the first of an epoch on.
  void EndEpoch(Epoch epoch, Abort abort);

 private:
  void CallWatch();

  const int rank_;
  const int num_ranks_;
  base::Executor& executor_;
  Epoch epoch_ = 0;
  std::map<Epoch, Abort> aborts_;  // of the current epoch and later ones
  std::map<Channel, Receive> receivers_;
  std::vector<Traffic> traffic_;  // by rank, without names
  Watch watch_;
  base::Timer watch_call_;
};

}  // namespace lockstep::net
