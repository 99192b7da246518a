#pragma once

#include <optional>
#include <string>
#include <vector>

#include "distribute/meeting.h"
#include "distribute/workers/communicator.h"
#include "lockstep/base/status.h"

namespace lockstep::distribute {

/// What one replica has come to after it was let run: a meeting and its part of it, or the end and
/// its results.
struct Turn {
  Standing standing;
  Part part;
  std::vector<Tensor> results;
};

/// The replicas of a run divided over ranks: worker k of W has [R k / W, R (k + 1) / W). Ranks meet
/// wherever replicas do: each gets what all replicas bring, and carries out the whole meeting, so
/// that it has the bits of one process. Sums of large tensors go by `AllReduceSum` instead.
class DividedReplicas {
 public:
  DividedReplicas(Communicator& ranks, int replicas);

  int begin() const { return BeginOf(ranks_.rank()); }
  int end() const { return BeginOf(ranks_.rank() + 1); }

  /// Brings the own replicas' turns to all ranks, and gives all replicas' in their order. Parts
  /// that are summed over ranks have types instead of values for replicas elsewhere. A rank without
  /// replicas knows by `like`, replica 0's turn, what they are about. Errors: the first rank's
  /// `fault`, on all of them, naming the worker; of collectives.
  std::vector<Turn> Exchange(const std::vector<Turn>& own, const Turn* like,
                             const std::optional<Status>& fault);
  /// Whether the meeting is one that is summed over ranks; then `Sum` carries it out.
  static bool IsSummed(const Part& part);
  std::vector<Tensor> Sum(const std::vector<Turn>& all);

 private:
  int BeginOf(int rank) const { return static_cast<int>(borders_[rank]); }

  Communicator& ranks_;
  const int replicas_;
  const std::vector<int64_t> borders_;
};

/// Tensors as bytes and back. Handles stay here: those of `local` take their places.
std::string EncodeTensors(const std::vector<Tensor>& tensors, bool types_only);
/// Errors: DataLoss for bytes that are no tensors.
std::vector<Tensor> DecodeTensors(std::string_view bytes, const std::vector<Tensor>& local);

}  // namespace lockstep::distribute
