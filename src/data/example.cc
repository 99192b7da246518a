#include "lockstep/data/example.h"

#include <cstring>

#include "base/wire.h"
#include "data/example_lists.h"

namespace lockstep {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

WireWriter FeatureProto(const Feature& feature) {
  WireWriter list, proto;
  if (const auto* strings = std::get_if<std::vector<std::string>>(&feature)) {
    for (const std::string& value : *strings) list.Bytes(1, value);
    proto.Message(1, list);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&feature)) {
    if (!floats->empty())
      list.Bytes(1,
                 {reinterpret_cast<const char*>(floats->data()), floats->size() * sizeof(float)});
    proto.Message(2, list);
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&feature)) {
    std::string packed;
    for (const int64_t value : *integers) base::AppendVarint(static_cast<uint64_t>(value), packed);
    if (!packed.empty()) list.Bytes(1, packed);
    proto.Message(3, list);
  }
  return proto;
}

WireWriter FeaturesProto(const Features& features) {
  WireWriter proto;
  for (const auto& [name, feature] : features)
    proto.Message(1, WireWriter().Bytes(1, name).Message(2, FeatureProto(feature)));
  return proto;
}

Status Broken(const char* what) {
  return Status(Code::kInvalidArgument, std::string("[example] the bytes must be a serialized ") +
                                            what + "; got others; look at what writes them");
}

bool ReadFeature(std::string_view bytes, Feature& feature) {
  data::FeatureList list;
  if (!data::FindFeatureList(bytes, list)) return false;
  switch (list.kind) {
    case data::FeatureList::kBytes: {
      std::vector<std::string> values;
      if (!data::ReadStrings(list.bytes, values)) return false;
      feature = std::move(values);
      return true;
    }
    case data::FeatureList::kFloats: {
      std::vector<float> values;
      if (!data::ReadFloats(list.bytes, values)) return false;
      feature = std::move(values);
      return true;
    }
    case data::FeatureList::kIntegers: {
      std::vector<int64_t> values;
      if (!data::ReadIntegers(list.bytes, values)) return false;
      feature = std::move(values);
      return true;
    }
    default:
      feature = std::monostate();
      return true;
  }
}

bool ReadFeatures(std::string_view bytes, Features& features) {
  return data::ForEachEntry(bytes, [&](std::string_view name, std::string_view value) {
    return ReadFeature(value, features[std::string(name)]);
  });
}

bool ReadFeatureLists(std::string_view bytes, std::map<std::string, std::vector<Feature>>& lists) {
  return data::ForEachEntry(bytes, [&](std::string_view name, std::string_view value) {
    std::vector<Feature>& list = lists[std::string(name)];
    list.clear();
    WireReader reader(value);
    while (reader.Next()) {
      if (!reader.Is(1, WireType::kBytes)) continue;
      if (!ReadFeature(reader.bytes(), list.emplace_back())) return false;
    }
    return !reader.broken();
  });
}

}  // namespace

std::string SerializeExample(const Features& features) {
  return WireWriter().Message(1, FeaturesProto(features)).bytes();
}

std::string SerializeSequenceExample(const SequenceExample& example) {
  WireWriter lists;
  for (const auto& [name, list] : example.feature_lists) {
    WireWriter proto;
    for (const Feature& feature : list) proto.Message(1, FeatureProto(feature));
    lists.Message(1, WireWriter().Bytes(1, name).Message(2, proto));
  }
  return WireWriter().Message(1, FeaturesProto(example.context)).Message(2, lists).bytes();
}

Result<Features> DeserializeExample(std::string_view bytes) {
  Features features;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes) && !ReadFeatures(reader.bytes(), features))
      return Broken("Example");
  }
  if (reader.broken()) return Broken("Example");
  return features;
}

Result<SequenceExample> DeserializeSequenceExample(std::string_view bytes) {
  SequenceExample example;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes) && !ReadFeatures(reader.bytes(), example.context))
      return Broken("SequenceExample");
    if (reader.Is(2, WireType::kBytes) && !ReadFeatureLists(reader.bytes(), example.feature_lists))
      return Broken("SequenceExample");
  }
  if (reader.broken()) return Broken("SequenceExample");
  return example;
}

}  // namespace lockstep
