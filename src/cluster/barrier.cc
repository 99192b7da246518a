#include "cluster/barrier.h"

namespace lockstep::cluster {

uint64_t Barriers::Arrive(const std::string& name, Incarnation who,
                          const std::vector<Peer>& members) {
  Barrier& barrier = barriers_[name];
  const uint64_t meeting = barrier.meeting;
  barrier.arrived.insert(who);
  if (Missing(name, members).empty()) {
    ++barrier.meeting;
    barrier.arrived.clear();
  }
  return meeting;
}

bool Barriers::IsOver(const std::string& name, uint64_t meeting) const {
  const auto found = barriers_.find(name);
  return found != barriers_.end() && found->second.meeting > meeting;
}

bool Barriers::IsOver(const std::string& name, uint64_t epoch, uint64_t meeting) const {
  if (epoch == epoch_) return IsOver(name, meeting);
  const auto found = over_.find(name);
  return found != over_.end() && found->second.epoch == epoch && found->second.meetings > meeting;
}

bool Barriers::HasMet(const std::string& name) const {
  return IsOver(name, 0) || over_.contains(name);
}

void Barriers::Enter(uint64_t epoch) {
  for (const auto& [name, barrier] : barriers_) {
    if (barrier.meeting > 0) over_[name] = {epoch_, barrier.meeting};
  }
  barriers_.clear();
  epoch_ = epoch;
}

std::vector<Peer> Barriers::Missing(const std::string& name,
                                    const std::vector<Peer>& members) const {
  const auto found = barriers_.find(name);
  std::vector<Peer> missing;
  for (const Peer& peer : members) {
    if (found == barriers_.end() || !found->second.arrived.contains(peer.incarnation))
      missing.push_back(peer);
  }
  return missing;
}

void Barriers::WriteTo(FieldWriter* writer) const {
  writer->Put(static_cast<uint32_t>(barriers_.size()));
  for (const auto& [name, barrier] : barriers_) {
    writer->PutText(name).Put(barrier.meeting);
    writer->Put(static_cast<uint32_t>(barrier.arrived.size()));
    for (const Incarnation who : barrier.arrived) writer->Put(who);
  }
  writer->Put(epoch_);
  writer->Put(static_cast<uint32_t>(over_.size()));
  for (const auto& [name, over] : over_) writer->PutText(name).Put(over.epoch).Put(over.meetings);
}

Barriers Barriers::ReadFrom(FieldReader* reader) {
  Barriers barriers;
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left) {
    Barrier& barrier = barriers.barriers_[reader->TakeText()];
    barrier.meeting = reader->Take<uint64_t>();
    for (uint32_t who = reader->TakeCount(); who > 0; --who)
      barrier.arrived.insert(reader->Take<Incarnation>());
  }
  barriers.epoch_ = reader->Take<uint64_t>();
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left) {
    Over& over = barriers.over_[reader->TakeText()];
    over.epoch = reader->Take<uint64_t>();
    over.meetings = reader->Take<uint64_t>();
  }
  return barriers;
}

}  // namespace lockstep::cluster
