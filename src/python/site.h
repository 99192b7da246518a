#pragma once

#include "ops/known_site.h"

namespace lockstep::python {

/// The line of Python that is being carried out, outside of the package: for reports of races.
/// Needs the interpreter's lock. Nowhere while races are not looked for.
ops::SourceSite PythonSite();
/// The same whatever is looked for, for calls that cost more than finding it.
ops::SourceSite PythonLine();

}  // namespace lockstep::python
