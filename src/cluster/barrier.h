#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/membership.h"

namespace lockstep::cluster {

/// Places where all members of an epoch meet, by name. A name can be used again and again; a new
/// epoch clears everything.
class Barriers {
 public:
  /// Notes that a member has arrived. Returns the meeting that it takes part in; once all `members`
  /// have arrived, that meeting is over and the next one of this name has begun.
  uint64_t Arrive(const std::string& name, Incarnation who, const std::vector<Peer>& members);
  bool IsOver(const std::string& name, uint64_t meeting) const;
  /// The members that the present meeting of `name` waits for.
  std::vector<Peer> Missing(const std::string& name, const std::vector<Peer>& members) const;
  void Clear() { barriers_.clear(); }
  bool operator==(const Barriers&) const = default;

  void WriteTo(FieldWriter* writer) const;
  static Barriers ReadFrom(FieldReader* reader);

 private:
  struct Barrier {
    uint64_t meeting = 0;
    std::set<Incarnation> arrived;
    bool operator==(const Barrier&) const = default;
  };
  std::map<std::string, Barrier> barriers_;
};

}  // namespace lockstep::cluster
