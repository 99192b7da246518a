// Before protobuf's own header in builds for the thread sanitizer. There it gives its maps two more
// fields, of which the installed library, which is built without, knows nothing: so it is read as
// the library was.
#pragma once

#include <functional>
#include <memory>
#include <string>

#pragma push_macro("__SANITIZE_THREAD__")
#undef __SANITIZE_THREAD__
#include_next <google/protobuf/map_field.h>
#pragma pop_macro("__SANITIZE_THREAD__")
