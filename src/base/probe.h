#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

/// Probes on rare paths: a simulation lists those that none of its seeds has reached.

namespace lockstep::base {

/// One marked place; known to the registry from program start, reached or not.
class Probe {
 public:
  Probe(const char* name, const char* file, int line);
  void Hit() { hits_.fetch_add(1, std::memory_order_relaxed); }

  const char* name() const { return name_; }
  const char* file() const { return file_; }
  int line() const { return line_; }
  uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }

 private:
  const char* name_;
  const char* file_;
  int line_;
  std::atomic<uint64_t> hits_{0};
};

/// Every probe of the program, ordered by file and line.
std::vector<const Probe*> AllProbes();

template <typename Place>
struct ProbeSite {
  static inline Probe probe{Place::Name(), Place::File(), Place::Line()};
};

}  // namespace lockstep::base

/// Marks a rare path, for example LOCKSTEP_PROBE("resend after a lost acknowledgment").
#define LOCKSTEP_PROBE(text)                                   \
  do {                                                         \
    struct Place {                                             \
      static constexpr const char* Name() { return text; }     \
      static constexpr const char* File() { return __FILE__; } \
      static constexpr int Line() { return __LINE__; }         \
    };                                                         \
    ::lockstep::base::ProbeSite<Place>::probe.Hit();           \
  } while (false)
