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

}  // namespace lockstep::ops
