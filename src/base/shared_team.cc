#include "base/shared_team.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

#include "base/cores.h"
#include "base/environment.h"
#include "base/log.h"
#include "lockstep/base/status.h"

namespace lockstep::base {

namespace {

constexpr int kMostLanes = 1024;

std::atomic<int> lane_limit{0};
std::atomic<int> lanes_in_use{0};
std::atomic<unsigned> forks{0};
std::atomic<int (*)()> tasks_of_host{nullptr};
// Of `DefaultLanes()` lanes; null before it is needed, and after the limit has changed.
std::atomic<Team*> default_team{nullptr};

// Adds `lanes` to those in use, if there are cores for them; one run may always have more.
bool Reserve(int lanes) {
  int used = lanes_in_use.load(std::memory_order_relaxed);
  do {
    if (used > 0 && used + lanes > Cores()) return false;
  } while (!lanes_in_use.compare_exchange_weak(used, used + lanes, std::memory_order_relaxed));
  return true;
}

int LanesOfEnvironment() {
  if (const auto lanes = EnvironmentNumber("LOCKSTEP_DEVICES", 1, kMostLanes))
    return static_cast<int>(*lanes);
  const int share = std::max(1, Cores() / TasksOfHost());
  // TensorFlow takes 0 for no limit.
  const auto most = EnvironmentNumber("TF_NUM_INTRAOP_THREADS", 0, 1 << 20).value_or(0);
  return most > 0 ? static_cast<int>(std::min<int64_t>(share, most)) : share;
}

}  // namespace

// All teams that outlive the scope that made them. It is never destroyed, because threads of the
// program may compute while the process ends.
class SharedTeams {
 public:
  static SharedTeams& Instance() {
    static auto* const teams = new SharedTeams;
    return *teams;
  }

  std::shared_ptr<Team> Shared(int lanes) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<Team>& known = shared_[lanes];
    std::shared_ptr<Team> team = known.lock();
    if (team == nullptr) known = team = std::make_shared<Team>(lanes);
    return team;
  }

  Team& Default(int lanes) {
    const std::lock_guard lock(mutex_);
    Team& team = OfSize(lanes);
    default_team.store(&team, std::memory_order_release);
    for (auto& [number, other] : defaults_) {
      if (number <= lanes || other->is_leased_.test_and_set(std::memory_order_acquire)) continue;
      other->Stop();
      other->is_leased_.clear(std::memory_order_release);
    }
    return team;
  }

  Team& Smaller(int lanes) {
    const std::lock_guard lock(mutex_);
    return OfSize(lanes);
  }

 private:
  // A child process of a fork has the thread that called fork, and no lanes.
  SharedTeams() {
    pthread_atfork([] { Instance().mutex_.lock(); }, [] { Instance().mutex_.unlock(); },
                   [] { Instance().BeginChild(); });
  }

  Team& OfSize(int lanes) {
    std::unique_ptr<Team>& team = defaults_[lanes];
    if (team != nullptr) return *team;
    team = std::make_unique<Team>(lanes, Team::Start::kAtFirstLease);
    team->is_default_ = true;
    return *team;
  }

  void BeginChild() {
    forks.fetch_add(1);
    lanes_in_use.store(0);
    for (const auto& [lanes, known] : shared_)
      if (const auto team = known.lock()) team->ForgetThreads();
    for (const auto& [lanes, team] : defaults_) team->ForgetThreads();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::map<int, std::weak_ptr<Team>> shared_;      // by number of lanes
  std::map<int, std::unique_ptr<Team>> defaults_;  // by number of lanes
};

std::shared_ptr<Team> SharedTeam(int lanes) { return SharedTeams::Instance().Shared(lanes); }

Team& DefaultTeam() {
  Team* const known = default_team.load(std::memory_order_acquire);
  return known != nullptr ? *known : SharedTeams::Instance().Default(DefaultLanes());
}

int DefaultLanes() {
  static const int lanes = LanesOfEnvironment();
  const int limit = LaneLimit();
  return limit > 0 ? std::min(limit, lanes) : lanes;
}

void SetLaneLimit(int lanes) {
  lane_limit.store(std::clamp(lanes, 0, kMostLanes));
  default_team.store(nullptr, std::memory_order_release);
}
int LaneLimit() { return lane_limit.load(std::memory_order_relaxed); }

void SetTasksOfHost(int (*count)()) { tasks_of_host.store(count); }
int TasksOfHost() {
  static const int tasks = [] {
    const auto count = tasks_of_host.load();
    return count == nullptr ? 1 : std::max(1, count());
  }();
  return tasks;
}

Team& CallingThread() {
  constinit thread_local Team* known = nullptr;
  if (known == nullptr) {
    thread_local Team alone(1);
    known = &alone;
  }
  return *known;
}

LaneLease::LaneLease(Team& team, int wanted) : team_(&CallingThread()) {
  if (wanted < 2 || team.lanes() < 2) return;
  if (const int limit = LaneLimit(); limit > 0) wanted = std::min(wanted, limit);
  if (wanted < 2) return;
  Team& lanes = wanted >= team.lanes() ? team
                                       : SharedTeams::Instance().Smaller(static_cast<int>(
                                             std::bit_floor(static_cast<unsigned>(wanted))));
  forks_ = forks.load(std::memory_order_relaxed);
  if (Take(lanes)) {
    team_ = &lanes;
  } else {
    lanes_in_use.fetch_add(1, std::memory_order_relaxed);
  }
  is_taken_ = true;
}

bool LaneLease::Take(Team& team) {
  if (team.is_leased_.test_and_set(std::memory_order_acquire)) return false;
  if (!Reserve(team.lanes())) {
    team.is_leased_.clear(std::memory_order_release);
    return false;
  }
  try {
    team.StartThreads();
  } catch (const Error& error) {
    lanes_in_use.fetch_sub(team.lanes(), std::memory_order_relaxed);
    team.is_leased_.clear(std::memory_order_release);
    static const bool once = (Log(Severity::kWarning, error.what()), true);
    return static_cast<void>(once), false;
  }
  return true;
}

LaneLease::~LaneLease() {
  if (!is_taken_ || forks_ != forks.load(std::memory_order_relaxed)) return;
  lanes_in_use.fetch_sub(team_->lanes(), std::memory_order_relaxed);
  if (team_->lanes() > 1) team_->is_leased_.clear(std::memory_order_release);
}

}  // namespace lockstep::base
