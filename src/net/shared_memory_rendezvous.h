#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/shared_memory_hub.h"

namespace lockstep::net {

/// Where the ranks of a host find each other: each listens under a name, the higher rank of a pair
/// calls the lower one, and they exchange their control segments. Only processes of the same user,
/// job and membership get one.
class SharedMemoryRendezvous {
 public:
  static Result<std::unique_ptr<SharedMemoryRendezvous>> Open(base::EventLoop& loop, uint64_t job);
  ~SharedMemoryRendezvous();

  /// Under which peers reach this one.
  const std::string& name() const { return name_; }

  struct Met {
    FileDescriptor socket;
    FileDescriptor control;
  };
  using OnMet = std::function<void(int peer, Result<Met> met)>;
  /// Meets the peers that have a name in `names`, by rank; `on_met` hears of each once, of those
  /// that did not come within `limit`, or have gone before they came, with Unavailable. Until
  /// `Leave`, one membership at a time.
  void Join(const Place& place, const Segment& control, std::vector<std::string> names,
            base::Duration limit, OnMet on_met);
  /// Ends the membership. Peers that were not met yet find the control segment, and what it says of
  /// the leave, all the same.
  void Leave();

 private:
  struct Hello;
  // A connection that someone opened to us and that we do not trust yet.
  struct Caller {
    FileDescriptor socket;
    FileDescriptor control;
    uint64_t membership = 0;
    int rank = -1;  // once it has said hello
    base::Timer deadline;
  };
  // Our way to a peer of a lower rank.
  struct Call {
    FileDescriptor socket;
    std::string fault = "no answer";
    std::optional<base::Time> refused_since;  // nobody listens under its name
    base::Timer retry;
  };
  using Callers = std::list<Caller>;

  SharedMemoryRendezvous(base::EventLoop& loop, uint64_t job, std::string name,
                         FileDescriptor listener);
  void Accept();
  void Drop(Callers::iterator caller);
  void Hear(Callers::iterator caller);
  void Consider(Callers::iterator caller);
  bool IsOver(uint64_t membership) const;
  int SayHello(int peer, FileDescriptor* socket) const;
  void TryCall(int peer);
  void HearAnswer(int peer);
  void EndCall(int peer, const std::string& fault, bool again);
  void Meet(int peer, Result<Met> met);
  void Expire();
  Hello OwnHello() const;
  Status Unreached(int peer) const;
  Status HasLeft(int peer) const;

  base::EventLoop& loop_;
  const uint64_t job_;
  const std::string name_;
  const FileDescriptor listener_;
  Callers callers_;

  bool joined_ = false;
  std::optional<uint64_t> left_;  // the newest membership that is over
  Place place_;
  const Segment* control_ = nullptr;
  std::vector<std::string> names_;
  std::vector<bool> met_;
  std::vector<std::unique_ptr<Call>> calls_;
  base::Duration limit_{};
  base::Timer deadline_;
  OnMet on_met_;
};

}  // namespace lockstep::net
