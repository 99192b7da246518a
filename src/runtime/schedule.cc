#include "runtime/schedule.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/hash.h"
#include "base/log.h"
#include "lockstep/base/status.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_hold.h"

namespace lockstep::runtime {

// A thread of the program.
struct Schedule::Runner {
  enum class State {
    kRunning,
    kReady,    // waits for its turn
    kJoining,  // waits for the end of another
    kAway,     // has its turn, and is said to wait for something that nobody sees
    kEnded,
  };
  int number = 0;
  std::atomic<int> thread{0};  // as the system numbers it
  State state = State::kReady;
  bool waits = false;  // has tried in vain, and nobody has done anything since
  const Runner* joins = nullptr;
  std::condition_variable turn;
};

namespace {

// How often those who wait look whether the thread whose turn it is sleeps. Twice is enough.
constexpr auto kLook = std::chrono::milliseconds(5);

// Who waits unseen is looked at so often, at most, before a turn is drawn.
constexpr int kMostLooks = 500;

// Whether a thread of this process waits for something, and does not merely run or want to.
bool Sleeps(int thread) {
  if (thread == 0) return false;  // it has not begun
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return true;  // it has ended
  char text[256] = {};
  const size_t read = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  const std::string_view line(text, read);
  const size_t name_end = line.rfind(')');
  return name_end != std::string_view::npos && name_end + 2 < line.size() &&
         line[name_end + 2] != 'R' && line[name_end + 2] != 'D';
}

constinit thread_local Schedule::Runner* mine = nullptr;
constinit Schedule* active = nullptr;
constinit Schedule::LetGo let_go;

// While it lives the thread has let go; made before the schedule is locked.
class Waiting {
 public:
  Waiting() : left_(let_go.leave == nullptr ? nullptr : let_go.leave()) {}
  ~Waiting() {
    if (left_ != nullptr) let_go.enter(left_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void* const left_;
};

std::vector<int> Turns(const std::string& text) {
  std::vector<int> turns;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    turns.push_back(std::atoi(text.substr(begin, end - begin).c_str()));
    begin = end + 1;
  }
  return turns;
}

Schedule* FromEnvironment() {
  try {
    const auto seed = base::EnvironmentNumber("LOCKSTEP_SCHEDULE", 0, INT64_MAX);
    if (!seed) return nullptr;
    return new Schedule(*seed, Turns(base::EnvironmentText("LOCKSTEP_SCHEDULE_TURNS").value_or("")),
                        base::EnvironmentText("LOCKSTEP_SCHEDULE_TRACE").value_or(""));
  } catch (const Error& error) {
    base::Log(base::Severity::kError, error.what());
    return nullptr;
  }
}

// The library's own registration; the thread that loads it is the first.
const bool kRegistered = [] {
  active = FromEnvironment();
  if (active != nullptr) std::atexit([] { active->Write(); });
  return true;
}();

}  // namespace

Schedule* Schedule::Active() { return active; }

void Schedule::SetLetGo(LetGo functions) { let_go = functions; }

Schedule::Schedule(uint64_t seed, std::vector<int> turns, std::string trace)
    : randomness_(seed), choices_(seed), given_(std::move(turns)), trace_(std::move(trace)) {
  auto first = std::make_shared<Runner>();
  first->number = next_number_++;
  first->state = Runner::State::kRunning;
  first->thread = gettid();
  mine = first.get();
  runners_.push_back(std::move(first));
}

// Lets those who are away go on as far as they can: to their next turn, or until they wait again.
void Schedule::Settle(std::unique_lock<std::mutex>& lock) {
  for (int looks = 0, asleep = 0; looks < kMostLooks && asleep < 2; ++looks) {
    const auto away = [](const auto& runner) { return runner->state == Runner::State::kAway; };
    if (std::none_of(runners_.begin(), runners_.end(), away)) return;
    const bool all = std::all_of(runners_.begin(), runners_.end(), [&](const auto& runner) {
      return !away(runner) || Sleeps(runner->thread);
    });
    asleep = all ? asleep + 1 : 0;
    look_.wait_for(lock, kLook / 2);
  }
}

// Gives the next turn, when nobody has it.
void Schedule::Pick(std::unique_lock<std::mutex>& lock) {
  const auto running = [](const auto& runner) { return runner->state == Runner::State::kRunning; };
  if (picking_ || std::any_of(runners_.begin(), runners_.end(), running)) return;
  picking_ = true;
  Settle(lock);
  picking_ = false;
  std::vector<Runner*> ready;
  for (const auto& runner : runners_) {
    if (runner->state == Runner::State::kReady) ready.push_back(runner.get());
  }
  std::erase_if(ready, [](const Runner* runner) { return runner->waits; });
  if (ready.empty()) return;
  // In the order of their numbers, whenever they were known.
  std::sort(ready.begin(), ready.end(),
            [](const Runner* a, const Runner* b) { return a->number < b->number; });
  // The first one that is said and can go on; else one that is drawn.
  const auto find = [&](int number) {
    return std::find_if(ready.begin(), ready.end(),
                        [&](const Runner* runner) { return runner->number == number; });
  };
  const auto said = std::find_if(given_.begin(), given_.end(),
                                 [&](int number) { return find(number) != ready.end(); });
  const size_t drawn = randomness_.Below(ready.size());
  Runner& next = said == given_.end() ? *ready[drawn] : **find(*said);
  if (said != given_.end()) given_.erase(said);
  lines_ += "turn " + std::to_string(next.number) + "\n";
  next.state = Runner::State::kRunning;
  ++turns_;
  next.turn.notify_all();
}

void Schedule::AwaitTurn(Runner& runner, std::unique_lock<std::mutex>& lock) {
  uint64_t seen = turns_;
  int asleep = 0, idle = 0;
  while (runner.state != Runner::State::kRunning) {
    const auto is = [&](Runner::State state) {
      return std::any_of(runners_.begin(), runners_.end(),
                         [&](const auto& other) { return other->state == state; });
    };
    const bool nobody = !is(Runner::State::kRunning) && !picking_;
    // Without a limit where nobody will ever go on, so that this can be seen from outside.
    if (nobody && (!is(Runner::State::kAway) || idle > kMostLooks)) {
      runner.turn.wait(lock);
      continue;
    }
    if (runner.turn.wait_for(lock, kLook) == std::cv_status::no_timeout) continue;
    // One who is away may have done what those who have tried in vain wait for.
    if (nobody && ++idle % 2 == 0) {
      WaitNoMore();
      Pick(lock);
      continue;
    }
    const auto who = std::find_if(runners_.begin(), runners_.end(), [](const auto& other) {
      return other->state == Runner::State::kRunning;
    });
    asleep = turns_ == seen && who != runners_.end() && Sleeps((*who)->thread) ? asleep + 1 : 0;
    seen = turns_;
    if (asleep < 2) continue;
    (*who)->state = Runner::State::kAway;
    exact_ = false;
    asleep = 0;
    Pick(lock);
  }
}

void Schedule::Touch(std::vector<ScheduledAccess> accesses) {
  if (mine == nullptr) return;
  Runner& own = *mine;
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  WaitNoMore();
  own.state = Runner::State::kReady;
  Pick(lock);
  AwaitTurn(own, lock);
  for (const ScheduledAccess& access : accesses) {
    const std::string file = access.site.file;
    lines_ += "access " + std::to_string(own.number) + (access.writes ? " w " : " r ") +
              (file.empty() ? "-" : file.substr(file.find_last_of('/') + 1)) + ":" +
              std::to_string(access.site.line) + " " + access.variable + "\n";
  }
  Stream();
}

// Something has been done, so those who have tried in vain may try again.
void Schedule::WaitNoMore() {
  for (const auto& runner : runners_) runner->waits = false;
}

bool Schedule::Yield(const std::string& place) {
  if (mine == nullptr) return false;
  Runner& own = *mine;
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  if (!place.empty()) {
    WaitNoMore();
    lines_ += "waits " + std::to_string(own.number) + " " + place + "\n";
    Stream();
  }
  own.waits = true;
  own.state = Runner::State::kReady;
  Pick(lock);
  AwaitTurn(own, lock);
  return true;
}

void Schedule::Got() {
  if (mine == nullptr) return;
  const std::lock_guard lock(mutex_);
  lines_ += "got " + std::to_string(mine->number) + "\n";
  Stream();
}

int Schedule::Choose(int count) {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(choices_.Below(static_cast<uint64_t>(std::max(1, count))));
}

void Schedule::Note(const std::vector<ScheduledOp>& ops) {
  const std::lock_guard lock(mutex_);
  for (const ScheduledOp& op : ops) {
    lines_ += "op " + std::to_string(mine == nullptr ? 0 : mine->number) +
              (op.writes ? " w " : " r ") + (op.node.empty() ? "-" : op.node) + " " + op.variable +
              "\n";
  }
}

void Schedule::Fail(const std::string& what) {
  const std::lock_guard lock(mutex_);
  lines_ += "failed " + std::to_string(mine == nullptr ? 0 : mine->number) + " " +
            what.substr(0, what.find('\n')) + "\n";
  Stream();
}

void Schedule::End(const std::string& variable, const void* data, size_t bytes) {
  const std::lock_guard lock(mutex_);
  // A sum, as variables end in any order.
  digest_ += base::Hash64({static_cast<const char*>(data), bytes}, base::Hash64(variable));
}

std::shared_ptr<Schedule::Runner> Schedule::Starting() {
  auto runner = std::make_shared<Runner>();
  const std::lock_guard lock(mutex_);
  runner->number = next_number_++;
  runners_.push_back(runner);
  return runner;
}

void Schedule::Started(const std::shared_ptr<Runner>& runner) {
  mine = runner.get();
  runner->thread = gettid();
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  Pick(lock);
  AwaitTurn(*runner, lock);
}

void Schedule::Ending(Runner& runner) {
  mine = nullptr;
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  WaitNoMore();
  runner.state = Runner::State::kEnded;
  for (const auto& other : runners_) {
    if (other->state != Runner::State::kJoining || other->joins != &runner) continue;
    other->state = Runner::State::kReady;
    other->joins = nullptr;
  }
  std::erase_if(runners_, [&](const auto& one) { return one.get() == &runner; });
  Pick(lock);
}

void Schedule::Joining(Runner& runner) {
  if (mine == nullptr) return;
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  WaitNoMore();
  const bool ended = runner.state == Runner::State::kEnded;
  mine->state = ended ? Runner::State::kReady : Runner::State::kJoining;
  mine->joins = ended ? nullptr : &runner;
  Pick(lock);
}

void Schedule::Joined() {
  if (mine == nullptr) return;
  const Waiting waiting;
  std::unique_lock lock(mutex_);
  Pick(lock);
  AwaitTurn(*mine, lock);
}

// Adds to the trace what is new, so that it is there however the program ends.
void Schedule::Stream() {
  if (trace_.empty()) return;
  if (stream_ == nullptr) stream_ = std::fopen(trace_.c_str(), "w");
  if (stream_ == nullptr) return;
  std::fwrite(lines_.data() + streamed_, 1, lines_.size() - streamed_, stream_);
  std::fflush(stream_);
  streamed_ = lines_.size();
}

void Schedule::Write() {
  if (trace_.empty()) return;
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) std::fclose(std::exchange(stream_, nullptr));
  std::FILE* file = std::fopen(trace_.c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "digest %016llx\nexact %d\n%s", static_cast<unsigned long long>(digest_),
               exact_ ? 1 : 0, lines_.c_str());
  std::fclose(file);
}

bool IsScheduled() { return active != nullptr && VariableHold::Current() == nullptr; }

void ScheduleTouch(const VariableCell& cell, bool writes) {
  if (IsScheduled()) active->Touch({{cell.name(), writes, ops::CurrentSite()}});
}

}  // namespace lockstep::runtime
