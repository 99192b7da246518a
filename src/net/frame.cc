#include "net/frame.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "net/little_endian.h"

namespace lockstep::net {
namespace {

// Bodies from this size on are read and written in place.
constexpr size_t kDirectBytes = 16 << 10;
// Small frames are gathered up to about this size.
constexpr size_t kStagedBytes = 64 << 10;

Status Corrupt(const char* rule, uint64_t got) {
  return Status(Code::kDataLoss,
                std::string("[net] a frame must have ") + rule + "; got " + std::to_string(got));
}

// Copies what fits of `bytes` to `to` at `*done`.
void Fill(std::span<std::byte> to, size_t* done, std::span<const std::byte>* bytes) {
  const size_t size = std::min(to.size() - *done, bytes->size());
  if (size > 0) std::memcpy(to.data() + *done, bytes->data(), size);
  *done += size;
  *bytes = bytes->subspan(size);
}

}  // namespace

void EncodeHeader(const Frame& frame, std::byte* header) {
  std::memset(header, 0, kFrameHeaderBytes);
  header[0] = static_cast<std::byte>(frame.kind);
  header[1] = static_cast<std::byte>(frame.channel);
  const auto payload = static_cast<uint32_t>(frame.payload.size());
  const uint64_t body = frame.body.size();
  std::memcpy(header + 4, &payload, 4);
  std::memcpy(header + 8, &body, 8);
  std::memcpy(header + 16, &frame.epoch, 8);
}

Status FrameReader::Begin() {
  FieldReader reader(header_);
  const auto kind = reader.Take<uint8_t>();
  const auto channel = reader.Take<uint8_t>();
  const auto zero = reader.Take<uint16_t>();
  const auto payload_bytes = reader.Take<uint32_t>();
  const auto body_bytes = reader.Take<uint64_t>();
  const bool is_stranger = limits_.body_bytes == 0;
  if (kind < 1 || kind > static_cast<uint8_t>(FrameKind::kLeave))
    return Corrupt("a kind from 1 to 6", kind);
  if (is_stranger && kind > static_cast<uint8_t>(FrameKind::kRefusal))
    return Corrupt("a hello before all others", kind);
  if (zero != 0) return Corrupt("zeros where nothing is", zero);
  if (payload_bytes > limits_.payload_bytes)
    return Corrupt("a payload within its limit", payload_bytes);
  if (body_bytes > limits_.body_bytes) return Corrupt("a body within its limit", body_bytes);
  frame_ = {static_cast<FrameKind>(kind), static_cast<Channel>(channel), reader.Take<uint64_t>()};
  payload_ = body_ = {};
  payload_bytes_ = body_bytes_ = 0;
  try {
    if (payload_bytes > 0) payload_ = Block::OnHeap(payload_bytes);
    if (body_bytes > 0) body_ = Block::OnHeap(body_bytes);
  } catch (const std::bad_alloc&) {
    return Status(Code::kResourceExhausted, "[net] there must be memory for a message; got " +
                                                std::to_string(payload_bytes + body_bytes) +
                                                " bytes");
  }
  return Status::Ok();
}

void FrameReader::Finish(const OnFrame& on_frame) {
  header_bytes_ = 0;
  frame_.payload = std::move(payload_);
  frame_.body = std::move(body_);
  payload_ = body_ = {};
  on_frame(std::exchange(frame_, {}));
}

Status FrameReader::Feed(std::span<const std::byte> bytes, const OnFrame& on_frame) {
  while (true) {
    if (header_bytes_ < kFrameHeaderBytes) {
      if (bytes.empty()) return Status::Ok();
      Fill(header_, &header_bytes_, &bytes);
      if (header_bytes_ < kFrameHeaderBytes) return Status::Ok();
      if (Status status = Begin(); !status.ok()) return status;
    }
    Fill(payload_.bytes, &payload_bytes_, &bytes);
    if (payload_bytes_ < payload_.bytes.size()) return Status::Ok();
    Fill(body_.bytes, &body_bytes_, &bytes);
    if (body_bytes_ < body_.bytes.size()) return Status::Ok();
    Finish(on_frame);
  }
}

std::span<std::byte> FrameReader::DirectRoom() {
  const bool is_in_body =
      header_bytes_ == kFrameHeaderBytes && payload_bytes_ == payload_.bytes.size();
  if (!is_in_body || body_.bytes.size() - body_bytes_ < kDirectBytes) return {};
  return body_.bytes.subspan(body_bytes_);
}

Status FrameReader::Advance(size_t bytes, const OnFrame& on_frame) {
  body_bytes_ += bytes;
  return Feed({}, on_frame);
}

void FrameQueue::AbandonBefore(Epoch oldest) {
  std::erase_if(frames_, [&](const Frame& frame) {
    return frame.kind == FrameKind::kData && frame.epoch < oldest;
  });
}

std::span<const std::byte> FrameQueue::Next() {
  if (!front_bytes().empty()) return front_bytes();
  staged_.clear();
  staged_bytes_ = body_written_ = 0;
  body_ = {};
  while (!frames_.empty() && staged_.size() < kStagedBytes && body_.size() == 0) {
    Frame frame = std::move(frames_.front());
    frames_.pop_front();
    const size_t begin = staged_.size();
    staged_.resize(begin + kFrameHeaderBytes);
    EncodeHeader(frame, staged_.data() + begin);
    const auto append = [this](const Payload& part) {
      staged_.insert(staged_.end(), part.bytes().begin(), part.bytes().end());
    };
    append(frame.payload);
    if (frame.body.size() < kDirectBytes) {
      append(frame.body);
    } else {
      body_ = std::move(frame.body);
    }
  }
  return front_bytes();
}

void FrameQueue::Written(size_t bytes) {
  const size_t staged = std::min(bytes, staged_.size() - staged_bytes_);
  staged_bytes_ += staged;
  body_written_ += bytes - staged;
  if (body_.size() > 0 && body_written_ == body_.size()) body_ = {}, body_written_ = 0;
}

}  // namespace lockstep::net
