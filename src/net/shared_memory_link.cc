#include "net/shared_memory_link.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/probe.h"
#include "net/socket_packets.h"

namespace lockstep::net {
namespace {

// Messages of one peer that a poll takes before others get their turn.
constexpr int kMessagesPerPoll = 16;

// Packets on the socket: one byte to wake the peer, or this with a segment's file.
struct SegmentPacket {
  uint32_t index = 0;
  uint32_t zero = 0;
  uint64_t bytes = 0;
};
constexpr char kWakePacket = 'w';

// Where the bytes in the slot itself end, as its writer says; not checked yet.
uint64_t InlineEnd(const Slot& slot) {
  uint64_t end = 0;
  for (const SlotPart& part : {slot.payload, slot.body})
    if (part.segment == kInlineSegment) end = std::max<uint64_t>(end, part.offset + part.size);
  return offsetof(Slot, bytes) + end;
}

constexpr size_t AlignedTo16(size_t size) { return (size + 15) & ~size_t{15}; }

// Tells the sender, when the last reader is done, that it may use the memory again. Any thread.
struct Reading {
  Reading(std::shared_ptr<Segment> own, std::atomic<uint64_t>* released, uint64_t number)
      : control(std::move(own)), word(released), message(number) {}
  Reading(const Reading&) = delete;
  ~Reading() { word->store(message, std::memory_order_release); }
  const std::shared_ptr<Segment> control;
  std::atomic<uint64_t>* const word;
  const uint64_t message;
  std::shared_ptr<Segment> segments[2];
};

}  // namespace

SharedMemoryLink::~SharedMemoryLink() {
  if (socket_.ok()) hub_.loop_.UnwatchFile(socket_.get());
  hub_.links_[peer_] = nullptr;
}

void SharedMemoryLink::Open(FileDescriptor socket, std::shared_ptr<Segment> control) {
  if (!why_lost_.ok() || control_ != nullptr) return;
  socket_ = std::move(socket);
  control_ = std::move(control);
  for (uint32_t ticket = kTickets; ticket > 0; --ticket) free_tickets_.push_back(ticket - 1);
  hub_.loop_.WatchFile(socket_.get(), true, false, [this](base::FileEvents) { DrainSocket(); });
  Poll();
}

void SharedMemoryLink::Fail(Status why) {
  if (!why_lost_.ok()) return;
  why_lost_ = std::move(why);
  tells_loss_ = true;
  hub_.loop_.Wake();
}

void SharedMemoryLink::FailAfterMessages(Status why) {
  if (!is_up()) return Fail(std::move(why));
  if (ends_with_.ok()) ends_with_ = std::move(why);
  hub_.loop_.Wake();
}

void SharedMemoryLink::Revive() {
  if (why_lost_.ok()) return;
  // Who only was silent may be heard again; the dead and the broken stay lost.
  if (control_ != nullptr && socket_.ok() && why_lost_.code() == Code::kUnavailable &&
      hub_.pulse_->ailment(peer_) == Ailment::kNone) {
    LOCKSTEP_PROBE("a peer that was silent is heard again");
    why_lost_ = Status::Ok();
    tells_loss_ = false;
    return;
  }
  tells_loss_ = true;
  hub_.loop_.Wake();
}

int SharedMemoryLink::PeersCore() const {
  return is_up() ? HeadOf(control_->data()).core.load(std::memory_order_relaxed) : base::kNoCore;
}

bool SharedMemoryLink::Poll() {
  if (tells_loss_) {
    tells_loss_ = false;
    hub_.events_.Lose(peer_, why_lost_);
    return true;
  }
  if (!is_up()) return false;
  bool any = TakeMessages();
  if (!any && !ends_with_.ok()) {
    Fail(ends_with_);
    return true;
  }
  any = TakeAborts() || any;
  if (!reads_.empty()) Reclaim();
  while (!backlog_.empty() && is_up()) {
    if (!TrySend(backlog_.front())) break;
    backlog_.pop_front();
    any = true;
  }
  return any;
}

// ---- sending -----------------------------------------------------------------------------------

void SharedMemoryLink::Send(const Message& message) {
  if (!why_lost_.ok()) return;
  if (!backlog_.empty() || !is_up() || !TrySend(message)) backlog_.push_back(message);
}

bool SharedMemoryLink::HasRoom() {
  if (sent_ - seen_consumed_ < kSlots) return true;
  const Lane& theirs = LaneOf(control_->data(), hub_.place_.rank);
  const uint64_t consumed = theirs.consumed.load(std::memory_order_acquire);
  if (consumed < seen_consumed_ || consumed > sent_) {
    Fail(Status(Code::kDataLoss, "[shared memory] rank " + std::to_string(peer_) +
                                     " must have taken some of " + std::to_string(sent_) +
                                     " messages; got " + std::to_string(consumed)));
    return false;
  }
  seen_consumed_ = consumed;
  return sent_ - seen_consumed_ < kSlots;
}

bool SharedMemoryLink::Lay(const Payload& bytes, Laid* laid) {
  laid->part.size = bytes.size();
  laid->owner = bytes.owner();
  SegmentPlace place;
  if (!hub_.arena_->Find(bytes.bytes(), &place)) {
    auto block = hub_.arena_->Allocate(bytes.size());
    if (!block.ok()) {
      Fail(block.status());
      return false;
    }
    std::memcpy(block->bytes.data(), bytes.data(), bytes.size());
    hub_.arena_->Find(block->bytes, &place);
    laid->owner = std::move(block->owner);
  }
  laid->part.segment = place.segment;
  laid->part.offset = place.offset;
  return AnnounceSegments(place.segment);
}

bool SharedMemoryLink::AnnounceSegments(uint32_t segment) {
  for (; announced_ <= segment; ++announced_) {
    if (!socket_.ok()) return false;  // the end is known, and told after the last message
    const std::shared_ptr<Segment> own = hub_.arena_->segment(announced_);
    const SegmentPacket packet{announced_, 0, own->size()};
    const int error = SendPacket(socket_.get(), &packet, sizeof(packet), own->file());
    if (error == EAGAIN) return false;
    if (error == EPIPE || error == ECONNRESET) {
      DrainSocket();
      return false;
    }
    if (error != 0) {
      Fail(Status(Code::kUnavailable, "[shared memory] a segment must reach rank " +
                                          std::to_string(peer_) + "; got " + std::strerror(error)));
      return false;
    }
  }
  return true;
}

bool SharedMemoryLink::TrySend(const Message& message) {
  if (!HasRoom()) return false;
  Slot& slot = LaneOf(hub_.control_->data(), peer_).slots[sent_ % kSlots];
  const size_t payload_size = message.payload.size();
  const size_t body_begin = AlignedTo16(payload_size);
  const bool fits = payload_size <= kInlineBytes;
  const bool body_fits = fits && body_begin + message.body.size() <= kInlineBytes;
  slot.payload = {0, payload_size, kInlineSegment};
  slot.body = {body_fits ? body_begin : 0, message.body.size(), kInlineSegment};
  slot.ticket = kNoTicket;
  if (!body_fits) {
    if (free_tickets_.empty()) Reclaim();
    if (free_tickets_.empty()) {
      LOCKSTEP_PROBE("a peer still reads all bodies that it may");
      return false;
    }
    Laid payload, body;
    if (!fits && !Lay(message.payload, &payload)) return false;
    if (message.body.size() > 0 && !Lay(message.body, &body)) return false;
    if (!fits) slot.payload = payload.part;
    if (message.body.size() > 0) slot.body = body.part;
    slot.ticket = free_tickets_.back();
    free_tickets_.pop_back();
    reads_.push_back({slot.ticket, sent_ + 1, {std::move(payload.owner), std::move(body.owner)}});
  }
  if (fits && payload_size > 0) std::memcpy(slot.bytes, message.payload.data(), payload_size);
  if (body_fits && message.body.size() > 0)
    std::memcpy(slot.bytes + body_begin, message.body.data(), message.body.size());
  slot.epoch = message.epoch;
  slot.channel = static_cast<uint32_t>(message.channel);
  slot.sequence.store(++sent_, std::memory_order_release);
  WakePeer();
  return true;
}

void SharedMemoryLink::Reclaim() {
  const Lane& theirs = LaneOf(control_->data(), hub_.place_.rank);
  for (size_t i = 0; i < reads_.size();) {
    Read& read = reads_[i];
    if (theirs.released[read.ticket].load(std::memory_order_acquire) != read.number) {
      ++i;
      continue;
    }
    free_tickets_.push_back(read.ticket);
    std::swap(read, reads_.back());
    reads_.pop_back();
  }
}

void SharedMemoryLink::WakePeer() {
  // Pairs with the peer's BeforeBlocking: either it sees what was written, or we see its sleep.
  hub_.sleep_barrier_.AfterWriting(HeadOf(control_->data()).barriers != 0);
  const uint64_t sleep = HeadOf(control_->data()).sleep.load(std::memory_order_relaxed);
  if (sleep % 2 == 0 || sleep == woken_) return;
  woken_ = sleep;
  SendPacket(socket_.get(), &kWakePacket, 1, -1);
}

void SharedMemoryLink::TellAbort(Epoch epoch, const Abort& abort) {
  hub_.PublishAbort(epoch, abort);
  if (control_ != nullptr && socket_.ok()) WakePeer();
}

void SharedMemoryLink::AbandonBefore(Epoch oldest) {
  std::erase_if(backlog_, [&](const Message& message) { return message.epoch < oldest; });
}

// ---- receiving ---------------------------------------------------------------------------------

bool SharedMemoryLink::TakeMessages() {
  const Lane& theirs = LaneOf(control_->data(), hub_.place_.rank);
  for (int count = 0; count < kMessagesPerPoll; ++count) {
    const Slot& slot = theirs.slots[taken_ % kSlots];
    const uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
    if (sequence != taken_ + 1) {
      // The slot's last message, from one round of the ring ago, or none yet.
      const bool is_old = sequence == (taken_ < kSlots ? 0 : taken_ + 1 - kSlots);
      if (!is_old)
        Fail(Status(Code::kDataLoss, "[shared memory] rank " + std::to_string(peer_) +
                                         " must number its messages in order; got " +
                                         std::to_string(sequence) + " where " +
                                         std::to_string(taken_ + 1) + " belongs"));
      return count > 0;
    }
    if (!TakeOne(slot) || !is_up()) return true;
  }
  return true;
}

bool SharedMemoryLink::TakeOne(const Slot& written) {
  // A private copy: what is checked is what is used, whatever the peer writes meanwhile.
  // Of a short message only the lines that it fills are fetched.
  Slot slot;
  constexpr size_t kTwoLines = 128;
  auto* copy = reinterpret_cast<std::byte*>(&slot);
  const auto* original = reinterpret_cast<const std::byte*>(&written);
  std::memcpy(copy, original, kTwoLines);
  if (InlineEnd(slot) > kTwoLines)
    std::memcpy(copy + kTwoLines, original + kTwoLines, sizeof(Slot) - kTwoLines);
  Status status = CheckSlot(slot, segment_sizes_);
  if (status.code() == Code::kNotFound) {
    DrainSocket();  // the segment's file was sent before
    status = CheckSlot(slot, segment_sizes_);
    if (status.code() == Code::kNotFound)
      status = Status(Code::kDataLoss,
                      "[shared memory] a message must lie in segments that its sender has handed "
                      "over; got " +
                          status.message());
  }
  if (!status.ok()) {
    Fail(Status(status.code(), status.message() + " (from rank " + std::to_string(peer_) + ")"));
    return false;
  }
  Lane& ours = LaneOf(hub_.control_->data(), peer_);
  std::shared_ptr<const void> reading, copy_owner;
  const std::byte* inline_bytes = nullptr;
  if (const uint64_t end = InlineEnd(slot); end > offsetof(Slot, bytes)) {
    Block block = Block::OnHeap(end - offsetof(Slot, bytes));
    std::memcpy(block.bytes.data(), slot.bytes, block.bytes.size());
    inline_bytes = block.bytes.data();
    copy_owner = std::move(block.owner);
  }
  const auto payload_of = [&](const SlotPart& part) {
    if (part.size == 0 && part.segment == kInlineSegment) return Payload();
    if (part.segment == kInlineSegment)
      return Payload(copy_owner, {inline_bytes + part.offset, part.size});
    return Payload(reading, {segments_[part.segment]->data() + part.offset, part.size});
  };
  if (slot.ticket != kNoTicket) {
    auto made = std::make_shared<Reading>(hub_.control_, &ours.released[slot.ticket], taken_ + 1);
    if (slot.payload.segment != kInlineSegment) made->segments[0] = segments_[slot.payload.segment];
    if (slot.body.segment != kInlineSegment) made->segments[1] = segments_[slot.body.segment];
    reading = std::move(made);
  }
  Message message{slot.epoch, static_cast<Channel>(slot.channel), payload_of(slot.payload),
                  payload_of(slot.body)};
  reading.reset();
  ours.consumed.store(++taken_, std::memory_order_release);
  hub_.events_.Arrive(peer_, std::move(message));
  return true;
}

bool SharedMemoryLink::TakeAborts() {
  const ControlHead& head = HeadOf(control_->data());
  const uint64_t count = head.aborts.load(std::memory_order_acquire);
  if (count == heard_aborts_) return false;
  // Older records than the last few are overwritten by newer epochs' aborts.
  uint64_t number = std::max(heard_aborts_, count - std::min(count, kAbortRecords));
  heard_aborts_ = count;
  for (; number < count; ++number) {
    const AbortRecord& written = head.records[number % kAbortRecords];
    if (written.sequence.load(std::memory_order_acquire) != number + 1) continue;
    char copy[sizeof(AbortRecord)];
    std::memcpy(copy, static_cast<const void*>(&written), sizeof(copy));
    std::atomic_thread_fence(std::memory_order_acquire);
    if (written.sequence.load(std::memory_order_relaxed) != number + 1) continue;
    const auto& record = *reinterpret_cast<const AbortRecord*>(copy);
    const size_t text_bytes = std::min<size_t>(record.text_bytes, sizeof(record.text));
    const Code code =
        record.code == 0 || record.code > static_cast<uint32_t>(Code::kUnauthenticated)
            ? Code::kUnknown
            : static_cast<Code>(record.code);
    const bool knows_rank = record.by >= 0 && record.by < hub_.place_.num_ranks;
    hub_.events_.HearAbort(record.epoch, {knows_rank ? record.by : peer_,
                                          Status(code, std::string(record.text, text_bytes))});
  }
  return true;
}

// The peer has closed it. Why, its pulse says, often before.
void SharedMemoryLink::CloseSocket() {
  hub_.loop_.UnwatchFile(socket_.get());
  socket_.Close();
  const Ailment ailment = hub_.pulse_->ailment(peer_);
  const bool left = HeadOf(control_->data()).left.load() != 0;
  const bool is_known = ailment != Ailment::kNone;
  FailAfterMessages(hub_.StatusOf(peer_, left       ? Ailment::kLeft
                                         : is_known ? ailment
                                                    : Ailment::kDead));
}

void SharedMemoryLink::DrainSocket() {
  while (socket_.ok()) {
    SegmentPacket packet;
    FileDescriptor file;
    size_t size = 0;
    const int error = ReceivePacket(socket_.get(), &packet, sizeof(packet), &size, &file);
    if (error == EAGAIN) return;
    if (error != 0 || size == 0) return CloseSocket();
    if (size == sizeof(packet) && file.ok())
      AddSegment(std::move(file), packet.index, packet.bytes);
  }
}

void SharedMemoryLink::AddSegment(FileDescriptor file, uint32_t index, uint64_t bytes) {
  if (index != segments_.size() || index >= kInlineSegment) {
    Fail(Status(Code::kDataLoss, "[shared memory] rank " + std::to_string(peer_) +
                                     " must hand over its segments in order; got " +
                                     std::to_string(index) + " where " +
                                     std::to_string(segments_.size()) + " belongs"));
    return;
  }
  auto segment = Segment::Map(std::move(file), bytes);
  if (!segment.ok()) return Fail(segment.status());
  segment_sizes_.push_back(bytes);
  segments_.push_back(std::move(*segment));
}

}  // namespace lockstep::net
