#pragma once

#include <string>

#include "lockstep/nn/model.h"

namespace lockstep::callbacks {

/// Before the first step: throws unless files can be written in `directory`, which is made where it
/// is missing. Of several workers only the one that writes files looks. Errors: those of
/// checkpoint::RequireWritable.
void RequireWritableByItsWriter(Model& model, const std::string& directory);

}  // namespace lockstep::callbacks
