#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "base/task.h"
#include "collectives/group.h"
#include "collectives/plan.h"
#include "lockstep/tensor/dtype.h"

namespace lockstep::collectives {

/// The sum over a node of this rank's block: a single leaf, or leaves that were already added up in
/// the tree's order. No data: none of its leaves contributes.
struct Contribution {
  Node node;
  const std::byte* data = nullptr;
  /// What keeps `data` unchanged as long as it is held. Ranks then read it where it lies, if it
  /// lies in a block of the transport and not in the output; without a keeper it is copied.
  std::shared_ptr<const void> keeper;
};

struct AllReduceOptions {
  base::Duration timeout = std::chrono::seconds(60);
  Algorithm algorithm = Algorithm::kAuto;
};

struct SumRequest {
  OpId id;
  DType dtype = DType::kInvalid;
  size_t count = 0;
  Division division = Division::Even(0, 1);
  std::vector<Contribution> contributions;
  std::byte* output = nullptr;
  /// What keeps `output` unchanged after `done` as long as it is held. Ranks then read the part of
  /// the sum that this rank made where it lies, if that is in a block of the transport; without a
  /// keeper it is copied.
  std::shared_ptr<const void> output_keeper;
  AllReduceOptions options;
  /// What is summed, and its shape, as the program sees them; equal on all ranks.
  std::string label;
  std::string shape;
};

/// Sums the leaves of all ranks into every rank's `output`.
/// Shapes: contributions and output [count]; all types of numbers; output may be one of the
/// contributions. Cost: docs/collectives.md; for P equal aligned blocks of a large buffer 2 hops, 2
/// count (P-1)/P elements sent per rank; one hop for small ones. Order: the canonical tree; the
/// same bits for every division, algorithm and order of arrival. Rounding: that of `AddElements`
/// at each node of the tree, so bf16 and f16 round there. Lifetime: contributions and output
/// stay until `done`, which runs once, as new work. After an error the output is unspecified.
/// Errors: InvalidArgument (dtype, contributions that are not this rank's block, a name used twice,
/// ranks that disagree), DeadlineExceeded (names the node and rank it waited for), Unavailable (a
/// peer is silent), Aborted (the epoch ended), Cancelled (the group went away). All but the first
/// and last end the epoch for every rank, and so do ranks that disagree.
void AllReduceSum(Group& group, SumRequest request, OnReduced done,
                  std::source_location where = std::source_location::current());

/// The same for coroutines: `co_await AllReduceSum(group, request)`.
base::Eventual<Result<Reduced>> AllReduceSum(
    Group& group, SumRequest request, std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
