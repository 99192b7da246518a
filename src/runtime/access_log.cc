#include "runtime/access_log.h"

#include <algorithm>
#include <atomic>

namespace lockstep::runtime {

namespace {
constinit std::atomic<RaceHook> hook{nullptr};
constinit std::atomic<bool> hook_refuses{false};
constinit thread_local bool has_own_hook = false;
constinit thread_local RaceHook own_hook = nullptr;
}  // namespace

void SetRaceHook(RaceHook one, bool refuses) {
  hook_refuses.store(refuses, std::memory_order_relaxed);
  hook.store(one, std::memory_order_release);
}
RaceHook CurrentRaceHook() {
  return has_own_hook ? own_hook : hook.load(std::memory_order_acquire);
}
bool RaceHookRefuses() { return hook_refuses.load(std::memory_order_relaxed); }

RaceHookScope::RaceHookScope(RaceHook hook) : outer_has_(has_own_hook), outer_(own_hook) {
  has_own_hook = true;
  own_hook = hook;
}
RaceHookScope::~RaceHookScope() {
  has_own_hook = outer_has_;
  own_hook = outer_;
}

AccessLog::~AccessLog() {
  for (const auto* list : {&reads_, &writes_}) {
    for (const Access& access : *list) access.actor->DropRecord();
  }
}

void AccessLog::Put(std::vector<Access>* list, uint64_t version, const ops::SourceSite& where,
                    size_t own_entries) {
  const ops::SourceSite site = where.line != 0 ? where : ops::CurrentSite();
  Actor& actor = Actor::Current();
  Access* oldest = nullptr;
  size_t own = 0;
  for (Access& access : *list) {
    if (access.actor.get() != &actor) continue;
    ++own;
    if (access.version == version || own_entries == 1) {
      oldest = &access;
      own = own_entries;
      break;
    }
    if (oldest == nullptr || access.version < oldest->version) oldest = &access;
  }
  if (own >= own_entries) {
    oldest->version = version;
    oldest->epoch = actor.epoch();
    oldest->site = site;
    return;
  }
  if (list->size() >= kMost) {
    // The oldest one of those who have ended, else of all.
    const auto victim =
        std::min_element(list->begin(), list->end(), [](const auto& a, const auto& b) {
          const bool a_ended = a.actor->ended(), b_ended = b.actor->ended();
          return a_ended != b_ended ? a_ended : a.version < b.version;
        });
    victim->actor->DropRecord();
    list->erase(victim);
  }
  actor.AddRecord();
  list->push_back({actor.shared_from_this(), version, actor.epoch(), site});
}

void AccessLog::Read(uint64_t version, const ops::SourceSite& site) {
  const std::lock_guard lock(mutex_);
  Put(&reads_, version, site, 2);
}

void AccessLog::Write(uint64_t version, const ops::SourceSite& site) {
  const std::lock_guard lock(mutex_);
  Put(&writes_, version, site, 1);
}

void AccessLog::TakeBack(uint64_t version) {
  const std::lock_guard lock(mutex_);
  for (auto* list : {&reads_, &writes_}) {
    std::erase_if(*list, [&](const Access& access) {
      if (access.version > version) access.actor->DropRecord();
      return access.version > version;
    });
  }
}

std::optional<Access> AccessLog::LastRead() const {
  const Actor& actor = Actor::Current();
  const std::lock_guard lock(mutex_);
  std::optional<Access> last;
  for (const Access& read : reads_) {
    if (read.actor.get() != &actor) continue;
    if (!last || read.version > last->version) last = read;
  }
  return last;
}

std::optional<Access> AccessLog::ReadOf(uint64_t version) const {
  const Actor& actor = Actor::Current();
  const std::lock_guard lock(mutex_);
  std::optional<Access> found;
  for (const Access& read : reads_) {
    if (read.version != version) continue;
    if (!found || read.actor.get() == &actor) found = read;
  }
  return found;
}

template <typename IsOrdered>
std::optional<Access> AccessLog::LastWriteAfter(uint64_t version,
                                                const IsOrdered& is_ordered) const {
  const std::lock_guard lock(mutex_);
  std::optional<Access> last;
  for (const Access& write : writes_) {
    if (write.version <= version || is_ordered(write)) continue;
    if (!last || write.version > last->version) last = write;
  }
  return last;
}

std::optional<Access> AccessLog::UnorderedWriteAfter(uint64_t version, Order order) const {
  const Actor& actor = Actor::Current();
  return LastWriteAfter(
      version, [&](const Access& write) { return actor.Knows(*write.actor, write.epoch, order); });
}

std::optional<Access> AccessLog::UnorderedWriteBetween(uint64_t from, uint64_t to) const {
  const Actor& actor = Actor::Current();
  const std::optional<Access> read = ReadOf(to);
  const uint64_t then = read && read->actor.get() == &actor ? read->epoch : actor.epoch();
  return LastWriteAfter(
      from, [&](const Access& write) { return actor.Knew(then, *write.actor, write.epoch); });
}

}  // namespace lockstep::runtime
