#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/wire.h"

/// The lists inside of a serialized Example, read where they lie.

namespace lockstep::data {

/// The list of a feature: which of the three, and its message; the last one of several.
struct FeatureList {
  enum Kind { kNone = 0, kBytes = 1, kFloats = 2, kIntegers = 3 };
  Kind kind = kNone;
  std::string_view bytes;
};
/// False where `feature` is no message.
bool FindFeatureList(std::string_view feature, FeatureList& list);

// The values of a list; false where it is none.
bool ReadStrings(std::string_view list, std::vector<std::string>& values);
bool ReadFloats(std::string_view list, std::vector<float>& values);
bool ReadIntegers(std::string_view list, std::vector<int64_t>& values);

/// Calls `visit(name, value)` for each entry of a map (field 1 of `bytes`) until it gives false;
/// false then, and where `bytes` is no message.
template <typename Visit>
bool ForEachEntry(std::string_view bytes, const Visit& visit) {
  base::WireReader map(bytes);
  while (map.Next()) {
    if (!map.Is(1, base::WireType::kBytes)) continue;
    std::string_view name, value;
    base::WireReader entry(map.bytes());
    while (entry.Next()) {
      if (entry.Is(1, base::WireType::kBytes)) name = entry.bytes();
      if (entry.Is(2, base::WireType::kBytes)) value = entry.bytes();
    }
    if (entry.broken() || !visit(name, value)) return false;
  }
  return !map.broken();
}

}  // namespace lockstep::data
