#include "lockstep/ops/strings.h"

#include <nanobind/stl/optional.h>

#include "python/bind.h"
#include "python/convert.h"

namespace lockstep::python {

void BindStringOps(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def(
      "decode_raw",
      [](const Tensor& input, int dtype, bool little, std::optional<int64_t> bytes) {
        return DecodeRaw(input, static_cast<DType>(dtype), {little, bytes});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
}

}  // namespace lockstep::python
