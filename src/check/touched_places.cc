#include "check/touched_places.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "check/constants.h"
#include "check/op_accesses.h"

namespace lockstep::check {

namespace {

using graph_def::NodeDef;
using Kind = FlatNode::Kind;
using Place = std::vector<int64_t>;

// Numbers beyond this are taken for mistakes, and steps beyond it are not counted.
constexpr int64_t kLargestBound = int64_t{1} << 40;
constexpr int64_t kMaxMeetings = 100'000;
constexpr size_t kMaxBoxes = 100;

Places Sorted(TouchedPlaces places) {
  std::vector<Place>& points = places.points;
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return std::make_shared<const TouchedPlaces>(std::move(places));
}

bool Only(const FlatNode& user, int read) {
  for (size_t i = 0; i < user.inputs.size(); ++i) {
    if ((user.inputs[i].from == read) != (i == 0)) return false;
  }
  return !user.inputs.empty();
}

// The bounds of a strided slice, as TensorFlow writes them.
struct SliceSpec {
  std::vector<int64_t> begin, end, stride;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_mask = 0;
};

// One axis of a slice, whose size may be known.
Range RangeOf(const SliceSpec& spec, size_t i, int64_t size) {
  int64_t begin = spec.begin[i], end = spec.end[i];
  const int64_t stride = spec.stride[i];
  const bool known = size >= 0;
  const auto bit = [i](int64_t mask) { return (mask >> i & 1) != 0; };
  const bool from_first = bit(spec.begin_mask), to_last = bit(spec.end_mask);
  if (begin < 0 && known) begin += size;
  if (end < 0 && known) end += size;
  if (bit(spec.shrink_mask)) return begin < 0 ? Range{} : Range{begin, begin + 1};
  if (stride > 0) {
    if (from_first) begin = 0;
    if (begin < 0) return known ? Range{0, to_last ? size : end, 1} : Range{};
    if (to_last) return known ? Range{begin, size, stride} : Range{begin, Range{}.end, stride};
    return end < 0 && !known ? Range{begin, Range{}.end, stride} : Range{begin, end, stride};
  }
  // From the back to the front: the same places in the other order.
  if (from_first && known) begin = size - 1;
  if (known) begin = std::min(begin, size - 1);
  const int64_t lowest = to_last ? 0 : std::max<int64_t>(end + 1, 0);
  if (!to_last && end < 0 && !known) return Range{};
  if (from_first && !known) return Range{lowest};
  if (begin < 0) return known ? Range{0, 0} : Range{};
  const int64_t first = begin - (begin - lowest) / -stride * -stride;
  return begin < lowest ? Range{0, 0} : Range{first, begin + 1, -stride};
}

std::vector<Range> RangesOf(const SliceSpec& spec, const KnownShape& shape) {
  std::vector<Range> ranges;
  const auto size = [&]() -> int64_t {
    return shape && ranges.size() < shape->size() ? (*shape)[ranges.size()] : -1;
  };
  for (size_t i = 0; i < spec.begin.size(); ++i) {
    if (spec.ellipsis_mask >> i & 1) {
      if (!shape) break;  // how many axes it stands for is not known
      size_t behind = 0;
      for (size_t k = i + 1; k < spec.begin.size(); ++k) behind += !(spec.new_axis_mask >> k & 1);
      while (ranges.size() + behind < shape->size()) ranges.emplace_back();
    } else if (!(spec.new_axis_mask >> i & 1)) {
      ranges.push_back(RangeOf(spec, i, size()));
    }
  }
  return ranges;
}

// The places that one user of a read takes, which hands on nothing; none where it looks at none.
Places PlacesTakenBy(const FlatGraph& flat, const Conditions& conditions, int read, int id,
                     const KnownShape& shape) {
  const FlatNode& user = flat.nodes[id];
  if (user.kind != Kind::kOp || !Only(user, read)) return nullptr;
  const std::string& op = user.def->op();
  if (IgnoresValue(op)) return Sorted({});
  if (op == "StridedSlice") return PlacesOfSlice(flat, conditions, id, 1, shape);
  if ((op != "GatherV2" && op != "Gather") || user.inputs.size() < 2) return nullptr;
  if (NumberOf(*user.def, "batch_dims", 0) != 0) return nullptr;
  if (op == "GatherV2") {
    if (user.inputs.size() < 3) return nullptr;
    const auto axis = NumbersOf(flat, conditions, user.inputs[2]);
    if (!axis || *axis != std::vector<int64_t>{0}) return nullptr;
  }
  return PlacesListedBy(flat, conditions, user.inputs[1], false);
}

bool Begins(const Place& place, const Place& with) {
  return place.size() >= with.size() && std::equal(with.begin(), with.end(), place.begin());
}

// Whether a point of `one` is, or is around, a point of `other`.
bool Meet(const std::vector<Place>& one, const std::vector<Place>& other) {
  return std::any_of(one.begin(), one.end(), [&](const Place& place) {
    // The first that is not before it begins with it, if any does.
    const auto next = std::lower_bound(other.begin(), other.end(), place);
    return next != other.end() && Begins(*next, place);
  });
}

bool Meet(const Range& a, const Range& b) {
  const int64_t low = std::max(a.begin, b.begin), high = std::min(a.end, b.end);
  if (low >= high) return false;
  if ((a.begin - b.begin) % std::gcd(a.stride, b.stride) != 0) return false;
  const Range& wide = a.stride < b.stride ? b : a;
  const Range& narrow = a.stride < b.stride ? a : b;
  int64_t at = low + (wide.begin - low) % wide.stride;
  if (at < low) at += wide.stride;
  for (int64_t step = 0; at < high; at += wide.stride) {
    if ((at - narrow.begin) % narrow.stride == 0 || ++step > kMaxMeetings) return true;
    if (step > narrow.stride) return false;
  }
  return false;
}

bool Meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!Meet(a[i], b[i])) return false;
  }
  return true;
}

bool Meet(const std::vector<Place>& points, const std::vector<Range>& box) {
  return std::any_of(points.begin(), points.end(), [&](const Place& point) {
    for (size_t i = 0; i < std::min(point.size(), box.size()); ++i) {
      if (!Meet(Range{point[i], point[i] + 1}, box[i])) return false;
    }
    return true;
  });
}

}  // namespace

Places PlacesListedBy(const FlatGraph& flat, const Conditions& conditions, const Edge& list,
                      bool tuples) {
  const auto numbers = NumbersOf(flat, conditions, list);
  if (!numbers) return nullptr;
  std::vector<Place> points;
  size_t depth = 1;
  if (tuples) {
    const auto* tensor = ConstantOf(flat.nodes[conditions.Origin(list).from]);
    if (tensor == nullptr || tensor->tensor_shape().dim_size() == 0) return nullptr;
    const auto& dims = tensor->tensor_shape().dim();
    if (dims[dims.size() - 1].size() < 1) return nullptr;
    depth = static_cast<size_t>(dims[dims.size() - 1].size());
  }
  for (size_t at = 0; at + depth <= numbers->size(); at += depth) {
    points.emplace_back(numbers->begin() + static_cast<ptrdiff_t>(at),
                        numbers->begin() + static_cast<ptrdiff_t>(at + depth));
  }
  return Sorted({std::move(points), {}});
}

Places PlacesOfSlice(const FlatGraph& flat, const Conditions& conditions, int node, int begin,
                     const KnownShape& shape) {
  const FlatNode& slice = flat.nodes[node];
  if (static_cast<int>(slice.inputs.size()) < begin + 3) return nullptr;
  SliceSpec spec;
  std::vector<int64_t>* const bounds[] = {&spec.begin, &spec.end, &spec.stride};
  for (int i = 0; i < 3; ++i) {
    const auto numbers = NumbersOf(flat, conditions, slice.inputs[begin + i]);
    if (!numbers || numbers->size() > 32) return nullptr;
    for (int64_t number : *numbers) {
      if (number < -kLargestBound || number > kLargestBound) return nullptr;
    }
    *bounds[i] = *numbers;
  }
  if (spec.end.size() != spec.begin.size() || spec.stride.size() != spec.begin.size() ||
      std::find(spec.stride.begin(), spec.stride.end(), 0) != spec.stride.end()) {
    return nullptr;
  }
  spec.begin_mask = NumberOf(*slice.def, "begin_mask", 0);
  spec.end_mask = NumberOf(*slice.def, "end_mask", 0);
  spec.ellipsis_mask = NumberOf(*slice.def, "ellipsis_mask", 0);
  spec.new_axis_mask = NumberOf(*slice.def, "new_axis_mask", 0);
  spec.shrink_mask = NumberOf(*slice.def, "shrink_axis_mask", 0);
  return std::make_shared<const TouchedPlaces>(TouchedPlaces{{}, {RangesOf(spec, shape)}});
}

Places PlacesTakenFrom(const FlatGraph& flat, const Conditions& conditions, int read,
                       const KnownShape& shape) {
  TouchedPlaces all;
  std::vector<int> open{read};  // what gives the value on
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    bool used = false;
    for (const Edge& edge : flat.successors[from]) {
      if (edge.output < 0) continue;
      used = true;
      if (IsOp(flat.nodes[edge.from], {"Identity"})) {
        open.push_back(edge.from);
        continue;
      }
      const Places places = PlacesTakenBy(flat, conditions, from, edge.from, shape);
      if (!places) return nullptr;
      all.points.insert(all.points.end(), places->points.begin(), places->points.end());
      all.boxes.insert(all.boxes.end(), places->boxes.begin(), places->boxes.end());
      if (all.boxes.size() > kMaxBoxes) return nullptr;
    }
    if (!used) return nullptr;  // somebody may fetch it
  }
  return Sorted(std::move(all));
}

bool Apart(const Places& a, const Places& b) {
  if (!a || !b) return false;
  for (const auto& box : a->boxes) {
    if (Meet(b->points, box)) return false;
    for (const auto& other : b->boxes) {
      if (Meet(box, other)) return false;
    }
  }
  for (const auto& box : b->boxes) {
    if (Meet(a->points, box)) return false;
  }
  return !Meet(a->points, b->points) && !Meet(b->points, a->points);
}

}  // namespace lockstep::check
