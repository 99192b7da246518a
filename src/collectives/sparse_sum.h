#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "collectives/all_reduce.h"
#include "collectives/sparse_rows.h"

namespace lockstep::collectives {

/// The rows of one node of this rank's block: a leaf, whose rows may occur in any order and again
/// and again, or a sum of leaves.
struct SparseContribution {
  Node node;
  std::vector<int64_t> indices;
  const std::byte* values = nullptr;  // [indices, row_elements]
  bool is_absent = false;             // none of its leaves contributes
};

struct SparseSumRequest {
  OpId id;
  DType dtype = DType::kInvalid;
  int64_t num_rows = 0;  // of the matrix
  size_t row_elements = 0;
  Division division = Division::Even(0, 1);
  std::vector<SparseContribution> contributions;
  /// kAuto (exchange up to two ranks, else slices), kExchange, kSlices.
  AllReduceOptions options;
  std::string label;
};

struct SparseSum {
  bool present = false;  // whether any leaf contributed
  SparseRows rows;
};
using OnSparseSum = std::function<void(Result<SparseSum>)>;

/// Sums the rows of all leaves into every rank's result: each row that occurs, once, ascending.
/// Shapes: [k, row_elements] of a [num_rows, row_elements] matrix; all types of numbers. Order: in
/// a leaf duplicates are added in the order of occurrence; then each row follows the canonical tree
/// over the leaves that have it. Rounding: as AllReduceSum. Cost: as the all-reduce of its
/// algorithm, for the rows that occur, with 8 bytes more for each. Lifetime: values are read before
/// this returns; `done` runs once, as new work. Errors: as AllReduceSum; InvalidArgument for
/// indices outside of the matrix.
void AllReduceSparseSum(Group& group, SparseSumRequest request, OnSparseSum done,
                        std::source_location where = std::source_location::current());

}  // namespace lockstep::collectives
