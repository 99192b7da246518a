#pragma once

#include <memory>
#include <vector>

#include "base/event_loop.h"

namespace lockstep::net {

/// What a heart keeps going. All calls come on the heart's thread.
class Beating {
 public:
  virtual ~Beating() = default;
  /// Before the first beat, and after the last; no End if the heart itself goes first.
  virtual void Begin() {}
  virtual void Beat() = 0;
  virtual void End() {}
};

/// A thread that does nothing but tell others that this process runs, and see whether they do:
/// whatever the other threads compute.
class Heart {
 public:
  explicit Heart(base::Duration interval) : interval_(interval) {}

  base::Duration interval() const { return interval_; }

  /// From any thread; what is added is held until it was removed and has ended.
  void Add(std::shared_ptr<Beating> beating);
  void Remove(std::shared_ptr<Beating> beating);

 private:
  void Beat();

  const base::Duration interval_;
  std::vector<std::shared_ptr<Beating>> beatings_;
  bool beats_ = false;
  base::EventThread thread_;  // last: it ends before what it uses
};

}  // namespace lockstep::net
