#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/membership.h"

namespace lockstep::cluster {

/// Places where all members of an epoch meet, by name. A name can be used again and again; a new
/// epoch clears everything but what was over: who is slow to ask hears of it though the quick ones
/// have gone, and another epoch has begun without them.
class Barriers {
 public:
  /// Notes that a member has arrived. Returns the meeting that it takes part in; once all `members`
  /// have arrived, that meeting is over and the next one of this name has begun.
  uint64_t Arrive(const std::string& name, Incarnation who, const std::vector<Peer>& members);
  bool IsOver(const std::string& name, uint64_t meeting) const;
  /// The members that the present meeting of `name` waits for.
  std::vector<Peer> Missing(const std::string& name, const std::vector<Peer>& members) const;
  /// Whether a meeting of `name` in an epoch, the present one or an earlier one, is over.
  bool IsOver(const std::string& name, uint64_t epoch, uint64_t meeting) const;
  /// Whether any meeting of `name` is.
  bool HasMet(const std::string& name) const;
  /// Epoch `epoch` is the present one from now on.
  void Enter(uint64_t epoch);
  bool operator==(const Barriers&) const = default;

  void WriteTo(FieldWriter* writer) const;
  static Barriers ReadFrom(FieldReader* reader);

 private:
  struct Barrier {
    uint64_t meeting = 0;
    std::set<Incarnation> arrived;
    bool operator==(const Barrier&) const = default;
  };
  // How many meetings of a name were over when the last epoch ended in which there were some.
  struct Over {
    uint64_t epoch = 0;
    uint64_t meetings = 0;
    bool operator==(const Over&) const = default;
  };
  uint64_t epoch_ = 0;
  std::map<std::string, Barrier> barriers_;
  std::map<std::string, Over> over_;
};

}  // namespace lockstep::cluster
