#include "net/frame.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/randomness.h"

namespace lockstep::net {
namespace {

Payload Pattern(size_t size, int seed) {
  Block block = Block::OnHeap(size);
  for (size_t i = 0; i < size; ++i) block.bytes[i] = static_cast<std::byte>(seed + i * 7 + i / 256);
  return block;
}

bool Same(const Payload& a, const Payload& b) {
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

Bytes Drain(FrameQueue& queue, base::SeededRandomness& randomness) {
  Bytes all;
  while (!queue.empty()) {
    const auto next = queue.Next();
    EXPECT_FALSE(next.empty());
    const size_t size = 1 + randomness.Below(next.size());
    all.insert(all.end(), next.begin(), next.begin() + static_cast<ptrdiff_t>(size));
    queue.Written(size);
  }
  EXPECT_TRUE(queue.Next().empty());
  return all;
}

TEST(Frames, ComeBackHoweverTheirBytesAreCut) {
  base::SeededRandomness randomness(1);
  FrameQueue queue;
  std::vector<Frame> sent;
  for (size_t payload : {0, 1, 100, 30000}) {
    for (size_t body : {0, 1, 7, 1000, 16384, 100000}) {
      sent.push_back({FrameKind::kData, static_cast<Channel>(sent.size()), sent.size() << 40,
                      Pattern(payload, 1), Pattern(body, 2)});
      queue.Push(sent.back());
    }
  }
  const Bytes bytes = Drain(queue, randomness);
  for (size_t largest : {size_t{1}, size_t{24}, size_t{5000}, bytes.size()}) {
    FrameReader reader{FrameLimits()};
    size_t taken = 0;
    const auto on_frame = [&](Frame frame) {
      ASSERT_LT(taken, sent.size());
      EXPECT_EQ(frame.epoch, sent[taken].epoch);
      EXPECT_EQ(frame.channel, sent[taken].channel);
      EXPECT_TRUE(Same(frame.payload, sent[taken].payload));
      EXPECT_TRUE(Same(frame.body, sent[taken].body));
      ++taken;
    };
    for (size_t at = 0; at < bytes.size();) {
      const size_t size = std::min(1 + randomness.Below(largest), bytes.size() - at);
      const std::span<std::byte> room = reader.DirectRoom();
      const size_t direct = std::min(room.size(), size);
      if (direct > 0) {
        std::memcpy(room.data(), bytes.data() + at, direct);
        ASSERT_TRUE(reader.Advance(direct, on_frame).ok());
        at += direct;
      } else {
        ASSERT_TRUE(reader.Feed(std::span(bytes).subspan(at, size), on_frame).ok());
        at += size;
      }
    }
    EXPECT_EQ(taken, sent.size());
  }
}

TEST(Frames, OfPastEpochsAreDroppedUnlessTheirWritingHasBegun) {
  base::SeededRandomness randomness(2);
  FrameQueue queue;
  for (Epoch epoch : {1, 1, 2})
    queue.Push({FrameKind::kData, Channel::kTest, epoch, {}, Pattern(100000, 1)});
  queue.Written(std::min<size_t>(queue.Next().size(), 10));
  queue.AbandonBefore(2);
  queue.PushFirst({FrameKind::kAbort, Channel{0}, 1});
  std::vector<std::pair<FrameKind, Epoch>> got;
  Bytes bytes(kFrameHeaderBytes);
  EncodeHeader({FrameKind::kData, Channel::kTest, 1, {}, Pattern(100000, 1)}, bytes.data());
  bytes.resize(10);  // what was written above
  const Bytes rest = Drain(queue, randomness);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  FrameReader reader{FrameLimits()};
  ASSERT_TRUE(
      reader.Feed(bytes,
                  [&](const Frame& frame) {
                    got.push_back({frame.kind, frame.epoch});
                  })
          .ok());
  const std::vector<std::pair<FrameKind, Epoch>> expected = {
      {FrameKind::kData, 1}, {FrameKind::kAbort, 1}, {FrameKind::kData, 2}};
  EXPECT_EQ(got, expected);
}

TEST(Frames, ThatCannotBeAreErrorsWithTheirValue) {
  const auto fault = [](FrameKind kind, size_t at, int value, const FrameLimits& limits) {
    Bytes header(kFrameHeaderBytes);
    EncodeHeader({kind}, header.data());
    if (at > 0 || value >= 0) header[at] = static_cast<std::byte>(value);
    return FrameReader(limits).Feed(header, [](const Frame&) {}).ToString();
  };
  const FrameLimits limits{100, 1000};
  EXPECT_EQ(fault(FrameKind::kBeat, 0, 0, limits),
            "DataLoss: [net] a frame must have a kind from 1 to 6; got 0");
  EXPECT_EQ(fault(FrameKind::kBeat, 0, 7, limits),
            "DataLoss: [net] a frame must have a kind from 1 to 6; got 7");
  EXPECT_EQ(fault(FrameKind::kBeat, 3, 1, limits),
            "DataLoss: [net] a frame must have zeros where nothing is; got 256");
  EXPECT_EQ(fault(FrameKind::kData, 4, 101, limits),
            "DataLoss: [net] a frame must have a payload within its limit; got 101");
  EXPECT_EQ(fault(FrameKind::kData, 11, 128, limits),
            "DataLoss: [net] a frame must have a body within its limit; got 2147483648");
  EXPECT_EQ(fault(FrameKind::kData, 1, 1, FrameReader::kStranger),
            "DataLoss: [net] a frame must have a hello before all others; got 3");
  EXPECT_EQ(fault(FrameKind::kHello, 4, 65, FrameReader::kStranger),
            "DataLoss: [net] a frame must have a payload within its limit; got 65");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end such a program
  const FrameLimits generous{100, ~size_t{0}};
  EXPECT_EQ(fault(FrameKind::kData, 15, 16, generous).substr(0, 17), "ResourceExhausted");
#endif
}

}  // namespace
}  // namespace lockstep::net
