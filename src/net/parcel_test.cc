#include "net/parcel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/randomness.h"
#include "net/text_payload.h"

namespace lockstep::net {
namespace {

Parcel SomeParcel(const std::vector<size_t>& sizes) {
  Parcel parcel{.text = "a text", .bodies = {}};
  for (size_t size : sizes) {
    std::string body(size, '\0');
    for (size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + (i + size) % 26);
    parcel.bodies.push_back(TextPayload(body));
  }
  return parcel;
}

void ExpectSame(const Parcel& got, const Parcel& expected) {
  EXPECT_EQ(got.text, expected.text);
  ASSERT_EQ(got.bodies.size(), expected.bodies.size());
  for (size_t i = 0; i < got.bodies.size(); ++i)
    EXPECT_EQ(TextOf(got.bodies[i]), TextOf(expected.bodies[i])) << i;
}

TEST(Parcel, ComesBackInBothForms) {
  for (const std::vector<size_t>& sizes :
       {std::vector<size_t>{}, {0}, {1}, {64}, {63, 65, 0, 1000}, {0, 0, 3}, {5, 0}}) {
    const Parcel parcel = SomeParcel(sizes);
    Block bulk = Block::OnHeap(BulkBytes(parcel));
    WriteBulk(parcel, bulk.bytes.data());
    const std::byte* begin = bulk.bytes.data();
    const Payload whole(std::move(bulk));
    const Parcel back = ReadParcel(HeadOf(parcel), whole).OrThrow();
    ExpectSame(back, parcel);
    for (const Payload& body : back.bodies) {
      EXPECT_EQ(body.owner(), whole.owner());  // it stays where it is
      EXPECT_EQ((body.data() - begin) % 64, 0);
    }
    const std::string text = Pack(parcel);
    EXPECT_EQ(text.size(), BeginOf(parcel).size() + BulkBytes(parcel));
    ExpectSame(Unpack(TextPayload(text)).OrThrow(), parcel);
  }
}

TEST(Parcel, RefusesWhatHasBeenCutOrChanged) {
  const Parcel parcel = SomeParcel({3, 200});
  const std::string text = Pack(parcel);
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(Unpack(TextPayload(text.substr(0, size))).status().code(), Code::kDataLoss) << size;
  EXPECT_EQ(Unpack(TextPayload(text + "x")).status().code(), Code::kDataLoss);
  const Status status = Unpack(TextPayload("")).status();
  EXPECT_THAT(status.message(), testing::HasSubstr("got 0 bytes of another one"));
  // Bodies whose sizes overflow when they are added up.
  std::string head = HeadOf(parcel);
  for (const uint64_t size : {~uint64_t{0}, ~uint64_t{0} - 63, uint64_t{1} << 63}) {
    std::memcpy(head.data() + 4, &size, sizeof(size));
    EXPECT_FALSE(ReadParcel(head, TextPayload(std::string(300, 'x'))).ok()) << size;
  }
  // Whatever comes, no body leaves the bytes that came.
  base::SeededRandomness randomness(1);
  for (int i = 0; i < 5000; ++i) {
    std::string other = text.substr(0, i % 2 == 0 ? text.size() : randomness.Below(text.size()));
    for (int j = 0; j < 3 && !other.empty(); ++j)
      other[randomness.Below(std::min<size_t>(other.size(), 40))] =
          static_cast<char>(randomness.Next());
    const Payload bytes = TextPayload(other);
    const Result<Parcel> got = Unpack(bytes);
    if (!got.ok()) continue;
    for (const Payload& body : got->bodies) {
      EXPECT_GE(body.data(), bytes.data());
      EXPECT_LE(body.data() + body.size(), bytes.data() + bytes.size());
    }
  }
}

}  // namespace
}  // namespace lockstep::net
