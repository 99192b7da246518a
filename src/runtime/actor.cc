#include "runtime/actor.h"

#include <algorithm>
#include <map>

#include "base/randomness.h"
#include "base/thread_watch.h"
#include "runtime/schedule.h"

namespace lockstep::runtime {

namespace {

constinit thread_local Actor* acting_for = nullptr;
constinit thread_local Actor* mine = nullptr;

// A thread's actor, until the thread ends.
struct Own {
  std::shared_ptr<Actor> actor;
  ~Own() {
    if (actor == nullptr) return;
    actor->End();
    mine = nullptr;
  }
};
thread_local Own own;
constinit thread_local bool has_own = false;

void SetOwn(std::shared_ptr<Actor> actor) {
  has_own = true;
  mine = actor.get();
  own.actor = std::move(actor);
}

// Who acts while the program ends, when the main thread has no state of its own any more.
Actor& Last() {
  static const auto* last = new std::shared_ptr<Actor>(std::make_shared<Actor>(false));
  return **last;
}

int NextActorNumber() {
  static std::atomic<int> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

struct Thread {
  std::shared_ptr<Actor> actor;
  std::shared_ptr<Schedule::Runner> runner;  // where a schedule is active
};

// Orders the threads of the program by their beginnings and ends.
class Watcher : public base::ThreadWatcher {
 public:
  std::shared_ptr<void> Starting(bool own_thread) override {
    auto thread = std::make_shared<Thread>();
    thread->actor = std::make_shared<Actor>(true, own_thread);
    thread->actor->Learn(Actor::Current().Publish());
    if (Schedule::Active() != nullptr && !own_thread) {
      thread->runner = Schedule::Active()->Starting();
    }
    return thread;
  }
  void Started(const std::shared_ptr<void>& thread) override {
    SetOwn(ActorOf(thread));
    if (RunnerOf(thread) != nullptr) Schedule::Active()->Started(RunnerOf(thread));
  }
  void Ending(const std::shared_ptr<void>& thread) override {
    ActorOf(thread)->End();
    if (RunnerOf(thread) != nullptr) Schedule::Active()->Ending(*RunnerOf(thread));
  }
  void Joining(const std::shared_ptr<void>& thread) override {
    if (RunnerOf(thread) != nullptr) Schedule::Active()->Joining(*RunnerOf(thread));
  }
  void Joined(const std::shared_ptr<void>& thread) override {
    Actor::Current().Learn(ActorOf(thread)->Publish());
    if (RunnerOf(thread) != nullptr) Schedule::Active()->Joined();
  }

 private:
  static const std::shared_ptr<Actor>& ActorOf(const std::shared_ptr<void>& thread) {
    return static_cast<Thread*>(thread.get())->actor;
  }
  static const std::shared_ptr<Schedule::Runner>& RunnerOf(const std::shared_ptr<void>& thread) {
    return static_cast<Thread*>(thread.get())->runner;
  }
};

// The library's own registration; the thread that loads it is the first actor.
const bool kWatching = [] {
  Actor::Current();
  static Watcher watcher;
  base::SetThreadWatcher(&watcher);
  return true;
}();

}  // namespace

Actor::Actor(bool linked, bool serves) : number_(serves ? 0 : NextActorNumber()), linked_(linked) {}

Actor::Actor(uint64_t process, int number, std::string name)
    : process_(process), number_(number), name_(std::move(name)), linked_(true) {}

namespace {

// Actors of other processes.
struct Others {
  std::mutex mutex;
  std::map<std::pair<uint64_t, int>, std::shared_ptr<Actor>> actors;  // by process and number
};
Others& AllOthers() {
  static auto* others = new Others;
  return *others;
}

}  // namespace

std::shared_ptr<Actor> Actor::Elsewhere(uint64_t process, int number) {
  Others& others = AllOthers();
  const std::lock_guard lock(others.mutex);
  const auto place = others.actors.find({process, number});
  return place == others.actors.end() ? nullptr : place->second;
}

std::shared_ptr<Actor> Actor::Elsewhere(uint64_t process, int number, const std::string& name) {
  constexpr size_t kMost = 1024;
  Others& others = AllOthers();
  const std::lock_guard lock(others.mutex);
  std::shared_ptr<Actor>& actor = others.actors[{process, number}];
  if (actor != nullptr) return actor;
  const auto made = actor = std::make_shared<Actor>(process, number, name);
  // Who is named by no record of an access may be made anew.
  if (others.actors.size() > kMost) {
    std::erase_if(others.actors, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  return made;
}

uint64_t ProcessNumber() {
  static const uint64_t number = base::SystemRandomness().Next() | 1;
  return number;
}

Actor& Actor::Current() {
  if (acting_for != nullptr) return *acting_for;
  if (mine != nullptr) return *mine;
  if (has_own) return Last();
  SetOwn(std::make_shared<Actor>(false));
  return *mine;
}

void Actor::Become(const std::shared_ptr<Actor>& actor) {
  if (mine == nullptr || !mine->linked()) return SetOwn(actor);
  mine->Learn(actor->Publish());
}

template <typename Test>
bool Actor::IsKnown(const Actor& other, const Test& test) const {
  if (&other == this) return true;
  const std::lock_guard lock(mutex_);
  return std::any_of(knowledge_.begin(), knowledge_.end(), [&](const Known& known) {
    return known.actor.get() == &other && test(known);
  });
}

bool Actor::Knows(const Actor& other, uint64_t epoch, Order order) const {
  return IsKnown(other, [&](const Known& known) {
    return (order == Order::kCertain ? known.certain : known.hinted) >= epoch;
  });
}

bool Actor::Knew(uint64_t then, const Actor& other, uint64_t epoch) const {
  return IsKnown(other,
                 [&](const Known& known) { return known.certain >= epoch && known.since <= then; });
}

void AddKnowledge(const Knowledge& news, Knowledge* known) {
  std::erase_if(*known, [](const Known& entry) { return !entry.actor->matters(); });
  for (const Known& more : news) {
    if (!more.actor->matters()) continue;
    const auto place = std::find_if(known->begin(), known->end(),
                                    [&](const Known& entry) { return entry.actor == more.actor; });
    if (place == known->end()) {
      known->push_back(more);
    } else {
      if (more.certain > place->certain) {
        place->certain = more.certain;
        place->since = more.since;
      }
      place->hinted = std::max(place->hinted, more.hinted);
    }
  }
}

Knowledge Actor::Publish() {
  const std::lock_guard lock(mutex_);
  Knowledge knowledge;
  AddKnowledge(ended() ? std::exchange(knowledge_, {}) : knowledge_, &knowledge);
  const uint64_t epoch = epoch_.fetch_add(1, std::memory_order_relaxed);
  knowledge.push_back({shared_from_this(), epoch, epoch, 0});
  return knowledge;
}

void Actor::Learn(const Knowledge& news, Order order) {
  Knowledge learnt = news;
  const uint64_t since = epoch_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (Known& known : learnt) {
    known.since = since;
    if (order == Order::kHint) known.certain = 0;
  }
  const std::lock_guard lock(mutex_);
  AddKnowledge(learnt, &knowledge_);
  std::erase_if(knowledge_, [this](const Known& entry) { return entry.actor.get() == this; });
}

Knowledge Actor::known() const {
  const std::lock_guard lock(mutex_);
  Knowledge all = knowledge_;
  std::erase_if(all, [](const Known& entry) { return entry.actor->serves(); });
  return all;
}

void Actor::BeAt(uint64_t epoch, Knowledge knowledge) {
  const std::lock_guard lock(mutex_);
  epoch_.store(epoch, std::memory_order_relaxed);
  knowledge_ = std::move(knowledge);
}

void HandOver::Give() {
  const Knowledge known = Actor::Current().Publish();
  const std::lock_guard lock(mutex_);
  AddKnowledge(known, &given_);
}

void HandOver::Take(Order order) const {
  Knowledge known;
  {
    const std::lock_guard lock(mutex_);
    known = given_;
  }
  Actor::Current().Learn(known, order);
}

ActorScope::ActorScope(Actor& actor) : outer_(acting_for) { acting_for = &actor; }
ActorScope::~ActorScope() { acting_for = outer_; }

}  // namespace lockstep::runtime
