#include "base/team.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <string>

#include "base/cores.h"
#include "base/thread_watch.h"
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

}  // namespace

Team::Team(int lanes)
    : lanes_(std::max(1, lanes)), spins_(SpinLimit(lanes_)), waits_(static_cast<size_t>(lanes_)) {
  const OwnThreads own;
  try {
    for (int lane = 1; lane < lanes_; ++lane) threads_.emplace_back([this, lane] { Serve(lane); });
  } catch (const std::exception& error) {
    const size_t begun = threads_.size() + 1;
    Stop();
    throw Error(Code::kResourceExhausted,
                "[team] every lane must have a thread; got " + std::to_string(begun) + " of " +
                    std::to_string(lanes_) + ", then: " + error.what() +
                    "; ask for fewer devices or threads a device, or let this user have more "
                    "(ulimit -u, a control group's pids.max)");
  }
}

Team::~Team() { Stop(); }

void Team::Stop() {
  stop_.store(true);
  job_.fetch_add(1);
  job_.notify_all();
  for (std::thread& thread : threads_) thread.join();
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

void Team::Serve(int lane) {
  uint32_t seen = 0;
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
  function_ = function;
  context_ = context;
  running_.store(lanes_ - 1, std::memory_order_relaxed);
  arrived_.store(0, std::memory_order_relaxed);
  Publish(0, CurrentCore());
  job_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) job_.notify_all();
  function(context, 0);
  Await(0, [this] { return running_.load(std::memory_order_acquire) == 0; });
  busy_.clear(std::memory_order_release);
}

void Team::Barrier(int lane) {
  if (lanes_ == 1) return;
  const uint32_t lanes = static_cast<uint32_t>(lanes_);
  const uint32_t target = (arrived_.fetch_add(1, std::memory_order_acq_rel) / lanes + 1) * lanes;
  Await(lane, [&] { return arrived_.load(std::memory_order_acquire) >= target; });
}

}  // namespace lockstep::base
