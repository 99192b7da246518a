#include "net/shared_memory_layout.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "net/shared_memory_segment.h"

namespace lockstep::net {
namespace {

TEST(Slot, WhatAPeerWritesIsCheckedPartByPart) {
  const std::vector<size_t> segments = {4096, 1 << 20};
  const auto check = [&](const std::function<void(Slot*)>& bend) {
    Slot slot{};
    slot.channel = 1;
    slot.ticket = 5;
    slot.payload = {0, 48, kInlineSegment};
    slot.body = {64, 1000, 1};
    bend(&slot);
    return CheckSlot(slot, segments).ToString();
  };
  const std::string rule = "DataLoss: [shared memory] a peer's message must have ";
  EXPECT_EQ(check([](Slot*) {}), "Ok");
  EXPECT_EQ(check([](Slot* slot) { slot->channel = 256; }), rule + "a channel below 256; got 256");
  EXPECT_EQ(check([](Slot* slot) { slot->ticket = kTickets; }).substr(0, rule.size() + 8),
            rule + "a ticket");
  EXPECT_EQ(check([](Slot* slot) { slot->body = {}; }).substr(0, rule.size() + 8),
            rule + "a ticket");
  EXPECT_EQ(check([](Slot* slot) { slot->payload.size = 193; }),
            rule + "parts that fit into their segment; got 193");
  EXPECT_EQ(check([](Slot* slot) { slot->payload.offset = 145; }),
            rule + "parts inside of their segment; got 145");
  EXPECT_EQ(check([](Slot* slot) { slot->body.size = 1 << 20; }),
            rule + "parts inside of their segment; got 64");
  EXPECT_EQ(check([](Slot* slot) { slot->body.size = kMostPartBytes; }),
            rule + "parts that fit into their segment; got 281474976710655");
  EXPECT_EQ(check([](Slot* slot) { slot->body.offset = ~uint64_t{0} - 15; }),
            rule + "parts inside of their segment; got 18446744073709551600");
  EXPECT_EQ(check([](Slot* slot) { slot->body.offset = 8; }), rule + "aligned parts; got 8");
  EXPECT_EQ(check([](Slot* slot) { slot->body.segment = 2; }), "NotFound: segment 2");
}

TEST(SharedArena, GivesFreedBlocksOutAgainAndGrowsBySegments) {
  const auto arena = std::make_shared<SharedArena>(size_t{1} << 30);
  const std::byte* first = nullptr;
  for (int i = 0; i < 100; ++i) {
    const Block block = arena->Allocate(100000).value();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.bytes.data()) % 64, 0u);
    if (i == 0) first = block.bytes.data();
    EXPECT_EQ(block.bytes.data(), first);
  }
  EXPECT_EQ(arena->size(), size_t{1} << 20);
  std::vector<Block> blocks;
  for (size_t size : {0, 1, 63, 64, 65, 1000, 5 << 20, 3}) {
    blocks.push_back(arena->Allocate(size).value());
    EXPECT_EQ(blocks.back().bytes.size(), size);
    for (std::byte& byte : blocks.back().bytes) byte = static_cast<std::byte>(size);
  }
  for (const Block& block : blocks) {
    for (std::byte byte : block.bytes) ASSERT_EQ(byte, static_cast<std::byte>(block.bytes.size()));
    SegmentPlace place;
    if (block.bytes.empty()) continue;
    ASSERT_TRUE(arena->Find(block.bytes, &place));
    EXPECT_EQ(arena->segment(place.segment)->data() + place.offset, block.bytes.data());
  }
  SegmentPlace place;
  const std::vector<std::byte> foreign(10);
  EXPECT_FALSE(arena->Find(foreign, &place));
}

TEST(SharedArena, SaysWhenItsLimitIsReached) {
  const auto arena = std::make_shared<SharedArena>(size_t{2} << 20);
  const Block most = arena->Allocate(1 << 20).value();
  const auto more = arena->Allocate(2 << 20);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.status().ToString(),
            "ResourceExhausted: [shared memory] what is under way must fit into 2097152 bytes; got "
            "2097152 more than the 1048576 in use; raise the limit of shared memory, or send less "
            "at once");
  EXPECT_TRUE(arena->Allocate(1 << 19).ok());
}

TEST(Segment, OfAPeerMustBeSealedAndOfItsSize) {
  const auto own = Segment::Create(8192).value();
  own->data()[8191] = std::byte{7};
  const auto mapped = Segment::Map(FileDescriptor(dup(own->file())), 8192).value();
  EXPECT_EQ(mapped->data()[8191], std::byte{7});
  EXPECT_EQ(Segment::Map(FileDescriptor(dup(own->file())), 4096).status().code(), Code::kDataLoss);
  EXPECT_EQ(Segment::Map(FileDescriptor(dup(own->file())), 16384).status().code(), Code::kDataLoss);
  EXPECT_EQ(Segment::Map(FileDescriptor(open("/dev/zero", O_RDWR)), 4096).status().code(),
            Code::kDataLoss);
  EXPECT_NE(ftruncate(own->file(), 0), 0);
}

}  // namespace
}  // namespace lockstep::net
