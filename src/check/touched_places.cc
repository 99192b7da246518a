#include "check/touched_places.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "check/op_accesses.h"
#include "graph/graph_def.pb.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;
using Kind = FlatNode::Kind;
using Place = std::vector<int64_t>;

constexpr int64_t kMaxNumbers = 65'536;

int64_t NumberOf(const NodeDef& node, const char* name, int64_t otherwise) {
  const auto place = node.attr().find(name);
  return place == node.attr().end() ? otherwise : place->second.i();
}

const graph_def::TensorProto* ConstantOf(const FlatNode& node) {
  if (node.kind != Kind::kOp || node.def->op() != "Const") return nullptr;
  const auto value = node.def->attr().find("value");
  if (value == node.def->attr().end() || !value->second.has_tensor()) return nullptr;
  return &value->second.tensor();
}

// How many numbers a tensor holds; 1 where no shape is written.
int64_t CountOf(const graph_def::TensorProto& tensor) {
  int64_t count = 1;
  for (const auto& dim : tensor.tensor_shape().dim()) {
    if (dim.size() < 0 || dim.size() > kMaxNumbers || count > kMaxNumbers) return -1;
    count *= dim.size();
  }
  return count > kMaxNumbers ? -1 : count;
}

// The numbers of a constant of integers, in their order. The last one that is written stands for
// those behind it, too.
std::optional<std::vector<int64_t>> NumbersOf(const FlatNode& node) {
  const graph_def::TensorProto* tensor = ConstantOf(node);
  if (tensor == nullptr) return std::nullopt;
  std::vector<int64_t> numbers(tensor->int_val().begin(), tensor->int_val().end());
  numbers.insert(numbers.end(), tensor->int64_val().begin(), tensor->int64_val().end());
  const std::string& bytes = tensor->tensor_content();
  const size_t size = tensor->dtype() == graph_def::DT_INT64 ? 8 : 4;
  if (bytes.size() / size > kMaxNumbers || numbers.size() > kMaxNumbers) return std::nullopt;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(size == 8 ? static_cast<void*>(&wide) : &narrow, bytes.data() + at, size);
    numbers.push_back(size == 8 ? wide : narrow);
  }
  const int64_t count = CountOf(*tensor);
  if (count < 0) return std::nullopt;
  if (numbers.empty()) numbers.push_back(0);  // nothing is written for a tensor of zeros
  if (static_cast<int64_t>(numbers.size()) < count) numbers.resize(count, numbers.back());
  return numbers;
}

Places Sorted(std::vector<Place> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return std::make_shared<const std::vector<Place>>(std::move(places));
}

// Of row numbers in any order.
Places RowsOf(const std::vector<int64_t>& numbers) {
  std::vector<Place> places;
  for (int64_t row : numbers) places.push_back({row});
  return Sorted(std::move(places));
}

bool Only(const FlatNode& user, int read) {
  for (size_t i = 0; i < user.inputs.size(); ++i) {
    if ((user.inputs[i].from == read) != (i == 0)) return false;
  }
  return !user.inputs.empty();
}

// The rows that one user of a read takes; an empty list where it looks at none.
Places PlacesTakenBy(const FlatGraph& flat, const Conditions& conditions, int read, int id) {
  const FlatNode& user = flat.nodes[id];
  if (user.kind != Kind::kOp || !Only(user, read)) return nullptr;
  const std::string& op = user.def->op();
  if (IgnoresValue(op)) return Sorted({});
  if (op == "StridedSlice") return PlacesOfSlice(flat, conditions, id, 1);
  if ((op != "GatherV2" && op != "Gather") || user.inputs.size() < 2) return nullptr;
  if (NumberOf(*user.def, "batch_dims", 0) != 0) return nullptr;
  if (op == "GatherV2") {
    if (user.inputs.size() < 3) return nullptr;
    const auto axis = NumbersOf(flat.nodes[conditions.Origin(user.inputs[2]).from]);
    if (!axis || *axis != std::vector<int64_t>{0}) return nullptr;
  }
  return PlacesListedBy(flat.nodes[conditions.Origin(user.inputs[1]).from], false);
}

bool Begins(const Place& place, const Place& with) {
  return place.size() >= with.size() && std::equal(with.begin(), with.end(), place.begin());
}

}  // namespace

Places PlacesListedBy(const FlatNode& node, bool tuples) {
  const auto numbers = NumbersOf(node);
  if (!numbers) return nullptr;
  if (!tuples) return RowsOf(*numbers);
  const auto& shape = ConstantOf(node)->tensor_shape();
  if (shape.dim_size() == 0) return nullptr;
  const int64_t depth = shape.dim(shape.dim_size() - 1).size();
  if (depth < 1) return nullptr;
  std::vector<Place> places;
  for (size_t at = 0; at + depth <= numbers->size(); at += depth) {
    places.emplace_back(numbers->begin() + at, numbers->begin() + at + depth);
  }
  return Sorted(std::move(places));
}

Places PlacesOfSlice(const FlatGraph& flat, const Conditions& conditions, int node, int begin) {
  const FlatNode& slice = flat.nodes[node];
  for (const char* mask : {"ellipsis_mask", "new_axis_mask"}) {
    if (NumberOf(*slice.def, mask, 0) != 0) return nullptr;
  }
  const bool open =
      ((NumberOf(*slice.def, "begin_mask", 0) | NumberOf(*slice.def, "end_mask", 0)) & 1) != 0;
  if (open || static_cast<int>(slice.inputs.size()) < begin + 3) return nullptr;
  int64_t bounds[3];
  for (int i = 0; i < 3; ++i) {
    const auto numbers = NumbersOf(flat.nodes[conditions.Origin(slice.inputs[begin + i]).from]);
    if (!numbers || numbers->empty()) return nullptr;
    bounds[i] = numbers->front();
  }
  const auto [first, end, stride] = bounds;
  if (first < 0 || end < 0 || stride < 1 || end - first > kMaxNumbers) return nullptr;
  if ((NumberOf(*slice.def, "shrink_axis_mask", 0) & 1) != 0) return RowsOf({first});
  std::vector<int64_t> rows;
  for (int64_t row = first; row < end; row += stride) rows.push_back(row);
  return RowsOf(rows);
}

Places PlacesTakenFrom(const FlatGraph& flat, const Conditions& conditions, int read) {
  std::vector<Place> all;
  bool used = false;
  for (const Edge& edge : flat.successors[read]) {
    if (edge.output < 0) continue;
    used = true;
    const Places places = PlacesTakenBy(flat, conditions, read, edge.from);
    if (!places) return nullptr;
    all.insert(all.end(), places->begin(), places->end());
  }
  if (!used) return nullptr;  // somebody may fetch it
  return Sorted(std::move(all));
}

bool Apart(const Places& a, const Places& b) {
  if (!a || !b) return false;
  const auto meets = [](const std::vector<Place>& one, const std::vector<Place>& other) {
    return std::any_of(one.begin(), one.end(), [&](const Place& place) {
      // The first that is not before it begins with it, if any does.
      const auto next = std::lower_bound(other.begin(), other.end(), place);
      return next != other.end() && Begins(*next, place);
    });
  };
  return !meets(*a, *b) && !meets(*b, *a);
}

}  // namespace lockstep::check
