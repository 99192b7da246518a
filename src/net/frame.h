#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "net/transport.h"

/// The frames of a connection over TCP: 24 bytes, then payload, then body. docs/wire-format.md
/// lists the bytes.

namespace lockstep::net {

enum class FrameKind : uint8_t { kHello = 1, kRefusal, kData, kAbort, kBeat, kLeave };

struct Frame {
  FrameKind kind = FrameKind::kBeat;
  Channel channel = Channel{0};
  Epoch epoch = 0;
  Payload payload;
  Payload body;
};

inline constexpr size_t kFrameHeaderBytes = 24;

/// The frame's bytes before its payload.
void EncodeHeader(const Frame& frame, std::byte* header);

struct FrameLimits {
  size_t payload_bytes = size_t{16} << 20;
  size_t body_bytes = size_t{1} << 32;
};

/// Takes frames off bytes that come in pieces of any size. A frame's memory is asked for when its
/// header is there, and no more than the limits allow.
class FrameReader {
 public:
  using OnFrame = std::function<void(Frame frame)>;

  /// Before the other side has said who it is, it may only send a hello.
  static constexpr FrameLimits kStranger{64, 0};

  explicit FrameReader(const FrameLimits& limits) : limits_(limits) {}
  void set_limits(const FrameLimits& limits) { limits_ = limits; }

  /// Calls `on_frame` for each frame that is whole. Errors: DataLoss (a kind, field or length that
  /// cannot be), ResourceExhausted; after them the reader is of no use.
  Status Feed(std::span<const std::byte> bytes, const OnFrame& on_frame);
  /// Where the bytes of a large body may be read to directly, then `Advance`; else empty.
  std::span<std::byte> DirectRoom();
  Status Advance(size_t bytes, const OnFrame& on_frame);

 private:
  Status Begin();
  void Finish(const OnFrame& on_frame);

  FrameLimits limits_;
  std::byte header_[kFrameHeaderBytes];
  size_t header_bytes_ = 0;
  Frame frame_;
  Block payload_, body_;
  size_t payload_bytes_ = 0, body_bytes_ = 0;  // how much of them is there
};

/// What waits to be written: many small frames become one piece, large bodies stay where they are.
class FrameQueue {
 public:
  void Push(Frame frame) { frames_.push_back(std::move(frame)); }
  /// Goes before everything whose writing has not begun.
  void PushFirst(Frame frame) { frames_.push_front(std::move(frame)); }
  /// Drops data of epochs before `oldest` whose writing has not begun.
  void AbandonBefore(Epoch oldest);
  /// Nothing more to write.
  bool empty() const { return frames_.empty() && front_bytes().empty(); }
  /// The bytes to be written next; empty when there are none.
  std::span<const std::byte> Next();
  void Written(size_t bytes);

 private:
  std::span<const std::byte> front_bytes() const {
    return staged_bytes_ < staged_.size()
               ? std::span<const std::byte>(staged_).subspan(staged_bytes_)
               : body_.bytes().subspan(body_written_);
  }
  std::deque<Frame> frames_;
  std::vector<std::byte> staged_;  // headers and small parts, being written
  size_t staged_bytes_ = 0;
  Payload body_;  // after what is staged
  size_t body_written_ = 0;
};

}  // namespace lockstep::net
