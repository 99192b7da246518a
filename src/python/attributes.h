#pragma once

#include <nanobind/nanobind.h>

#include "ops/attributes.h"

namespace lockstep::python {

/// Attributes of an op from a dict of (kind, value): "b", "i", "f", "s" (bytes), "type",
/// "list(int)", "list(float)" or "tensor".
ops::Attributes AttributesFrom(nanobind::dict given);

}  // namespace lockstep::python
