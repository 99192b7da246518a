#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/all_reduce.h"
#include "collectives/tree_sum.h"

namespace lockstep::collectives {

/// What sums of one form, called again and again, need to know but once.
struct PreparedSum {
  Division division;
  size_t count;
  size_t element_bytes;
  Algorithm asked;
  std::vector<size_t> shares;  // of a reduce-scatter; empty: all ranks get the whole sum
  Plan plan;
  uint32_t fingerprint;
  /// The nodes of all ranks' covers in ascending order, whose each is, and their sum.
  std::vector<Node> parts;
  std::vector<int> owners;
  std::unique_ptr<const TreeSum> tree;  // null without leaves
  std::unique_ptr<MeasuredWay> way;     // of kMeasured
};

/// Keeps the last few of them.
class PreparedSums {
 public:
  /// `cost` outlives them.
  explicit PreparedSums(const NetworkCost& cost) : cost_(cost) {}
  std::shared_ptr<const PreparedSum> Find(const Division& division, size_t count,
                                          size_t element_bytes, Algorithm algorithm,
                                          const std::vector<size_t>& shares = {});

 private:
  const NetworkCost& cost_;
  std::vector<std::shared_ptr<const PreparedSum>> recent_;
};

/// Whether a request for a sum is right by itself. Errors: InvalidArgument.
Status CheckSum(const Group& group, OpKind kind, const SumRequest& request);
/// Whether `nodes` make up this rank's block.
Status CheckNodes(const Group& group, OpKind kind, OpId id, std::vector<Node> nodes, Node block,
                  Leaf num_leaves);
Call CallOf(OpKind kind, const SumRequest& request, const PreparedSum& prepared,
            std::source_location where);

/// What the algorithms for sums have in common: how partials are named and checked.
class SumOperation : public Operation {
 public:
  SumOperation(SumRequest request, Call call, std::shared_ptr<const PreparedSum> prepared,
               OnReduced done);

  void Take(Group& group, int from, const PartialMessage& message) final;
  std::string Missing(const Group& group) const final;

 protected:
  /// A partial that belongs to this sum: a node of a slice, of the right size.
  virtual void TakePartial(Group& group, const PartialMessage& message) = 0;
  virtual bool IsSliceDone(size_t slice) const = 0;
  /// Whether all that `node` stands for has come.
  virtual bool Has(size_t slice, Node node) const = 0;

  const SumRequest& request() const { return request_; }
  const PreparedSum& prepared() const { return *prepared_; }
  const Plan& plan() const { return prepared_->plan; }
  Leaf num_leaves() const { return request_.division.num_leaves(); }
  size_t SliceOffset(size_t slice) const { return plan().slices[slice].begin * element_bytes_; }
  size_t SliceCount(size_t slice) const {
    return plan().slices[slice].end - plan().slices[slice].begin;
  }
  size_t SliceBytes(size_t slice) const { return SliceCount(slice) * element_bytes_; }
  PartialHeader HeaderOf(size_t slice, Node node, bool present) const;

 private:
  Status Disagreement(const Group& group, int from, const PartialMessage& message) const;

  const SumRequest request_;
  const std::shared_ptr<const PreparedSum> prepared_;
  const size_t element_bytes_;
};

}  // namespace lockstep::collectives
