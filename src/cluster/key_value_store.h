#pragma once

#include <map>
#include <optional>
#include <string>

#include "cluster/fields.h"
#include "lockstep/base/status.h"

namespace lockstep::cluster {

/// How long a value lives: as long as the job, or until the next epoch of the membership.
enum class Scope : uint8_t { kJob = 0, kEpoch = 1 };

/// Texts by key, as every coordinator keeps them: what a store holds follows from the commands it
/// was given. Values are small (addresses, settings, votes), not tensors.
class KeyValueStore {
 public:
  static constexpr size_t kLongestKey = 1024;
  static constexpr size_t kLongestValue = size_t{64} << 10;
  static constexpr size_t kMostBytes = size_t{4} << 20;

  /// ResourceExhausted: the key, the value or the whole store would be too long.
  Status Set(const std::string& key, const std::string& value);
  void Delete(const std::string& key);
  /// Sets `key` if it holds `expected` (nothing: if it is absent); says whether it did.
  Result<bool> CompareAndSet(const std::string& key, const std::optional<std::string>& expected,
                             const std::string& value);
  /// Null if it is absent.
  const std::string* Get(const std::string& key) const;
  void Clear() { *this = {}; }
  size_t bytes() const { return bytes_; }
  bool operator==(const KeyValueStore&) const = default;

  void WriteTo(FieldWriter* writer) const;
  static KeyValueStore ReadFrom(FieldReader* reader);

 private:
  std::map<std::string, std::string> values_;
  size_t bytes_ = 0;
};

}  // namespace lockstep::cluster
