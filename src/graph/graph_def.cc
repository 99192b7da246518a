#include "graph/graph_def.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "graph/graph_def.pb.h"

namespace lockstep::graph {

namespace {

namespace protobuf = google::protobuf;
using graph_def::GraphDef;

constexpr int kMaxDepth = 100;

// Keeps the first error of a text.
class FirstError : public protobuf::io::ErrorCollector {
 public:
  void AddError(int line, protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line + 1;
    column_ = column + 1;
    message_ = message.empty() ? "a mistake" : message;
  }
  Status At(const std::string& where) const {
    const bool deep = message_.find("too deep") != std::string::npos;
    return Status(Code::kInvalidArgument, "[graph_def] the text must be a GraphDef" +
                                              std::string(deep ? " of at most 100 levels" : "") +
                                              "; got: " + message_ + " (" + where + ":" +
                                              std::to_string(line_) + ":" +
                                              std::to_string(column_) + ")");
  }

 private:
  int line_ = 1, column_ = 1;
  std::string message_;
};

Status CheckSize(size_t bytes, const std::string& where) {
  if (bytes <= kMaxGraphDefBytes) return Status::Ok();
  return Status(Code::kResourceExhausted, "[graph_def] a graph may have at most " +
                                              std::to_string(kMaxGraphDefBytes) + " bytes; got " +
                                              std::to_string(bytes) + " (" + where + ")");
}

using Tree = protobuf::TextFormat::ParseInfoTree;

// The lines on which the elements of a repeated message begin.
std::vector<int> LinesOf(const Tree& tree, const protobuf::FieldDescriptor* field, int count) {
  std::vector<int> lines;
  for (int i = 0; i < count; ++i) lines.push_back(tree.GetLocation(field, i).line + 1);
  return lines;
}

void KeepLines(const Tree& tree, ReadGraph* read) {
  const auto* graph = GraphDef::descriptor();
  const auto* node = graph->FindFieldByNumber(GraphDef::kNodeFieldNumber);
  read->node_lines = LinesOf(tree, node, read->graph->node_size());
  const auto& library = read->graph->library();
  read->function_node_lines.resize(library.function_size());
  const Tree* inside =
      tree.GetTreeForNested(graph->FindFieldByNumber(GraphDef::kLibraryFieldNumber), -1);
  if (inside == nullptr) return;
  const auto* function = graph_def::FunctionDefLibrary::descriptor()->FindFieldByNumber(
      graph_def::FunctionDefLibrary::kFunctionFieldNumber);
  const auto* body = graph_def::FunctionDef::descriptor()->FindFieldByNumber(
      graph_def::FunctionDef::kNodeDefFieldNumber);
  for (int i = 0; i < library.function_size(); ++i) {
    const Tree* one = inside->GetTreeForNested(function, i);
    if (one == nullptr) continue;
    read->function_node_lines[i] = LinesOf(*one, body, library.function(i).node_def_size());
  }
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) return false;
    if (i + more >= text.size()) return false;
    uint32_t code = more == 0 ? first : first & (0x3f >> more);
    for (int k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3f);
    }
    const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

// The first field of text that holds other bytes, which the binary form refuses; nullptr: none.
const protobuf::FieldDescriptor* NoText(const protobuf::Message& message) {
  const protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        const auto& inside = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                  : reflection.GetMessage(message, field);
        if (const auto* bad = NoText(inside)) return bad;
      } else if (field->type() == protobuf::FieldDescriptor::TYPE_STRING) {
        const std::string text = field->is_repeated()
                                     ? reflection.GetRepeatedString(message, field, i)
                                     : reflection.GetString(message, field);
        if (!IsUtf8(text)) return field;
      }
    }
  }
  return nullptr;
}

bool LooksBinary(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, 4096);
  return std::any_of(begin.begin(), begin.end(), [](unsigned char c) {
    return c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v';
  });
}

}  // namespace

Result<ReadGraph> ReadGraphDefText(std::string_view text, const std::string& where) {
  LOCKSTEP_RETURN_IF_ERROR(CheckSize(text.size(), where));
  ReadGraph read{.graph = std::make_shared<GraphDef>(), .where = where};
  FirstError errors;
  Tree tree;
  protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(kMaxDepth);
  protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, read.graph.get())) return errors.At(where);
  if (const auto* field = NoText(*read.graph)) {
    return Status(Code::kInvalidArgument, "[graph_def] names must be UTF-8; got other bytes in a " +
                                              field->full_name() + " (" + where + ")");
  }
  KeepLines(tree, &read);
  return read;
}

Result<ReadGraph> ReadGraphDefBinary(std::string_view bytes, const std::string& where) {
  LOCKSTEP_RETURN_IF_ERROR(CheckSize(bytes.size(), where));
  ReadGraph read{.graph = std::make_shared<GraphDef>(), .where = where};
  protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxDepth);
  const protobuf::LogSilencer quiet;
  if (!read.graph->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Status(Code::kInvalidArgument,
                  "[graph_def] the bytes must be a GraphDef; got " + std::to_string(bytes.size()) +
                      " bytes that end or break off near byte " +
                      std::to_string(stream.CurrentPosition()) + " (" + where + ")");
  }
  const auto& library = read.graph->library();
  read.node_lines.assign(read.graph->node_size(), 0);
  for (const auto& function : library.function()) {
    read.function_node_lines.emplace_back(function.node_def_size(), 0);
  }
  return read;
}

Result<ReadGraph> ReadGraphDef(std::string_view bytes, const std::string& where) {
  return LooksBinary(bytes) ? ReadGraphDefBinary(bytes, where) : ReadGraphDefText(bytes, where);
}

Result<ReadGraph> ReadGraphDefFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (file) {
    bytes.resize(std::min(kMaxGraphDefBytes + 1, size_t{1} << 16));
    size_t used = 0;
    while (file && used <= kMaxGraphDefBytes) {
      if (used == bytes.size()) bytes.resize(2 * used);
      file.read(bytes.data() + used, static_cast<std::streamsize>(bytes.size() - used));
      used += static_cast<size_t>(file.gcount());
      if (file.gcount() == 0) break;
    }
    bytes.resize(used);
  }
  if (file.bad() || (!file.is_open())) {
    return Status(Code::kNotFound, "[graph_def] the file must be there to be read; got " + path);
  }
  return ReadGraphDef(bytes, path);
}

std::string GraphDefText(const GraphDef& graph) {
  protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(false);
  std::string text;
  printer.PrintToString(graph, &text);
  return text;
}

std::string GraphDefBinary(const GraphDef& graph) {
  std::string bytes;
  protobuf::io::StringOutputStream sink(&bytes);
  protobuf::io::CodedOutputStream stream(&sink);
  stream.SetSerializationDeterministic(true);  // maps in the order of their keys
  graph.SerializeToCodedStream(&stream);
  stream.Trim();
  return bytes;
}

Result<InputName> ParseInputName(std::string_view input) {
  InputName name;
  if (!input.empty() && input.front() == '^') {
    name.node = input.substr(1);
    name.control = true;
    return name;
  }
  const size_t first = input.find(':');
  name.node = input.substr(0, first);
  if (first == std::string_view::npos) return name;
  std::string_view rest = input.substr(first + 1);
  if (const size_t second = rest.find(':'); second != std::string_view::npos) {
    name.output = rest.substr(0, second);
    rest = rest.substr(second + 1);
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), name.index);
  if (error != std::errc() || end != rest.data() + rest.size() || name.index < 0) {
    return Status(Code::kInvalidArgument,
                  "[graph_def] an input must be NODE, NODE:OUTPUT or ^NODE; got \"" +
                      std::string(input) + "\"");
  }
  return name;
}

}  // namespace lockstep::graph
