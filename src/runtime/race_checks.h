#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "lockstep/tensor/tensor.h"
#include "ops/source_site.h"
#include "runtime/access_log.h"

namespace lockstep::runtime {

class VariableCell;
struct RecordedOp;

/// What is known of a value that is going to be assigned to a variable.
struct AssignedValue {
  std::optional<uint64_t> computed_from;  // which version of the variable
  bool from_host = false;                 // no origin is known
  bool is_version = false;                // it is an older version itself: a roll-back
};
AssignedValue DescribeAssigned(const VariableCell& cell, const Tensor& value);

/// Calls the hook when the calling actor is about to overwrite, with what it knew earlier, what
/// another one has written since, and that write did not happen before: certainly where the value
/// was computed from an older version, possibly where it comes from the host and the actor's last
/// read was of an older version. A roll-back in a `Lock` is meant. The cell's lock is held for
/// writing.
void CheckAssignment(VariableCell& cell, const AssignedValue& value, const ops::SourceSite& site);
void CheckAssignment(VariableCell& cell, const Tensor& value);

/// Calls the hook when the values that a tape has seen come from two versions of a source, and
/// another actor has written in between, unordered.
void CheckGradient(const std::deque<RecordedOp>& operations, const std::vector<Tensor>& sources);

}  // namespace lockstep::runtime
