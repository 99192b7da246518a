#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/checkpoint/save.h"

namespace lockstep::cli {

/// Where two dumps of one step differ first, in the order in which the plan writes variables.
struct StateDifference {
  std::string variable;
  int64_t element = 0;
  std::string place;                        // "[3,17]"
  std::string first, second;                // "0x3f800000 (1)"
  int64_t elements = 0, of_elements = 0;    // of the variable
  int64_t variables = 0, of_variables = 0;  // of the dump
  std::string op;                           // what wrote it, as far as the plan tells; else empty
};

/// Nothing if all bytes agree. InvalidArgument in the text if the dumps have other tensors.
std::optional<StateDifference> FindDifference(const SavedState& first, const SavedState& second);

}  // namespace lockstep::cli
