#include "distribute/programs/one_program.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/hash.h"
#include "base/printf.h"
#include "runtime/replica.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

constexpr int64_t kLargestConstant = 64 << 10;

std::string Hex(uint64_t value) {
  return base::Printf("%016llx", static_cast<unsigned long long>(value));
}

std::string DescribeObject(const TensorObject* object) {
  if (const auto* cell = dynamic_cast<const runtime::VariableCell*>(object)) {
    return "variable " + cell->name() + " " + std::string(DTypeName(cell->dtype())) +
           cell->shape().ToString();
  }
  if (const auto* cells = dynamic_cast<const runtime::ReplicaCells*>(object))
    return "copies of " + DescribeObject(cells->handles()[0].object().get());
  return "a resource";
}

std::string DescribeConstant(const Tensor& value) {
  if (!value.defined()) return "nothing";
  if (value.dtype() == DType::kResource) return DescribeObject(value.object().get());
  std::string text = std::string(DTypeName(value.dtype())) + value.shape().ToString();
  const auto bytes = static_cast<int64_t>(value.num_bytes());
  if (value.dtype() == DType::kString || bytes > kLargestConstant) return text;
  if (value.num_elements() == 1 && value.dtype() == DType::kFloat32)
    return text + base::Printf(" %.9g", static_cast<double>(value.data<float>()[0]));
  return text + " #" +
         Hex(base::Hash64(
             {static_cast<const char*>(value.raw_data()), static_cast<size_t>(bytes)}));
}

std::string DescribeAttributes(const ops::Attributes& attributes) {
  ops::Attributes plain;
  std::string text;
  for (const auto& [name, value] : attributes.entries()) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      text += name + "=" + DescribeConstant(*tensor) + ";";
    } else if (const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value)) {
      const auto* body = dynamic_cast<const graph::Graph*>(object->get());
      if (body == nullptr) continue;
      std::string lines;
      for (const std::string& line : LinesOf(*body)) lines += line + "\n";
      text += name + "=graph #" + Hex(base::Hash64(lines)) + ";";
    } else {
      plain.Set(name, value);
    }
  }
  return plain.Signature() + text;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Where an op comes from in the user's code; for one of which that is not known, the next one's
// place, or else the last one's before it.
std::vector<std::string> PlacesOf(const graph::Graph& graph) {
  std::vector<std::string> places(graph.nodes().size() + 1);
  std::string known;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i < graph.nodes().size() && graph.nodes()[i].site.line != 0) {
      const ops::SourceSite& site = graph.nodes()[i].site;
      places[i] = std::string("at ") + site.file + ":" + std::to_string(site.line);
      known = places[i];
    }
  }
  for (size_t i = places.size(); i > 0; --i) {
    if (places[i - 1].empty()) {
      places[i - 1] = known;
    } else {
      known = places[i - 1];
    }
  }
  return places;
}

// Lines with their places behind a tabulator.
std::string WithPlaces(const std::vector<std::string>& lines,
                       const std::vector<std::string>& places) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) text += lines[i] + "\t" + places[i] + "\n";
  return text;
}

std::string OpOf(const std::string& line) { return line.substr(0, line.find('\t')); }

std::string LineOr(const std::vector<std::string>& lines, size_t i) {
  if (i >= lines.size()) return "nothing: the program has ended";
  const size_t end = lines[i].find('\t');
  if (end == std::string::npos) return lines[i];
  const std::string place = lines[i].substr(end + 1);
  return lines[i].substr(0, end) + (place.empty() ? "" : ", " + place);
}

}  // namespace

std::vector<std::string> LinesOf(const graph::Graph& graph) {
  std::vector<std::string> lines;
  for (const graph::Node& node : graph.nodes()) {
    std::string line = "op " + std::to_string(node.id) + ": " + node.spec->name;
    if (!node.name.empty() && node.name != node.spec->name) line += " " + node.name;
    line += "(";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      line += (i > 0 ? ", " : "") + std::to_string(node.inputs[i].node);
      if (node.inputs[i].index > 0) line += ":" + std::to_string(node.inputs[i].index);
    }
    line += ")";
    for (int control : node.control_inputs) line += " ^" + std::to_string(control);
    line += " ->";
    for (const auto& type : node.outputs) line += " " + type.ToString();
    const std::string attributes = DescribeAttributes(node.attributes);
    if (!attributes.empty()) line += " {" + attributes + "}";
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\t', ' ');
    lines.push_back(std::move(line));
  }
  std::string results = "results:";
  for (graph::Endpoint result : graph.results())
    results += " " + std::to_string(result.node) + ":" + std::to_string(result.index);
  lines.push_back(std::move(results));
  return lines;
}

void RequireOneProgram(Communicator& ranks, const graph::Graph& graph) {
  if (ranks.num_ranks() == 1) return;
  const std::vector<std::string> lines = LinesOf(graph);
  const uint64_t hash = base::Hash64(Joined(lines));
  // A program that is traced anew, as some ranks may do before others, is no new one.
  if (!ranks.IsNewProgram(hash)) return;
  const std::vector<std::string> hashes =
      ranks.AllGather({reinterpret_cast<const char*>(&hash), sizeof hash});
  const auto other = std::find_if(hashes.begin(), hashes.end(),
                                  [&](const std::string& each) { return each != hashes[0]; });
  if (other == hashes.end()) return;
  const auto rank = static_cast<size_t>(other - hashes.begin());
  const std::vector<std::string> programs = ranks.AllGather(WithPlaces(lines, PlacesOf(graph)));
  const auto first = Split(programs[0]), second = Split(programs[rank]);
  size_t place = 0;
  while (place < first.size() && place < second.size() && OpOf(first[place]) == OpOf(second[place]))
    ++place;
  throw Error(Code::kInvalidArgument,
              "[multi_worker] all workers must run the same program; got " + LineOr(first, place) +
                  " on worker 0, and " + LineOr(second, place) + " on worker " +
                  std::to_string(rank) +
                  ", as the first difference; start all workers with one program, the same "
                  "options and the same data");
}

}  // namespace lockstep::distribute
