#include "ops/source_site.h"

#include <utility>

#include "ops/known_site.h"

namespace lockstep::ops {

namespace {
constinit thread_local SourceSite current;
}  // namespace

SourceSite CurrentSite() { return current; }

SiteScope::SiteScope(const std::source_location& where)
    : sets_(current.line == 0 && where.line() != 0) {
  if (sets_) current = {where.file_name(), where.line()};
}

SiteScope::~SiteScope() {
  if (sets_) current = {};
}

KnownSite::KnownSite(const SourceSite& site) : sets_(current.line == 0 && site.line != 0) {
  if (sets_) current = site;
}

KnownSite::~KnownSite() {
  if (sets_) current = {};
}

SitePause::SitePause() : before_(std::exchange(current, {})) {}

SitePause::~SitePause() { current = before_; }

}  // namespace lockstep::ops
