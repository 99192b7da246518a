#include "base/team.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <string>

#include "base/cores.h"
#include "base/own_thread.h"
#include "lockstep/base/status.h"

namespace lockstep::base {

namespace {

// Spinning is right while every lane has a core of its own; with more lanes than cores the lane
// that is waited for may need this core, so the wait yields soon.
int SpinLimit(int lanes) { return lanes <= Cores() ? 4000 : 20; }

// Of so many rounds of spinning one looks whether another lane needs this core.
constexpr int kSpinsPerLook = 64;
// Between jobs a lane goes on spinning and yielding for about a millisecond before it blocks.
constexpr int kYieldsBeforeBlocking = 400;

// Clears a flag at the end of a scope, also after an error.
class Cleared {
 public:
  explicit Cleared(std::atomic_flag& flag) : flag_(flag) {}
  ~Cleared() { flag_.clear(std::memory_order_release); }
  Cleared(const Cleared&) = delete;

 private:
  std::atomic_flag& flag_;
};

}  // namespace

Team::Team(int lanes, Start start)
    : lanes_(std::max(1, lanes)), spins_(SpinLimit(lanes_)), waits_(static_cast<size_t>(lanes_)) {
  if (start == Start::kNow) StartThreads();
}

Team::~Team() { Stop(); }

void Team::StartThreads() {
  if (!threads_.empty()) return;
  const uint32_t seen = job_.load(std::memory_order_relaxed);
  try {
    for (int lane = 1; lane < lanes_; ++lane)
      threads_.push_back(StartThread([this, lane, seen] { Serve(lane, seen); }));
  } catch (const std::exception& error) {
    const size_t begun = threads_.size() + 1;
    Stop();
    throw Error(Code::kResourceExhausted, "[team] every lane must have a thread; got " +
                                              std::to_string(begun) + " of " +
                                              std::to_string(lanes_) + ", then: " + error.what());
  }
  is_started_.store(true, std::memory_order_relaxed);
}

// The team can be started again.
void Team::Stop() {
  is_started_.store(false, std::memory_order_relaxed);
  stop_.store(true);
  job_.fetch_add(1);
  job_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  stop_.store(false);
}

void Team::ForgetThreads() {
  // A handle of a thread that is not there can neither be joined nor detached.
  if (!threads_.empty()) new std::vector<std::thread>(std::move(threads_));
  threads_.clear();
  is_started_.store(false);
  sleepers_.store(0);
  busy_.clear();
  is_leased_.clear();
}

void Team::Publish(int lane, int core) {
  std::atomic<int>& published = waits_[lane].core;
  if (published.load(std::memory_order_relaxed) != core)
    published.store(core, std::memory_order_relaxed);
}

// One round of waiting, after `waited` others.
void Team::Pause(int lane, int waited) {
  const bool spins = waited < spins_;
  spins ? _mm_pause() : static_cast<void>(sched_yield());
  if (spins && waited % kSpinsPerLook != kSpinsPerLook - 1) return;
  const auto is_taken = [&](int core) {
    for (int other = 0; other < lanes_; ++other)
      if (other != lane && waits_[other].core.load(std::memory_order_relaxed) == core) return true;
    return false;
  };
  waits_[lane].own_core.Seek(is_taken, [&](int core) { Publish(lane, core); });
}

// `seen`: the number of the last job before the thread was started.
void Team::Serve(int lane, uint32_t seen) {
  while (true) {
    Publish(lane, CurrentCore());
    int waited = 0;
    while (job_.load(std::memory_order_acquire) == seen) {
      if (waited < spins_ + kYieldsBeforeBlocking) {
        Pause(lane, waited++);
        continue;
      }
      Publish(lane, kNoCore);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      job_.wait(seen, std::memory_order_seq_cst);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      Publish(lane, CurrentCore());
    }
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    function_(context_, lane);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

void Team::RunErased(Function function, const void* context) {
  if (lanes_ == 1) {
    function(context, 0);
    return;
  }
  while (busy_.test_and_set(std::memory_order_acquire)) sched_yield();
  const Cleared busy(busy_);
  StartThreads();
  function_ = function;
  context_ = context;
  running_.store(lanes_ - 1, std::memory_order_relaxed);
  arrived_.store(0, std::memory_order_relaxed);
  Publish(0, CurrentCore());
  job_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) job_.notify_all();
  function(context, 0);
  Await(0, [this] { return running_.load(std::memory_order_acquire) == 0; });
}

void Team::Barrier(int lane) {
  if (lanes_ == 1) return;
  const uint32_t lanes = static_cast<uint32_t>(lanes_);
  const uint32_t target = (arrived_.fetch_add(1, std::memory_order_acq_rel) / lanes + 1) * lanes;
  Await(lane, [&] { return arrived_.load(std::memory_order_acquire) >= target; });
}

}  // namespace lockstep::base
