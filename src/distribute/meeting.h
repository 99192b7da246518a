#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lockstep/distribute/replica_context.h"
#include "ops/op.h"

namespace lockstep::distribute {

/// What one replica brings to a meeting: an op of which every replica has a part.
struct Part {
  const ops::OpSpec* spec = nullptr;
  ops::Attributes attributes;
  std::vector<Tensor> inputs;
};

/// Where a replica meets the others.
class Meeter {
 public:
  virtual ~Meeter() = default;
  /// Waits for all replicas; what this one gets.
  virtual std::vector<Tensor> Meet(Part part) = 0;
  /// Told before this replica writes its own copy of a variable; `cells` has the copy of each.
  virtual void Writes(const std::string& variable, const std::vector<Tensor>& cells) {}
};

/// Where the only replica of a strategy meets nobody.
class SoloMeeter : public Meeter {
 public:
  explicit SoloMeeter(Strategy& strategy) : strategy_(strategy) {}
  std::vector<Tensor> Meet(Part part) override;

 private:
  Strategy& strategy_;
};

/// Carries out one meeting, in cross-replica context: all replicas' parts, in their order, to what
/// each of them gets. FailedPrecondition when the parts are not of one op.
std::vector<std::vector<Tensor>> CarryOut(Strategy& strategy, const std::vector<Part>& parts);
/// The same with ops of the builder in force.
std::vector<std::vector<Tensor>> EmitMeeting(Strategy& strategy, const std::vector<Part>& parts);

/// Where a replica's program stands after it was let run: in its n-th meeting, or at its end.
struct Standing {
  bool ended = false;
  int meetings = 0;
  std::string op;
};
/// True when all replicas have ended, false when all are in a meeting. FailedPrecondition, naming
/// replicas and counts, when some have ended and others have not.
bool AllEnded(const std::vector<Standing>& standings);

/// FailedPrecondition when the parts are not of one op with equal parameters; InvalidArgument when
/// their inputs differ in dtype or shape.
void RequireSummable(const std::vector<Part>& parts);

/// What a merge_call runs: kept in the attribute "body" of the op "ReplicaMerge".
class MergeBody : public TensorObject {
 public:
  /// Gives each result as one tensor for each replica, or one for all.
  virtual std::vector<PerReplica> Run(Strategy& strategy,
                                      const std::vector<std::vector<Tensor>>& by_replica) = 0;
};

}  // namespace lockstep::distribute
