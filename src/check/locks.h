#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "check/accesses.h"
#include "check/order.h"
#include "check/values.h"

namespace lockstep::check {

/// A MutexLock and the ConsumeMutexLock that ends it, with what is read and written between them.
struct Section {
  int mutex, lock, consumer;
  std::set<int> read, written;  // objects
  /// Whether a variable goes through the section whole, so that of two of them one comes before the
  /// other. Less than that lets something in between.
  bool Updates(int object) const { return read.contains(object) && written.contains(object); }
};

/// The sections of a graph, and those that each access is in.
class Locks {
 public:
  Locks(const FlatGraph& flat, const Values& values, const Order& order,
        const std::vector<Access>& accesses);

  /// Two sections of one mutex with access `a` in the first and `b` in the second, which may be the
  /// same; null where there are none.
  std::pair<const Section*, const Section*> Between(int a, int b) const;
  /// A section that an access is in; null where there is none.
  const Section* Around(int access) const;

 private:
  std::vector<Section> sections_;
  std::map<int, std::vector<int>> around_;  // by access
};

}  // namespace lockstep::check
