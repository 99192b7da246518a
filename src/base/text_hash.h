#pragma once

#include <cstdint>
#include <string_view>

/// Hashes of bytes that other programs' files and tables name, in their bits.

namespace lockstep::base {

/// Source: Google FarmHash, farmhashna::Hash64.
uint64_t Fingerprint64(std::string_view bytes);
/// SipHash 2-4. Source: Aumasson and Bernstein, 2012.
uint64_t SipHash(std::string_view bytes, uint64_t key0, uint64_t key1);
/// MurmurHash64A with the seed of TensorFlow's Hash64. Source: Austin Appleby.
uint64_t MurmurHash64(std::string_view bytes);

}  // namespace lockstep::base
