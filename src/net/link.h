#pragma once

#include "net/transport.h"

namespace lockstep::net {

/// What the links of an endpoint tell it, on its executor.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  /// A message came whole; the link need not keep it.
  virtual void Arrive(int from, Message message) = 0;
  /// A peer says that an epoch has ended.
  virtual void HearAbort(Epoch epoch, Abort abort) = 0;
  /// Nothing will come from or reach `peer` any more, unless `Link::Revive` brings it back.
  virtual void Lose(int peer, Status why) = 0;
};

/// The way from this rank to one peer, behind the seam where shared memory and sockets differ.
/// Messages of both directions keep their order. Threads: everything on the endpoint's executor.
class Link {
 public:
  virtual ~Link() = default;
  /// Sends as soon as there is a connection and room.
  virtual void Send(const Message& message) = 0;
  virtual void TellAbort(Epoch epoch, const Abort& abort) = 0;
  /// Forgets messages of epochs before `oldest` that are not on their way yet.
  virtual void AbandonBefore(Epoch oldest) = 0;
  /// A new epoch begins: a lost peer is given another try.
  virtual void Revive() = 0;
};

}  // namespace lockstep::net
