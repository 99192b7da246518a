#include "sim/trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace lockstep::sim {
namespace {

constexpr uint64_t kPrime = 0x9e3779b97f4a7c15u;

uint64_t MixInto(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * kPrime;
  return hash ^ (hash >> 29);
}

}  // namespace

void Trace::Mix(uint64_t value) { hash_ = MixInto(hash_, value); }

void Trace::Note(base::Time when, const char* what, int rank, int other, uint64_t detail) {
  ++events_;
  const auto nanoseconds = when.time_since_epoch().count();
  Mix(static_cast<uint64_t>(nanoseconds));
  Mix(HashBytes(std::as_bytes(std::span(what, std::strlen(what)))));
  Mix(static_cast<uint64_t>(rank));
  Mix(static_cast<uint64_t>(other));
  Mix(detail);
  if (!keep_lines_) return;
  char line[160];
  std::snprintf(line, sizeof(line), "%.6f ms: %s, rank %d, other %d, detail %llx",
                static_cast<double>(nanoseconds) * 1e-6, what, rank, other,
                static_cast<unsigned long long>(detail));
  lines_.emplace_back(line);
}

uint64_t HashBytes(std::span<const std::byte> bytes) {
  uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t taken = std::min<size_t>(bytes.size(), 8);
    std::memcpy(&word, bytes.data(), taken);
    hash = MixInto(hash, word);
    bytes = bytes.subspan(taken);
  }
  return hash;
}

}  // namespace lockstep::sim
