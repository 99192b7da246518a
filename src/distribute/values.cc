#include "lockstep/distribute/values.h"

namespace lockstep {

std::string_view ReduceOpName(ReduceOp op) { return op == ReduceOp::kSum ? "SUM" : "MEAN"; }

PerReplica::PerReplica(std::vector<Tensor> values) : values_(std::move(values)) {
  if (values_.empty()) {
    throw Error(Code::kInvalidArgument,
                "[per_replica] there must be a value for each replica; got none");
  }
  same_ = values_.size() == 1;
}

PerReplica::operator Tensor() const {
  if (same_ && !values_.empty()) return values_[0];
  throw Error(Code::kInvalidArgument,
              "[per_replica] a value for each replica is not one tensor; got " +
                  std::to_string(values_.size()) +
                  " values; use Strategy::Reduce, Gather or LocalResults, or pass it to Run");
}

std::string PerReplica::ToString() const {
  if (same_) return values_.empty() ? "nothing" : values_[0].ToString();
  std::string text = "PerReplica:{\n";
  for (size_t r = 0; r < values_.size(); ++r) {
    text += "  " + std::to_string(r) + ": " +
            (values_[r].defined() ? values_[r].ToString() : "nothing") + "\n";
  }
  return text + "}";
}

}  // namespace lockstep
