#include "distribute/servers/update_ledger.h"

#include "base/check.h"

namespace lockstep::distribute {

void Ledger::Add(const Commit& commit) {
  LOCKSTEP_CHECK_EQ(commit.number, committed_ + 1);
  LOCKSTEP_CHECK(!Has(commit.batch));
  ++committed_;
  ++staleness_[commit.staleness];
  beyond_.insert(commit.batch);
  while (!beyond_.empty() && *beyond_.begin() == prefix_) {
    beyond_.erase(beyond_.begin());
    ++prefix_;
  }
}

void Ledger::Encode(cluster::FieldWriter& writer) const {
  writer.Put(committed_).Put(prefix_).Put(static_cast<uint32_t>(beyond_.size()));
  for (int64_t batch : beyond_) writer.Put(batch);
  writer.Put(static_cast<uint32_t>(staleness_.size()));
  for (const auto& [staleness, count] : staleness_) writer.Put(staleness).Put(count);
}

Ledger Ledger::Decode(cluster::FieldReader& reader) {
  Ledger ledger;
  ledger.committed_ = reader.Take<uint64_t>();
  ledger.prefix_ = reader.Take<int64_t>();
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
    ledger.beyond_.insert(reader.Take<int64_t>());
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
    const auto staleness = reader.Take<int64_t>();
    ledger.staleness_[staleness] = reader.Take<int64_t>();
  }
  return ledger;
}

}  // namespace lockstep::distribute
