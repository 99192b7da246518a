#include "data/example_lists.h"

#include <cstring>

namespace lockstep::data {

using base::WireReader;
using base::WireType;

bool FindFeatureList(std::string_view feature, FeatureList& list) {
  WireReader reader(feature);
  while (reader.Next()) {
    if (reader.type() != WireType::kBytes || reader.field() > 3) continue;
    list = {static_cast<FeatureList::Kind>(reader.field()), reader.bytes()};
  }
  return !reader.broken();
}

bool ReadStrings(std::string_view list, std::vector<std::string>& values) {
  WireReader reader(list);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) values.emplace_back(reader.bytes());
  }
  return !reader.broken();
}

bool ReadFloats(std::string_view list, std::vector<float>& values) {
  WireReader reader(list);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kFixed32)) values.push_back(reader.float32());
    if (!reader.Is(1, WireType::kBytes)) continue;
    const std::string_view packed = reader.bytes();
    if (packed.size() % sizeof(float) != 0) return false;
    const size_t had = values.size();
    values.resize(had + packed.size() / sizeof(float));
    if (!packed.empty()) std::memcpy(values.data() + had, packed.data(), packed.size());
  }
  return !reader.broken();
}

bool ReadIntegers(std::string_view list, std::vector<int64_t>& values) {
  WireReader reader(list);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kVarint)) values.push_back(reader.integer());
    if (!reader.Is(1, WireType::kBytes)) continue;
    std::string_view packed = reader.bytes();
    while (!packed.empty()) {
      uint64_t value = 0;
      if (!base::TakeVarint(packed, value)) return false;
      values.push_back(static_cast<int64_t>(value));
    }
  }
  return !reader.broken();
}

}  // namespace lockstep::data
