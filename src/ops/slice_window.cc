#include "ops/slice_window.h"

#include <algorithm>
#include <bit>

#include "ops/array_rules.h"

namespace lockstep::ops {

namespace {

[[noreturn]] void Reject(std::string_view where, const std::string& rule, const std::string& got) {
  throw Error(Code::kInvalidArgument, "[" + std::string(where) + "] " + rule + "; got " + got);
}

bool IsWhole(const AxisWindow& window, int64_t size) {
  return window.begin == 0 && window.step == 1 && window.size == size;
}

SliceWindow FindSlice(std::string_view where, const Attributes& attributes, const Shape& shape) {
  const auto& begin = ListOf(attributes, "begin");
  const auto& size = ListOf(attributes, "size");
  const size_t rank = shape.rank();
  if (begin.size() != rank || size.size() != rank) {
    Reject(where, "begin and size need a number for each axis",
           shape.ToString() + ", begin " + ListText(begin) + ", size " + ListText(size));
  }
  SliceWindow window;
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t count = size[i];
    // Differences of numbers from 0 on do not overflow; begin + count would.
    bool fits = begin[i] >= 0 && size[i] >= -1 && (shape[i] < 0 || begin[i] <= shape[i]);
    if (fits && shape[i] >= 0) {
      if (count == -1) count = shape[i] - begin[i];
      fits = count <= shape[i] - begin[i];
    }
    if (!fits) {
      Reject(where, "the slice must lie inside the axis",
             "begin " + std::to_string(begin[i]) + " and size " + std::to_string(size[i]) + " in " +
                 shape.ToString() + " (axis " + std::to_string(i) + ")");
    }
    window.axes.push_back({begin[i], 1, count});
    window.result.Append(count);
  }
  window.keeps_rows = shape.rank() > 0 && IsWhole(window.axes[0], shape[0]);
  return window;
}

// One entry of a strided slice, as it was written.
struct Entry {
  int64_t begin;
  int64_t end;
  int64_t stride;
  bool open_begin;
  bool open_end;
};

AxisWindow Range(const Entry& entry, int64_t size) {
  if (size < 0) return {entry.open_begin ? 0 : entry.begin, entry.stride, Shape::kUnknown};
  const bool forward = entry.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? size : size - 1;
  auto place = [&](int64_t value, bool open, int64_t otherwise) {
    if (open) return otherwise;
    return std::clamp(value < 0 ? value + size : value, low, high);
  };
  const int64_t begin = place(entry.begin, entry.open_begin, forward ? low : high);
  const int64_t end = place(entry.end, entry.open_end, forward ? high : low);
  const int64_t length = forward ? end - begin : begin - end;
  if (length <= 0) return {begin, entry.stride, 0};
  // As unsigned numbers: the negative of the smallest stride is no int64_t.
  const uint64_t stride = static_cast<uint64_t>(entry.stride);
  const uint64_t step = forward ? stride : 0 - stride;
  return {begin, entry.stride,
          static_cast<int64_t>((static_cast<uint64_t>(length) - 1) / step + 1)};
}

class StridedSliceReader {
 public:
  StridedSliceReader(std::string_view where, const Attributes& attributes, const Shape& shape)
      : where_(where),
        shape_(shape),
        begin_(ListOf(attributes, "begin")),
        end_(ListOf(attributes, "end")),
        strides_(ListOf(attributes, "strides")),
        begin_mask_(attributes.Get<int64_t>("begin_mask")),
        end_mask_(attributes.Get<int64_t>("end_mask")),
        ellipsis_mask_(attributes.Get<int64_t>("ellipsis_mask")),
        new_axis_mask_(attributes.Get<int64_t>("new_axis_mask")),
        shrink_mask_(attributes.Get<int64_t>("shrink_axis_mask")),
        open_(attributes.GetOr<int64_t>("open", 0)) {}

  SliceWindow Read() {
    if (begin_.size() != end_.size() || begin_.size() != strides_.size()) {
      Reject(where_, "begin, end and strides must have one length",
             std::to_string(begin_.size()) + ", " + std::to_string(end_.size()) + " and " +
                 std::to_string(strides_.size()));
    }
    if (std::popcount(static_cast<uint64_t>(ellipsis_mask_)) > 1) {
      Reject(where_, "one ellipsis at most", "ellipsis_mask " + std::to_string(ellipsis_mask_));
    }
    constexpr size_t kMaxEntries = 32;  // the bits of a mask, as in TensorFlow
    if (begin_.size() > kMaxEntries) {
      Reject(where_, "there must be at most 32 entries", std::to_string(begin_.size()));
    }
    const int entries = static_cast<int>(begin_.size());
    for (int i = 0; i < entries; ++i) {
      if (ellipsis_mask_ >> i & 1) {
        int behind = 0;
        for (int k = i + 1; k < entries; ++k) behind += !(new_axis_mask_ >> k & 1);
        while (axis() < shape_.rank() - behind) TakeWhole();
      } else if (new_axis_mask_ >> i & 1) {
        window_.result.Append(1);
      } else {
        Take(i);
      }
    }
    while (axis() < shape_.rank()) TakeWhole();
    window_.keeps_rows =
        shape_.rank() > 0 && first_result_axis_ == 0 && IsWhole(window_.axes[0], shape_[0]);
    return std::move(window_);
  }

 private:
  int axis() const { return static_cast<int>(window_.axes.size()); }

  void TakeWhole() {
    if (axis() == 0) first_result_axis_ = window_.result.rank();
    const int64_t size = shape_[axis()];
    window_.result.Append(size);
    window_.axes.push_back({0, 1, size});
  }

  void Take(int i) {
    if (axis() >= shape_.rank()) {
      Reject(where_, "there must be an axis for each entry",
             std::to_string(begin_.size()) + " entries for " + shape_.ToString());
    }
    if (strides_[i] == 0) {
      Reject(where_, "a stride must not be 0", "0 (entry " + std::to_string(i) + ")");
    }
    const int64_t size = open_ >> i & 1 ? Shape::kUnknown : shape_[axis()];
    if (shrink_mask_ >> i & 1) {
      const int64_t place = begin_[i] < 0 && size >= 0 ? begin_[i] + size : begin_[i];
      if (strides_[i] < 0 || (size >= 0 && (place < 0 || place >= size))) {
        Reject(where_, "an index must lie inside its axis",
               "index " + std::to_string(begin_[i]) + " in " + shape_.ToString() + " (axis " +
                   std::to_string(axis()) + ")");
      }
      window_.axes.push_back({place, 1, 1});
      return;
    }
    if (axis() == 0) first_result_axis_ = window_.result.rank();
    const Entry entry{begin_[i], end_[i], strides_[i], (begin_mask_ >> i & 1) != 0,
                      (end_mask_ >> i & 1) != 0};
    window_.axes.push_back(Range(entry, size));
    window_.result.Append(window_.axes.back().size);
  }

  std::string_view where_;
  const Shape& shape_;
  const std::vector<int64_t>& begin_;
  const std::vector<int64_t>& end_;
  const std::vector<int64_t>& strides_;
  const int64_t begin_mask_;
  const int64_t end_mask_;
  const int64_t ellipsis_mask_;
  const int64_t new_axis_mask_;
  const int64_t shrink_mask_;
  const int64_t open_;
  int first_result_axis_ = -1;
  SliceWindow window_;
};

}  // namespace

SliceWindow FindSliceWindow(std::string_view where, const Attributes& attributes,
                            const Shape& shape) {
  if (attributes.Find("size") != nullptr) return FindSlice(where, attributes, shape);
  return StridedSliceReader(where, attributes, shape).Read();
}

}  // namespace lockstep::ops
