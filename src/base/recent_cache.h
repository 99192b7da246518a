#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <list>
#include <unordered_map>
#include <utility>

namespace lockstep::base {

/// A map of limited size: what was not used for the longest time is removed first. Values are
/// copied out, so a `shared_ptr` that a user has stays valid after its entry was removed.
/// Threads: `Find` from several at a time, without an `Insert` meanwhile (a shared mutex).
template <typename Key, typename Value, typename Hash>
class RecentCache {
 public:
  struct Limits {
    size_t entries;
    size_t bytes = std::numeric_limits<size_t>::max();  // of all entries, as `Insert` is given them
  };
  explicit RecentCache(Limits limits) : limits_(limits) {}

  /// A copy of the value; a default one if there is none.
  Value Find(const Key& key) const {
    const auto [begin, end] = places_.equal_range(Hash()(key));
    for (auto place = begin; place != end; ++place) {
      const Entry& entry = *place->second;
      if (!(entry.key == key)) continue;
      entry.used.store(clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
      return entry.value;
    }
    return Value();
  }

  /// For a key that is not there. Removes others until the limits hold; one entry always stays.
  void Insert(Key key, Value value, size_t bytes = 0) {
    const uint64_t hash = Hash()(key);
    entries_.emplace_front(std::move(key), std::move(value), bytes, hash,
                           clock_.fetch_add(1, std::memory_order_relaxed));
    places_.emplace(hash, entries_.begin());
    bytes_ += bytes;
    while (entries_.size() > 1 && (entries_.size() > limits_.entries || bytes_ > limits_.bytes))
      RemoveOldest();
  }

  void Clear() {
    places_.clear();
    entries_.clear();
    bytes_ = 0;
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Entry(Key key, Value value, size_t bytes, uint64_t hash, uint64_t used)
        : key(std::move(key)), value(std::move(value)), bytes(bytes), hash(hash), used(used) {}
    Key key;
    Value value;
    size_t bytes;
    uint64_t hash;
    mutable std::atomic<uint64_t> used;
  };
  using Place = typename std::list<Entry>::iterator;

  // An insertion costs far more than this search, because it compiles something.
  void RemoveOldest() {
    Place oldest = entries_.begin();
    for (Place place = entries_.begin(); place != entries_.end(); ++place)
      if (place->used.load(std::memory_order_relaxed) <
          oldest->used.load(std::memory_order_relaxed))
        oldest = place;
    auto [known, end] = places_.equal_range(oldest->hash);
    while (known->second != oldest) ++known;
    bytes_ -= oldest->bytes;
    places_.erase(known);
    entries_.erase(oldest);
  }

  const Limits limits_;
  std::list<Entry> entries_;
  std::unordered_multimap<uint64_t, Place> places_;  // by hash of the key
  size_t bytes_ = 0;
  mutable std::atomic<uint64_t> clock_{0};  // counts uses
};

}  // namespace lockstep::base
