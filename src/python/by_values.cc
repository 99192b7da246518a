#include "lockstep/ops/by_values.h"

#include <nanobind/stl/vector.h>

#include "python/bind.h"
#include "python/run_ops.h"

namespace lockstep::python {

namespace {

using Numbers = std::vector<int64_t>;

// lists: what is known of begin and of end, the strides; masks: begin, end, ellipsis, new axis,
// shrink, and which entries are values.
Tensor StridedBy(const Tensor& input, const Tensor& begin, const Tensor& end,
                 const std::vector<Numbers>& lists, const Numbers& masks) {
  return Unlocked([&] {
    return StridedSliceBy(input, begin, end,
                          {.known_begin = lists.at(0),
                           .known_end = lists.at(1),
                           .strides = lists.at(2),
                           .open = masks.at(5),
                           .masks = {masks[0], masks[1], masks[2], masks[3], masks[4]}});
  });
}

}  // namespace

void BindValueOps(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def("reshape_by", &ReshapeBy, unlocked);
  m.def("broadcast_by", &BroadcastBy, unlocked);
  m.def("tile_by", &TileBy, unlocked);
  m.def("pad_by", &PadBy, unlocked);
  m.def("slice_by", &SliceBy, unlocked);
  m.def("strided_slice_by", &StridedBy);
  m.def("range_by", &RangeBy, unlocked);
}

}  // namespace lockstep::python
