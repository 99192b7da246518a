#include "random/philox.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/philox.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::random {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<uint64_t>;
using D32 = hn::Repartition<uint32_t, D64>;
using V64 = hn::Vec<D64>;

// A state word of a block sits in the low half of a 64-bit lane; high halves hold rubbish, which
// the widening product ignores. So a round is two products, two shifts and four exclusive ors.
struct Lanes {
  V64 c0, c1, c2, c3;
};

HWY_INLINE V64 WideningProduct(V64 a, V64 b) {
  const D32 d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
}

HWY_INLINE void TenRounds(Lanes& lanes, uint32_t key0, uint32_t key1) {
  const D64 d;
  const V64 multiplier0 = hn::Set(d, uint64_t{0xD2511F53});
  const V64 multiplier1 = hn::Set(d, uint64_t{0xCD9E8D57});
  for (int round = 0; round < 10; ++round) {
    const V64 product0 = WideningProduct(lanes.c0, multiplier0);
    const V64 product1 = WideningProduct(lanes.c2, multiplier1);
    const V64 k0 = hn::Set(d, uint64_t{key0});
    const V64 k1 = hn::Set(d, uint64_t{key1});
    lanes.c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), lanes.c1), k0);
    lanes.c1 = product1;
    lanes.c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), lanes.c3), k1);
    lanes.c3 = product0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

// Two words of each block, in order, in one 64-bit lane.
HWY_INLINE V64 Pack(V64 low, V64 high) {
  const D64 d;
  const D32 d32;
  return hn::BitCast(d,
                     hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(high)), hn::BitCast(d32, low)));
}

HWY_INLINE V64 UnitFloats(V64 words) {
  const D32 d32;
  const hn::RebindToFloat<D32> df;
  const auto bits =
      hn::Or(hn::And(hn::BitCast(d32, words), hn::Set(d32, 0x7fffffu)), hn::Set(d32, 127u << 23));
  const auto unit = hn::Sub(hn::BitCast(df, bits), hn::Set(df, 1.0f));
  return hn::BitCast(D64(), unit);
}

// Writes `blocks` blocks from the 64-bit counter `low` on, which must not wrap.
template <bool kUnitFloats>
HWY_INLINE void Blocks(const Stream& stream, uint64_t low, uint64_t blocks, uint64_t* out) {
  const D64 d;
  const size_t lanes_per_vector = hn::Lanes(d);
  HWY_ALIGN uint64_t tail[2 * hn::MaxLanes(D64())];
  for (uint64_t done = 0; done < blocks; done += lanes_per_vector) {
    const V64 counter = hn::Add(hn::Set(d, low + done), hn::Iota(d, 0));
    Lanes lanes{counter, hn::ShiftRight<32>(counter), hn::Set(d, uint64_t{stream.counter[2]}),
                hn::Set(d, uint64_t{stream.counter[3]})};
    TenRounds(lanes, stream.key[0], stream.key[1]);
    V64 first = Pack(lanes.c0, lanes.c1);
    V64 second = Pack(lanes.c2, lanes.c3);
    if constexpr (kUnitFloats) {
      first = UnitFloats(first);
      second = UnitFloats(second);
    }
    if (blocks - done >= lanes_per_vector) {
      hn::StoreInterleaved2(first, second, d, out + 2 * done);
    } else {
      hn::StoreInterleaved2(first, second, d, tail);
      std::memcpy(out + 2 * done, tail, (blocks - done) * 16);
    }
  }
}

void WordBlocks(const Stream& stream, uint64_t low, uint64_t blocks, void* out) {
  Blocks<false>(stream, low, blocks, static_cast<uint64_t*>(out));
}
void UnitFloatBlocks(const Stream& stream, uint64_t low, uint64_t blocks, void* out) {
  Blocks<true>(stream, low, blocks, static_cast<uint64_t*>(out));
}

}  // namespace HWY_NAMESPACE
}  // namespace lockstep::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::random {
namespace {

HWY_EXPORT(WordBlocks);
HWY_EXPORT(UnitFloatBlocks);

uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// Cuts the blocks where the counter's low 64 bits wrap, so that the vectors need no carry.
template <typename Fill>
void FillBlocks(const Stream& stream, uint64_t first_block, uint64_t blocks, char* out,
                const Fill& fill) {
  Stream start = stream.After(first_block);
  while (blocks > 0) {
    const uint64_t low = Join(start.counter[0], start.counter[1]);
    const uint64_t until_wrap = uint64_t{0} - low;  // zero stands for 2^64
    const uint64_t count = until_wrap == 0 ? blocks : std::min(blocks, until_wrap);
    fill(start, low, count, out);
    start.Skip(count);
    out += 16 * count;
    blocks -= count;
  }
}

}  // namespace

void Stream::Skip(uint64_t blocks) {
  const uint64_t low = Join(counter[0], counter[1]) + blocks;
  const uint64_t high = Join(counter[2], counter[3]) + (low < blocks ? 1 : 0);
  counter = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
             static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
}

Stream Stream::After(uint64_t blocks) const {
  Stream later = *this;
  later.Skip(blocks);
  return later;
}

Stream PairStream(int64_t seed, int64_t seed2) {
  const auto key = static_cast<uint64_t>(seed);
  const auto high = static_cast<uint64_t>(seed2);
  return {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)},
          {0, 0, static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)}};
}

Stream StatelessStream(int64_t seed0, int64_t seed1) {
  const auto low = static_cast<uint64_t>(seed0);
  const auto high = static_cast<uint64_t>(seed1);
  // TensorFlow scrambles the seed with one block under this key.
  const auto mixed =
      PhiloxBlock({{0x3ec8f720u, 0x02461e29u},
                   {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                    static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)}});
  return {{mixed[0], mixed[1]}, {0, 0, mixed[2], mixed[3]}};
}

std::array<uint32_t, 4> PhiloxBlock(const Stream& stream) {
  const auto& c = stream.counter;
  const r123::Philox4x32::ctr_type counter = {{c[0], c[1], c[2], c[3]}};
  const r123::Philox4x32::key_type key = {{stream.key[0], stream.key[1]}};
  const auto block = r123::Philox4x32()(counter, key);
  return {block[0], block[1], block[2], block[3]};
}

void PhiloxBlocks(const Stream& stream, uint64_t first_block, std::span<uint32_t> words) {
  LOCKSTEP_CHECK_EQ(words.size() % 4, size_t{0});
  FillBlocks(stream, first_block, words.size() / 4, reinterpret_cast<char*>(words.data()),
             [](auto&... arguments) {
               HWY_DYNAMIC_DISPATCH(WordBlocks)
               (arguments...);
             });
}

void PhiloxUnitFloats(const Stream& stream, uint64_t first_block, std::span<float> values) {
  LOCKSTEP_CHECK_EQ(values.size() % 4, size_t{0});
  FillBlocks(stream, first_block, values.size() / 4, reinterpret_cast<char*>(values.data()),
             [](auto&... arguments) {
               HWY_DYNAMIC_DISPATCH(UnitFloatBlocks)
               (arguments...);
             });
}

uint32_t WordReader::Next() {
  const uint64_t block = position_ / words_.size() * (words_.size() / 4);
  if (block != words_block_) {
    PhiloxBlocks(stream_, block, words_);
    words_block_ = block;
  }
  return words_[position_++ % words_.size()];
}

}  // namespace lockstep::random
#endif  // HWY_ONCE
