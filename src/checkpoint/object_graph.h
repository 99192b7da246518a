#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The graph of objects of a checkpoint. Source: trackable_object_graph.proto.

namespace lockstep::checkpoint {

inline constexpr char kObjectGraphName[] = "_CHECKPOINTABLE_OBJECT_GRAPH";
inline constexpr char kVariableValue[] = "VARIABLE_VALUE";

struct GraphNode {
  struct Child {
    int node = 0;
    std::string name;
  };
  /// A value of the object, under `key` in the bundle.
  struct Value {
    std::string name, full_name, key;
  };
  /// A slot that an optimizer of Keras 2 keeps for a variable.
  struct SlotVariable {
    int variable = 0;
    std::string slot;
    int node = 0;
  };
  std::vector<Child> children;
  std::vector<Value> values;
  std::vector<SlotVariable> slots;
  bool has_values = false;  // here or in a part

  const Value* Find(std::string_view name) const;
};
using ObjectGraph = std::vector<GraphNode>;

std::string EncodeObjectGraph(const ObjectGraph& graph);
/// Nothing for bytes that are none, or name nodes that are not there.
std::optional<ObjectGraph> DecodeObjectGraph(std::string_view bytes);

/// A local name in a path: "." becomes "..", "/" ".S".
std::string EscapeName(const std::string& name);

}  // namespace lockstep::checkpoint
