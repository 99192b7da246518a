#pragma once

#include "python/bind.h"

namespace lockstep::python {

/// Adds `guard(function, folder)`: a callable that behaves like the Python function and leaves no
/// frame of the package in tracebacks, so that they end in the user's line.
void BindGuard(nb::module_& m);

/// Whether a file is one of the package's.
bool IsPackageFile(PyObject* name);

}  // namespace lockstep::python
