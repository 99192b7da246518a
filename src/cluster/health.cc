#include "cluster/health.h"

#include <algorithm>
#include <set>

#include "base/printf.h"
#include "base/probe.h"

namespace lockstep::cluster {
namespace {

std::string Tenths(base::Duration duration) {
  return base::Printf("%.1f s", static_cast<double>(duration.count()) * 1e-9);
}

}  // namespace

const char* ConditionName(Condition condition) {
  switch (condition) {
    case Condition::kWell:
      return "well";
    case Condition::kSlow:
      return "slow";
    case Condition::kStuck:
      return "stuck";
    case Condition::kSilent:
      return "silent";
  }
  return "unknown";
}

std::string TaskHealth::ToString() const {
  std::string text = peer.ToString() + ": " + ConditionName(condition);
  if (condition == Condition::kSilent) text += " for " + Tenths(silent);
  if (condition == Condition::kStuck || condition == Condition::kSlow)
    text += " for " + Tenths(still);
  text += " at step " + std::to_string(progress.step) + ", op " + std::to_string(progress.op);
  return text + (progress.activity.empty() ? "" : " (" + progress.activity + ")");
}

void HealthTable::Begin(const std::vector<Peer>& peers, base::Time now) {
  pulses_.clear();
  absent_.reset();
  Watch(peers, now);
}

void HealthTable::Watch(const std::vector<Peer>& peers, base::Time now) {
  std::set<Incarnation> watched;
  for (const Peer& peer : peers) {
    watched.insert(peer.incarnation);
    pulses_.try_emplace(peer.incarnation, Pulse{now, now, std::nullopt, {}});
  }
  std::erase_if(pulses_, [&](const auto& entry) { return !watched.contains(entry.first); });
}

void HealthTable::Answered(const Peer& peer, const Progress& progress, base::Time now) {
  const auto found = pulses_.find(peer.incarnation);
  if (found == pulses_.end()) return;
  Pulse& pulse = found->second;
  ++pulse.answers;
  pulse.longest_gap = std::max(now - pulse.heard, pulse.longest_gap - pulse.longest_gap / 200);
  pulse.heard = now;
  pulse.refused.reset();
  if (progress.op != pulse.progress.op || progress.step != pulse.progress.step) pulse.moved = now;
  pulse.progress = progress;
}

void HealthTable::Refused(const Peer& peer, base::Time now) {
  const auto found = pulses_.find(peer.incarnation);
  if (found != pulses_.end() && !found->second.refused) found->second.refused = now;
}

void HealthTable::Looks(Incarnation self, base::Time now, base::Duration patience) {
  const auto found = pulses_.find(self);
  if (found == pulses_.end()) return;
  const base::Duration absence = now - found->second.heard;
  if (absence < patience / 4) return;
  LOCKSTEP_PROBE("a leader was away itself");
  const bool was_regular = !absent_ || found->second.heard - *absent_ >= patience;
  absent_ = now;
  for (auto& [who, pulse] : pulses_) {
    if (was_regular) pulse.heard += std::min(absence, now - pulse.heard);
    if (was_regular && pulse.refused) *pulse.refused += std::min(absence, now - *pulse.refused);
  }
  found->second.longest_gap = std::max(found->second.longest_gap, absence);
  found->second.heard = now;
}

base::Duration HealthTable::Silence(Incarnation who, base::Time now) const {
  const auto found = pulses_.find(who);
  return found == pulses_.end() ? base::Duration(0) : now - found->second.heard;
}

base::Duration HealthTable::Patience(Incarnation who, Incarnation self, base::Duration least,
                                     base::Duration most) const {
  constexpr int64_t kFew = 20;
  base::Duration gap{};
  for (const Incarnation each : {who, self}) {
    const auto found = pulses_.find(each);
    if (found == pulses_.end() || found->second.answers < kFew) return most;
    gap = std::max(gap, found->second.longest_gap);
  }
  return std::clamp(10 * gap, std::min(least, most), most);
}

std::optional<base::Duration> HealthTable::Refusal(Incarnation who, base::Time now) const {
  const auto found = pulses_.find(who);
  if (found == pulses_.end() || !found->second.refused) return std::nullopt;
  return now - *found->second.refused;
}

std::vector<TaskHealth> HealthTable::Read(const std::vector<Peer>& peers, base::Time now,
                                          base::Duration stuck) const {
  base::Time last_move{};
  for (const auto& [who, pulse] : pulses_) last_move = std::max(last_move, pulse.moved);
  std::vector<TaskHealth> read;
  for (const Peer& peer : peers) {
    TaskHealth health;
    health.peer = peer;
    const auto found = pulses_.find(peer.incarnation);
    if (found != pulses_.end()) {
      const Pulse& pulse = found->second;
      health.progress = pulse.progress;
      health.silent = now - pulse.heard;
      health.still = now - pulse.moved;
      // Where all stand still, nobody is stuck alone: they wait for each other, or do nothing.
      const base::Duration behind = last_move - pulse.moved;
      if (health.silent > stuck / 5) {
        health.condition = Condition::kSilent;
      } else if (behind > stuck) {
        health.condition = Condition::kStuck;
      } else if (behind > stuck / 5) {
        health.condition = Condition::kSlow;
      }
    }
    read.push_back(std::move(health));
  }
  return read;
}

void Write(const Progress& progress, FieldWriter* writer) {
  writer->Put(progress.step).Put(progress.op).PutText(progress.activity);
}

Progress ReadProgress(FieldReader* reader) {
  Progress progress;
  progress.step = reader->Take<uint64_t>();
  progress.op = reader->Take<uint64_t>();
  progress.activity = reader->TakeText();
  return progress;
}

void Write(const TaskHealth& health, FieldWriter* writer) {
  Write(health.peer, writer);
  writer->Put(static_cast<uint8_t>(health.condition));
  Write(health.progress, writer);
  writer->Put(static_cast<int64_t>(health.silent.count()));
  writer->Put(static_cast<int64_t>(health.still.count()));
}

TaskHealth ReadTaskHealth(FieldReader* reader) {
  TaskHealth health;
  health.peer = ReadPeer(reader);
  health.condition = static_cast<Condition>(reader->Take<uint8_t>() & 3);
  health.progress = ReadProgress(reader);
  health.silent = base::Duration(reader->Take<int64_t>());
  health.still = base::Duration(reader->Take<int64_t>());
  return health;
}

}  // namespace lockstep::cluster
