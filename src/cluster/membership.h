#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/fields.h"

namespace lockstep::cluster {

/// Names one life of a task: drawn anew whenever a process starts or joins again. 0: none.
using Incarnation = uint64_t;

/// A task as its peers know it.
struct Peer {
  Incarnation incarnation = 0;
  std::string job;      // "worker"
  int32_t index = 0;    // in its job
  std::string control;  // where its calls go
  /// Where its transports listen, in an order and form that the transports agree on.
  std::vector<std::string> data;
  /// Equal for tasks that share a kernel and its process numbers.
  std::string host;
  int64_t process = 0;         // on its host
  uint64_t process_start = 0;  // tells two processes of one number apart
  int32_t devices = 1;
  uint64_t joined = 0;  // the first epoch that it is a member of

  /// "worker 2 at 127.0.0.1:4711"
  std::string ToString() const;
  bool operator==(const Peer&) const = default;
};

/// One epoch of the membership: who takes part, in the order of ranks. From the order everything
/// follows that is divided: leaves, slices, files.
struct Membership {
  uint64_t epoch = 0;  // 0: none yet
  std::vector<Peer> peers;
  /// Why it follows the one before: "worker 2 at ... ended", "2 tasks joined".
  std::string reason;
  /// The step before which joiners were let in; 0 where none were.
  uint64_t step = 0;
  /// Not empty: too few tasks to go on. Keep memory, wait for the next epoch, or save and stop.
  std::string halt;

  /// -1 if it is no member.
  int RankOf(Incarnation incarnation) const;
  bool operator==(const Membership&) const = default;
};

/// "epoch 3: worker 0 at ..., worker 1 at ... (worker 2 at ... ended)"
std::string ToString(const Membership& membership);

const Peer* FindPeer(const std::vector<Peer>& peers, Incarnation incarnation);
/// "worker 0 at a:1, worker 1 at b:2"
std::string ListOf(const std::vector<Peer>& peers);

void Write(const Peer& peer, FieldWriter* writer);
void Write(const std::vector<Peer>& peers, FieldWriter* writer);
void Write(const Membership& membership, FieldWriter* writer);
Peer ReadPeer(FieldReader* reader);
std::vector<Peer> ReadPeers(FieldReader* reader);
Membership ReadMembership(FieldReader* reader);

}  // namespace lockstep::cluster
