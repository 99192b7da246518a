#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep::graph_def {
class GraphDef;
class NodeDef;
class FunctionDef;
}  // namespace lockstep::graph_def

namespace lockstep::graph {

/// A graph in TensorFlow's form, as it was read, and the lines of the text where its nodes begin.
struct ReadGraph {
  std::shared_ptr<graph_def::GraphDef> graph;
  std::string where;  // the file's name
  // 1-based; 0 where there is no text. The second: by function of the library, then by node.
  std::vector<int> node_lines;
  std::vector<std::vector<int>> function_node_lines;
};

/// Files larger than this are refused, as are messages nested deeper than 100.
inline constexpr size_t kMaxGraphDefBytes = size_t{64} << 20;

/// Reads a GraphDef as text; `where` names it in errors. Errors: InvalidArgument with line and
/// column for anything that is no GraphDef or names a field that it has not; ResourceExhausted
/// past the limit.
Result<ReadGraph> ReadGraphDefText(std::string_view text, const std::string& where);
/// The same for the binary form, without lines. Unknown fields are kept, as protobuf does.
Result<ReadGraph> ReadGraphDefBinary(std::string_view bytes, const std::string& where);
/// Either, told apart by their first bytes.
Result<ReadGraph> ReadGraphDef(std::string_view bytes, const std::string& where);
/// NotFound where there is no such file.
Result<ReadGraph> ReadGraphDefFile(const std::string& path);

/// The two forms; equal graphs give equal bytes.
std::string GraphDefText(const graph_def::GraphDef& graph);
std::string GraphDefBinary(const graph_def::GraphDef& graph);

/// What an input of a node names: "node", "node:1", "node:output:1" (in functions) or "^node".
struct InputName {
  std::string_view node;
  std::string_view output;  // its name, in functions
  int index = 0;
  bool control = false;
};
/// InvalidArgument for an index that is no number.
Result<InputName> ParseInputName(std::string_view input);

}  // namespace lockstep::graph
