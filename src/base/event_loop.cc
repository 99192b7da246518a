#include "base/event_loop.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/cores.h"

namespace lockstep::base {
namespace {

// While work keeps coming, pollers get a turn every so many pieces, files more seldom, as asking
// for them is a system call.
constexpr uint32_t kPiecesPerPoll = 16;
constexpr uint32_t kPollsPerFiles = 16;
// A spinning loop looks at the clock and at files every so many rounds.
constexpr int kRoundsPerClock = 16;
constexpr int kRoundsPerFiles = 64;

}  // namespace

Patience Patience::Among(int threads) {
  return threads <= Cores() ? Patience{} : Patience{.spins = 10};
}

EventLoop::EventLoop() = default;

EventLoop::~EventLoop() {
  // Work may own what posts or cancels on its way out: it dies outside of the lock.
  std::map<TimerId, Work> dropped;
  std::deque<Posted> dropped_posts;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(queue_);
    dropped_posts.swap(posted_);
  }
}

// Who posts or stops holds mutex_ until it is through: its loop may end then, and be gone.
void EventLoop::NoteNewWork() {
  if (!watches_.load(std::memory_order_acquire)) return;
  posts_.fetch_add(1, std::memory_order_seq_cst);
  if (blocked_.load(std::memory_order_seq_cst)) files_->Wake();
}

void EventLoop::Post(Work work) {
  std::lock_guard lock(mutex_);
  // The clock is read under the lock, so that times rise along the queue.
  posted_.push_back({{Now(), sequence_++}, std::move(work)});
  if (waiting_) changed_.notify_one();
  NoteNewWork();
}

TimerId EventLoop::PostAt(Time when, Work work) {
  std::lock_guard lock(mutex_);
  const TimerId id{when, sequence_++};
  const auto place = queue_.emplace(id, std::move(work)).first;
  if (waiting_ && place == queue_.begin()) changed_.notify_one();
  NoteNewWork();
  return id;
}

bool EventLoop::Cancel(TimerId timer) {
  decltype(queue_)::node_type dropped;
  std::lock_guard lock(mutex_);
  dropped = queue_.extract(timer);
  return !dropped.empty();
}

bool EventLoop::TakeDue(Work* work) {
  const bool has_post = !posted_.empty();
  if (!queue_.empty()) {
    const TimerId first = queue_.begin()->first;
    const bool is_due = has_post ? first < posted_.front().id : first.when <= Now();
    if (is_due) {
      *work = std::move(queue_.extract(queue_.begin()).mapped());
      return true;
    }
  }
  if (!has_post) return false;
  *work = std::move(posted_.front().work);
  posted_.pop_front();
  return true;
}

Time EventLoop::NextTime(Time until) const {
  return queue_.empty() ? until : std::min(until, queue_.begin()->first.when);
}

EventLoop::Step EventLoop::Take(Time until, Work* work) {
  if (files_ != nullptr && ++takes_ % kPiecesPerPoll == 0) {
    bool any = PollAll();
    if (takes_ % (kPiecesPerPoll * kPollsPerFiles) == 0 && watched_files_ > 0)
      any = files_->Handle(Duration{0}) || any;
    if (any) return Step::kPolled;
  }
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const uint32_t seen_posts = posts_.load(std::memory_order_relaxed);
    if (TakeDue(work)) return Step::kWork;
    const Time wake = NextTime(until);
    if (files_ != nullptr) {
      lock.unlock();
      if (WaitOutside(wake, seen_posts)) return Step::kPolled;
      if (Now() >= until) return Step::kEnd;
      lock.lock();
      continue;
    }
    const Time now = Now();
    if (now >= until) return Step::kEnd;
    // A bounded nap where there is nothing to wait for: no overflow in the clock's arithmetic.
    waiting_ = true;
    changed_.wait_for(lock, std::min<Duration>(wake - now, std::chrono::hours(1)));
    waiting_ = false;
  }
  return Step::kEnd;
}

bool EventLoop::PollAll() {
  bool any = false;
  // By index: a poller may remove itself or others.
  for (size_t i = 0; i < pollers_.size(); ++i) any = pollers_[i]->Poll() || any;
  return any;
}

bool EventLoop::WaitOutside(Time until, uint32_t seen_posts) {
  const auto has_posts = [&] { return posts_.load(std::memory_order_acquire) != seen_posts; };
  if (nap_ > Duration{0}) return PollAll() || (!has_posts() && Nap(until, seen_posts));
  for (int round = 1; round <= patience_.spins; ++round) {
    if (PollAll()) return true;
    if (has_posts()) return false;
    if (round % kRoundsPerClock == 0 && Now() >= until) return false;
    if (round % kRoundsPerFiles == 0 && watched_files_ > 0 && files_->Handle(Duration{0}))
      return true;
    _mm_pause();
  }
  const Time began = Now();
  for (int round = 0;; ++round) {
    if (PollAll()) return true;
    if (has_posts()) return false;
    const Time now = Now();
    if (now >= until) return false;
    if (now - began >= patience_.yielding) break;
    if (round % 4 == 0 && watched_files_ > 0 && files_->Handle(Duration{0})) return true;
    sched_yield();
    for (Poller* poller : pollers_) poller->AfterYield();
  }
  return Block(until, seen_posts);
}

// Until a post, a file or `limit`.
bool EventLoop::Sleep(Duration limit, uint32_t seen_posts) {
  bool any = false;
  for (Poller* poller : pollers_) poller->BeforeSleep();
  blocked_.store(true, std::memory_order_seq_cst);
  if (posts_.load(std::memory_order_seq_cst) == seen_posts)
    any = files_->Handle(std::max(limit, Duration{0}));
  blocked_.store(false, std::memory_order_relaxed);
  return any;
}

// Whoever naps at the same pace wakes at the same moments.
bool EventLoop::Nap(Time until, uint32_t seen_posts) {
  const Time now = Now();
  return Sleep(std::min(until - now, nap_ - now.time_since_epoch() % nap_), seen_posts);
}

bool EventLoop::Block(Time until, uint32_t seen_posts) {
  for (Poller* poller : pollers_) poller->BeforeBlocking();
  const bool any =
      PollAll() || Sleep(std::min<Duration>(until - Now(), std::chrono::hours(1)), seen_posts);
  for (Poller* poller : pollers_) poller->AfterBlocking();
  return any;
}

void EventLoop::AddPoller(Poller& poller) {
  if (files_ == nullptr) files_ = std::make_unique<FileWatch>();
  watches_.store(true);
  pollers_.push_back(&poller);
}

void EventLoop::RemovePoller(Poller& poller) { std::erase(pollers_, &poller); }

bool EventLoop::WatchFile(int fd, bool readable, bool writable, OnFile on_ready) {
  if (files_ == nullptr) files_ = std::make_unique<FileWatch>();
  watches_.store(true);
  const bool is_set = files_->Set(fd, readable, writable, std::move(on_ready));
  watched_files_ = files_->size();
  return is_set;
}

void EventLoop::UnwatchFile(int fd) {
  if (files_ == nullptr) return;
  files_->Remove(fd);
  watched_files_ = files_->size();
}

void EventLoop::Wake() { NoteNewWork(); }

void EventLoop::Run() {
  while (true) {
    Work work;
    const Step step = Take(Time::max(), &work);
    if (step == Step::kWork) work();
    if (step != Step::kEnd) continue;
    std::lock_guard lock(mutex_);
    if (stopped_) return;
  }
}

bool EventLoop::RunUntil(const std::function<bool()>& done, Duration limit) {
  const Time until = Now() + limit;
  // To ask for the time costs as much as a short message.
  int polls = 0;
  while (!done()) {
    Work work;
    const Step step = Take(until, &work);
    if (step == Step::kEnd) return done();
    if (step == Step::kWork) work();
    if (step == Step::kPolled && ++polls % kRoundsPerClock == 0 && Now() >= until) return done();
  }
  return true;
}

void EventLoop::Stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
  NoteNewWork();
}

}  // namespace lockstep::base
