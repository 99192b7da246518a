#include "base/wire.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/crc32c.h"
#include "base/record_format.h"

namespace lockstep::base {
namespace {

TEST(Crc32c, HasThePublishedValues) {
  EXPECT_EQ(Crc32c(std::string_view()), 0u);
  EXPECT_EQ(Crc32c(std::string_view("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(MaskCrc(0), 0xa282ead8u);
}

TEST(Crc32c, GoesOnFromAnyPlace) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37);
  const std::string_view all(text);
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(Crc32c(all.substr(cut), Crc32c(all.substr(0, cut))), Crc32c(all)) << cut;
}

TEST(Crc32c, OfLongBytesIsThatOfTheirParts) {
  std::string text(100'003, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 3);
  const std::string_view all(text);
  for (const size_t part : {7, 700, 800, 1000, 3000}) {  // below and above 3 * 256
    uint32_t crc = 0;
    for (size_t at = 0; at < all.size(); at += part) crc = Crc32c(all.substr(at, part), crc);
    EXPECT_EQ(Crc32c(all), crc) << part;
  }
  EXPECT_EQ(Crc32c(all.substr(1, 12288)),
            Crc32c(all.substr(12282, 7), Crc32c(all.substr(1, 12281))));
}

TEST(Wire, ReadsBackWhatItWrites) {
  WireWriter inner;
  inner.Bytes(1, "text");
  WireWriter writer;
  writer.Varint(1, 300).Signed(2, -2).Float(3, -1.5f).Double(4, 0.1).Message(500, inner);
  WireReader reader(writer.bytes());
  ASSERT_TRUE(reader.Next());
  EXPECT_TRUE(reader.Is(1, WireType::kVarint));
  EXPECT_EQ(reader.number(), 300u);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.integer(), -2);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.float32(), -1.5f);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.float64(), 0.1);
  ASSERT_TRUE(reader.Next());
  EXPECT_TRUE(reader.Is(500, WireType::kBytes));
  EXPECT_EQ(reader.bytes(), inner.bytes());
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.broken());
}

TEST(Wire, VarintsHoldSixtyFourBits) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63,
                               std::numeric_limits<uint64_t>::max()}) {
    std::string bytes;
    AppendVarint(value, bytes);
    std::string_view rest = bytes;
    uint64_t read = 0;
    ASSERT_TRUE(TakeVarint(rest, read));
    EXPECT_EQ(read, value);
    EXPECT_TRUE(rest.empty());
  }
  uint64_t value = 0;
  std::string_view too_long("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
  EXPECT_FALSE(TakeVarint(too_long, value));
  std::string_view cut("\x80", 1);
  EXPECT_FALSE(TakeVarint(cut, value));
}

TEST(Wire, NoticesWhatIsNoMessage) {
  // A length beyond the end, field 0, a group, a cut tag, a cut number.
  for (const std::string_view bytes :
       {std::string_view("\x0a\x05hi", 4), std::string_view("\x00\x01", 2),
        std::string_view("\x0b", 1), std::string_view("\x80", 1),
        std::string_view("\x0d\x01", 2)}) {
    WireReader reader(bytes);
    EXPECT_FALSE(reader.Next());
    EXPECT_TRUE(reader.broken());
    EXPECT_FALSE(reader.Next());
  }
}

TEST(RecordFormat, ChecksLengthAndData) {
  const std::string header = RecordHeader(3);
  uint64_t length = 0;
  ASSERT_TRUE(ParseRecordHeader(header, length));
  EXPECT_EQ(length, 3u);
  for (int bit = 0; bit < 96; ++bit) {
    std::string bent = header;
    bent[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_FALSE(ParseRecordHeader(bent, length)) << bit;
  }
  EXPECT_TRUE(RecordFooterFits(RecordFooter("abc"), "abc"));
  EXPECT_FALSE(RecordFooterFits(RecordFooter("abc"), "abd"));
}

}  // namespace
}  // namespace lockstep::base
