#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::base {

/// XXH3, 64 bits.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);

/// XXH3, 128 bits, fed piece by piece: what digests of weights are made with.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void Add(const void* data, size_t bytes);
  void Add(std::string_view text) { Add(text.data(), text.size()); }
  void Add(uint64_t value) { Add(&value, sizeof value); }
  /// 32 hexadecimal digits.
  std::string Hex() const;

 private:
  void* state_;
};

}  // namespace lockstep::base
