#include "python/attributes.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.h"

namespace lockstep::python {

namespace {

ops::AttributeValue AttributeFrom(nb::handle pair) {
  const auto kind = nb::cast<std::string>(pair[0]);
  const nb::object value = pair[1];
  if (kind == "b") return nb::cast<bool>(value);
  if (kind == "i") return nb::cast<int64_t>(value);
  if (kind == "f") return nb::cast<double>(value);
  if (kind == "type") return static_cast<DType>(nb::cast<int>(value));
  if (kind == "list(int)") return nb::cast<std::vector<int64_t>>(value);
  if (kind == "list(float)") return nb::cast<std::vector<double>>(value);
  if (kind == "tensor") return nb::cast<Tensor>(value);
  const auto bytes = nb::cast<nb::bytes>(value);
  return std::string(bytes.c_str(), bytes.size());
}

}  // namespace

ops::Attributes AttributesFrom(nb::dict given) {
  ops::Attributes attributes;
  for (auto [name, pair] : given) attributes.Set(nb::cast<std::string>(name), AttributeFrom(pair));
  return attributes;
}

}  // namespace lockstep::python
