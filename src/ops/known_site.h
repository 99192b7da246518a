#pragma once

#include "ops/source_site.h"

namespace lockstep::ops {

/// While it lives, the thread is at `site`, a line of a program in another language, unless an
/// outer scope has said where it is. `site.file` must stay.
class KnownSite {
 public:
  explicit KnownSite(const SourceSite& site);
  ~KnownSite();
  KnownSite(const KnownSite&) = delete;
  KnownSite& operator=(const KnownSite&) = delete;

 private:
  bool sets_;
};

/// While it lives, the thread does something else, and is nowhere.
class SitePause {
 public:
  SitePause();
  ~SitePause();
  SitePause(const SitePause&) = delete;
  SitePause& operator=(const SitePause&) = delete;

 private:
  const SourceSite before_;
};

}  // namespace lockstep::ops
