#pragma once

#include <cstdint>
#include <source_location>

namespace lockstep::ops {

/// A line of the user's code; `line` is 0 where it is not known.
struct SourceSite {
  const char* file = "";
  uint32_t line = 0;
  bool operator==(const SourceSite&) const = default;
};

/// The line that the calling thread carries out, as the outermost public call on its stack was told
/// (by a default argument, so it costs two words), or none.
SourceSite CurrentSite();

/// While it lives, the thread is at `where`, unless an outer scope has said where it is.
class SiteScope {
 public:
  explicit SiteScope(const std::source_location& where);
  ~SiteScope();
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

 private:
  bool sets_;
};

}  // namespace lockstep::ops
