#include "checkpoint/object_graph.h"

#include "base/wire.h"

namespace lockstep::checkpoint {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

WireWriter NodeProto(const GraphNode& node) {
  WireWriter proto;
  for (const auto& child : node.children)
    proto.Message(1, WireWriter().Signed(1, child.node).Bytes(2, child.name));
  for (const auto& value : node.values)
    proto.Message(2,
                  WireWriter().Bytes(1, value.name).Bytes(2, value.full_name).Bytes(3, value.key));
  for (const auto& slot : node.slots)
    proto.Message(3,
                  WireWriter().Signed(1, slot.variable).Bytes(2, slot.slot).Signed(3, slot.node));
  WireWriter has_values;
  if (node.has_values) has_values.Varint(1, 1);
  return std::move(proto.Message(5, has_values));
}

// The fields of a small message: numbers and texts by field.
struct Fields {
  int64_t numbers[4] = {};
  std::string texts[4];
};

bool ReadFields(std::string_view bytes, Fields& fields) {
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() > 3) continue;
    if (reader.type() == WireType::kVarint) fields.numbers[reader.field()] = reader.integer();
    if (reader.type() == WireType::kBytes) fields.texts[reader.field()] = reader.bytes();
  }
  return !reader.broken();
}

bool ReadNode(std::string_view bytes, GraphNode& node) {
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.type() != WireType::kBytes) continue;
    Fields fields;
    if (reader.field() > 5 || reader.field() == 4) continue;  // savers of their own
    if (!ReadFields(reader.bytes(), fields)) return false;
    const auto& [none, first, second, third] = fields.numbers;
    switch (reader.field()) {
      case 1:
        node.children.push_back({static_cast<int>(first), fields.texts[2]});
        break;
      case 2:
        node.values.push_back({fields.texts[1], fields.texts[2], fields.texts[3]});
        break;
      case 3:
        node.slots.push_back({static_cast<int>(first), fields.texts[2], static_cast<int>(third)});
        break;
      default:
        node.has_values = first != 0;
    }
  }
  return !reader.broken();
}

bool Valid(const ObjectGraph& graph) {
  const auto known = [&](int node) { return node >= 0 && node < static_cast<int>(graph.size()); };
  for (const GraphNode& node : graph) {
    for (const auto& child : node.children) {
      if (!known(child.node)) return false;
    }
    for (const auto& slot : node.slots) {
      if (!known(slot.variable) || !known(slot.node)) return false;
    }
  }
  return !graph.empty();
}

}  // namespace

const GraphNode::Value* GraphNode::Find(std::string_view name) const {
  for (const Value& value : values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

std::string EncodeObjectGraph(const ObjectGraph& graph) {
  WireWriter proto;
  for (const GraphNode& node : graph) proto.Message(1, NodeProto(node));
  return std::move(proto).bytes();
}

std::optional<ObjectGraph> DecodeObjectGraph(std::string_view bytes) {
  ObjectGraph graph;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (!reader.Is(1, WireType::kBytes)) continue;
    if (!ReadNode(reader.bytes(), graph.emplace_back())) return std::nullopt;
  }
  if (reader.broken() || !Valid(graph)) return std::nullopt;
  return graph;
}

std::string EscapeName(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '.') {
      escaped += "..";
    } else if (c == '/') {
      escaped += ".S";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace lockstep::checkpoint
