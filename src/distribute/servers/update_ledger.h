#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "cluster/fields.h"

namespace lockstep::distribute {

/// That an update counts, and as which one.
struct Commit {
  uint64_t number = 0;  // from 1
  int64_t batch = 0;
  int64_t staleness = 0;  // commits between what its worker had pulled and this one

  void Encode(cluster::FieldWriter& writer) const { writer.Put(number).Put(batch).Put(staleness); }
  static Commit Decode(cluster::FieldReader& reader) {
    Commit commit;
    commit.number = reader.Take<uint64_t>();
    commit.batch = reader.Take<int64_t>();
    commit.staleness = reader.Take<int64_t>();
    return commit;
  }
};

/// Which batches of a run count, each once.
class Ledger {
 public:
  uint64_t committed() const { return committed_; }
  /// All batches before this one count.
  int64_t prefix() const { return prefix_; }
  /// One more than the last batch that counts.
  int64_t end() const { return beyond_.empty() ? prefix_ : *beyond_.rbegin() + 1; }
  bool Has(int64_t batch) const { return batch < prefix_ || beyond_.contains(batch); }
  /// How many updates had which staleness.
  const std::map<int64_t, int64_t>& staleness() const { return staleness_; }

  /// The next one.
  void Add(const Commit& commit);

  void Encode(cluster::FieldWriter& writer) const;
  static Ledger Decode(cluster::FieldReader& reader);

 private:
  uint64_t committed_ = 0;
  int64_t prefix_ = 0;
  std::set<int64_t> beyond_;
  std::map<int64_t, int64_t> staleness_;
};

}  // namespace lockstep::distribute
