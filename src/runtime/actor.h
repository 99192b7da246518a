#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Actor;

/// How sure it is that one thing happens before another. What a program hands over by barriers,
/// queues and futures is often meant as an order, but as often only the moment at which threads get
/// in each other's way.
enum class Order : uint8_t { kHint, kCertain };

/// Who has done how much when something happens: for each actor the last epoch that is before it.
struct Known {
  std::shared_ptr<Actor> actor;
  uint64_t certain = 0;
  uint64_t hinted = 0;  // at least `certain`
  uint64_t since = 0;   // the epoch of who knows it, in which it has learnt what is certain
};
using Knowledge = std::vector<Known>;
/// Adds `news`, and drops what nobody asks for any more: actors that have ended and of which no
/// record of an access is left.
void AddKnowledge(const Knowledge& news, Knowledge* known);

/// Events of which each happens before the next: a thread of the program, with all that the library
/// carries out for it on threads of its own. What one actor does happens before what another does
/// if the other was started after it, or has joined the first one, or was told so (`Publish`,
/// `Learn`): vector clocks, of which only the entries that still matter are kept.
/// Threads: `Publish` and `Learn` on the actor's own thread; the rest anywhere.
class Actor : public std::enable_shared_from_this<Actor> {
 public:
  /// The one of the calling thread.
  static Actor& Current();
  /// From now on the calling thread is `actor`; one whose beginning was seen stays what it is, and
  /// learns what `actor` knows.
  static void Become(const std::shared_ptr<Actor>& actor);
  /// `linked`: its beginning and end are seen, so it is ordered with who starts and joins it.
  /// `serves`: a thread of the library, which does now this, now that for others.
  explicit Actor(bool linked, bool serves = false);
  /// One that is not a thread of this process.
  Actor(uint64_t process, int number, std::string name);
  /// One of another process, as its messages name it: the same one as long as anybody refers to it.
  static std::shared_ptr<Actor> Elsewhere(uint64_t process, int number, const std::string& name);
  /// The same, or nullptr where nobody refers to it.
  static std::shared_ptr<Actor> Elsewhere(uint64_t process, int number);

  /// 0: this one.
  uint64_t process() const { return process_; }
  /// Of one that is not a thread of this process: "thread 2 of process 4711 on alpha".
  const std::string& name() const { return name_; }
  /// From 1 on, in the order in which they were started; 0 for one that serves.
  int number() const { return number_; }
  bool linked() const { return linked_; }
  bool serves() const { return number_ == 0; }
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  void End() { ended_.store(true, std::memory_order_release); }
  uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  /// Whether what `other` did in `epoch` happened before what this one does now, as sure as
  /// `order`.
  bool Knows(const Actor& other, uint64_t epoch, Order order) const;
  /// Whether it certainly happened before what this one did in its epoch `then`.
  bool Knew(uint64_t then, const Actor& other, uint64_t epoch) const;
  /// All that has happened before now, for somebody who learns it later.
  Knowledge Publish();
  /// kHint: all that is known is a hint for this one.
  void Learn(const Knowledge& knowledge, Order order = Order::kCertain);
  /// What it knows now, of those whose number is not 0.
  Knowledge known() const;
  /// For one of another process: what its message says of it.
  void BeAt(uint64_t epoch, Knowledge knowledge);

  /// How many records of accesses name it; after its end they get fewer only.
  void AddRecord() { records_.fetch_add(1, std::memory_order_relaxed); }
  void DropRecord() { records_.fetch_sub(1, std::memory_order_relaxed); }
  bool matters() const { return !ended() || records_.load(std::memory_order_relaxed) > 0; }

 private:
  template <typename Test>
  bool IsKnown(const Actor& other, const Test& test) const;

  const uint64_t process_ = 0;
  const int number_;
  const std::string name_;
  const bool linked_;
  std::atomic<bool> ended_{false};
  std::atomic<uint64_t> epoch_{1};
  std::atomic<int> records_{0};
  mutable std::mutex mutex_;
  Knowledge knowledge_;
};

/// By which messages to others name this process.
uint64_t ProcessNumber();

/// What threads hand over to each other: what each `Give` has told, for every later `Take`.
/// Threads: any.
class HandOver {
 public:
  void Give();
  void Take(Order order) const;

 private:
  mutable std::mutex mutex_;
  Knowledge given_;
};

/// While it lives, the calling thread acts for `actor`, which waits for it.
class ActorScope {
 public:
  explicit ActorScope(Actor& actor);
  ~ActorScope();
  ActorScope(const ActorScope&) = delete;
  ActorScope& operator=(const ActorScope&) = delete;

 private:
  Actor* outer_;
};

}  // namespace lockstep::runtime
