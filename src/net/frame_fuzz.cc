#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "net/frame.h"

/// libFuzzer's entry: any bytes, cut anywhere, are whole frames within the limits or an error, the
/// same however they are cut, and a stranger may send nothing but a hello.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t count) {
  using namespace lockstep::net;
  if (count < 2) return 0;
  const bool is_stranger = data[0] % 2 == 0;
  const size_t cut = 1 + data[1];
  const auto bytes = std::as_bytes(std::span(data + 2, count - 2));
  const FrameLimits limits = is_stranger ? FrameReader::kStranger : FrameLimits{1000, 100000};
  size_t taken[2] = {}, size[2] = {};
  bool is_ok[2] = {};
  for (int pass : {0, 1}) {
    FrameReader reader(limits);
    const auto on_frame = [&](const Frame& frame) {
      ++taken[pass];
      size[pass] += frame.payload.size() + frame.body.size();
      if (frame.payload.size() > limits.payload_bytes || frame.body.size() > limits.body_bytes)
        std::abort();
      if (is_stranger && frame.kind != FrameKind::kHello && frame.kind != FrameKind::kRefusal)
        std::abort();
    };
    lockstep::Status status;
    for (size_t at = 0; at < bytes.size() && status.ok();) {
      size_t piece = std::min(pass == 0 ? bytes.size() : cut, bytes.size() - at);
      const std::span<std::byte> room = reader.DirectRoom();
      if (!room.empty()) {
        piece = std::min(piece, room.size());
        std::memcpy(room.data(), bytes.data() + at, piece);
        status = reader.Advance(piece, on_frame);
      } else {
        status = reader.Feed(bytes.subspan(at, piece), on_frame);
      }
      at += piece;
    }
    is_ok[pass] = status.ok();
  }
  if (is_ok[0] != is_ok[1] || taken[0] != taken[1] || size[0] != size[1]) std::abort();
  if (size[0] > count) std::abort();
  return 0;
}
