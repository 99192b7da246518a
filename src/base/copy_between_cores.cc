#include "base/copy_between_cores.h"

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "base/fetch.h"
#include "base/memory.h"

namespace lockstep::base {

void CopyFromOtherCore(void* to, const void* from, size_t bytes, bool by_pages) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  size_t at = 0;
  if (bytes > kFewFetched && bytes < BytesPastCaches()) {
    at = ForEachLine(bytes, by_pages, [=](size_t line) {
      if (!by_pages) FetchToRead(in + line + kReadAhead);
      FetchToWrite(out + line + kWriteAhead);
      std::memcpy(out + line, in + line, kFetchLine);
    });
  }
  if (at < bytes) std::memcpy(out + at, in + at, bytes - at);
}

void CopyPastCaches(void* to, const void* from, size_t bytes) {
  constexpr size_t kLine = 64, kVector = 32;
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  const size_t before = (kLine - reinterpret_cast<uintptr_t>(out) % kLine) % kLine;
  if (bytes < before + kLine) {
    if (bytes > 0) std::memcpy(out, in, bytes);
    return;
  }
  if (before > 0) std::memcpy(out, in, before);
  size_t at = before;
  for (; at + kLine <= bytes; at += kLine) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + at + kVector));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + at), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + at + kVector), high);
  }
  if (at < bytes) std::memcpy(out + at, in + at, bytes - at);
  _mm_sfence();  // such stores are in no order with later ones
}

}  // namespace lockstep::base
