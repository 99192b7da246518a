#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "net/shared_memory_hub.h"
#include "net/shared_memory_layout.h"

namespace lockstep::net {

/// The link to one peer over shared memory. Messages are slots of a ring in the sender's control
/// segment; bodies stay in the sender's arena, where the receiver reads them. A socket carries the
/// files of segments, and wakes a peer that blocks.
class SharedMemoryLink final : public Link {
 public:
  SharedMemoryLink(SharedMemoryHub& hub, int peer) : hub_(hub), peer_(peer) {}
  ~SharedMemoryLink() override;

  void Open(FileDescriptor socket, std::shared_ptr<Segment> control);
  /// The peer is lost for `why`; the endpoint hears of it with the next poll.
  void Fail(Status why);
  /// The same, once what the peer has sent before is taken.
  void FailAfterMessages(Status why);
  bool Poll();
  /// The core that the peer runs on; base::kNoCore: it sleeps, or is not connected.
  int PeersCore() const;

  void Send(const Message& message) override;
  void TellAbort(Epoch epoch, const Abort& abort) override;
  void AbandonBefore(Epoch oldest) override;
  void Revive() override;

 private:
  // Parts of a message that the peer may still read.
  struct Read {
    uint32_t ticket;
    uint64_t number;
    std::shared_ptr<const void> owners[2];
  };
  // What `TrySend` needs to know of one part.
  struct Laid {
    SlotPart part;
    std::shared_ptr<const void> owner;
  };

  bool is_up() const { return control_ != nullptr && why_lost_.ok(); }
  bool TrySend(const Message& message);
  bool HasRoom();
  // Puts a part of a message where the peer can read it; false: it failed, and the link with it.
  bool Lay(const Payload& bytes, Laid* laid);
  bool AnnounceSegments(uint32_t segment);
  void Reclaim();
  void WakePeer();
  bool TakeMessages();
  bool TakeOne(const Slot& written);
  bool TakeAborts();
  void DrainSocket();
  void CloseSocket();
  void AddSegment(FileDescriptor file, uint32_t index, uint64_t bytes);

  SharedMemoryHub& hub_;
  const int peer_;
  FileDescriptor socket_;
  std::shared_ptr<Segment> control_;  // the peer's; null before the connection
  Status why_lost_;
  Status ends_with_;  // not ok: the peer sends nothing more
  bool tells_loss_ = false;

  std::deque<Message> backlog_;
  uint64_t sent_ = 0;
  uint64_t seen_consumed_ = 0;
  uint32_t announced_ = 0;  // how many of our segments the peer has
  uint64_t woken_ = 0;
  std::vector<uint32_t> free_tickets_;
  std::vector<Read> reads_;

  uint64_t taken_ = 0;
  uint64_t heard_aborts_ = 0;
  std::vector<std::shared_ptr<Segment>> segments_;  // the peer's arena
  std::vector<size_t> segment_sizes_;
};

}  // namespace lockstep::net
