#include "distribute/workers/crowded_hosts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/cores.h"
#include "cluster/fields.h"
#include "distribute/workers/communicator.h"

namespace lockstep::distribute {

namespace {

// The lowest rank of each rank's host. Ranks are of one host if one of them shares memory with the
// other.
std::vector<int> HostsOf(const std::vector<HostPlace>& places) {
  const auto count = static_cast<int>(places.size());
  std::vector<int> hosts;
  for (int rank = 0; rank < count; ++rank) hosts.push_back(rank);
  for (int rank = 0; rank < count; ++rank) {
    for (const int peer : places[rank].beside) {
      if (peer < 0 || peer >= count) continue;
      const int low = std::min(hosts[rank], hosts[peer]), high = std::max(hosts[rank], hosts[peer]);
      std::replace(hosts.begin(), hosts.end(), high, low);
    }
  }
  return hosts;
}

void PutAll(cluster::FieldWriter& writer, const std::vector<int>& numbers) {
  writer.Put(static_cast<uint32_t>(numbers.size()));
  for (const int number : numbers) writer.Put(static_cast<int32_t>(number));
}

std::vector<int> TakeAll(cluster::FieldReader& reader) {
  std::vector<int> numbers;
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
    numbers.push_back(reader.Take<int32_t>());
  return numbers;
}

// Gives each rank that asks a core of its own, as long as there is one: who has a core moves to
// another of its cores, where that makes one free.
class CoresOfRanks {
 public:
  CoresOfRanks(const std::vector<HostPlace>& places, const std::vector<int>& hosts)
      : places_(places), hosts_(hosts) {}

  bool Give(int rank) {
    tried_.clear();
    return TryGive(rank);
  }

 private:
  using Core = std::pair<int, int>;  // of a host

  bool TryGive(int rank) {
    for (const int number : places_[rank].cores) {
      const Core core{hosts_[rank], number};
      if (!tried_.insert(core).second) continue;
      const auto owner = owners_.find(core);
      if (owner != owners_.end() && !TryGive(owner->second)) continue;
      owners_[core] = rank;
      return true;
    }
    return false;
  }

  const std::vector<HostPlace>& places_;
  const std::vector<int>& hosts_;
  std::map<Core, int> owners_;
  std::set<Core> tried_;  // for the rank that asks now
};

}  // namespace

Roles LetRest(const Roles& roles, const std::vector<HostPlace>& places) {
  if (!roles.servers().empty()) return roles;
  const std::vector<int> hosts = HostsOf(places);
  CoresOfRanks cores(places, hosts);
  std::vector<bool> rests(roles.num_ranks(), false);
  for (const int rank : roles.workers()) rests[rank] = !cores.Give(rank);
  return roles.WithResting(std::move(rests));
}

HostPlace HostPlaceOf(Communicator& ranks) {
  HostPlace place{.cores = base::CoreNumbers()};
  const std::vector<net::Traffic> traffic = ranks.transport().traffic();
  for (size_t peer = 0; peer < traffic.size(); ++peer)
    if (traffic[peer].road == "shared_memory") place.beside.push_back(static_cast<int>(peer));
  return place;
}

std::vector<HostPlace> GatherHostPlaces(Communicator& ranks) {
  const HostPlace own = HostPlaceOf(ranks);
  cluster::FieldWriter writer;
  PutAll(writer, own.cores);
  PutAll(writer, own.beside);
  std::vector<HostPlace> places;
  for (const std::string& text : ranks.AllGather(writer.Take())) {
    cluster::FieldReader reader(text);
    HostPlace& place = places.emplace_back();
    place.cores = TakeAll(reader);
    place.beside = TakeAll(reader);
  }
  return places;
}

}  // namespace lockstep::distribute
