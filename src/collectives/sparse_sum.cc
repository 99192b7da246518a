#include "collectives/sparse_sum.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "collectives/element_sum.h"
#include "collectives/sum_operation.h"

namespace lockstep::collectives {
namespace {

// What is known of a node; nothing: absent.
using Known = std::map<Node, std::optional<SparseRows>>;

class SparseOperation final : public Operation {
 public:
  SparseOperation(SparseSumRequest request, Call call, std::shared_ptr<SparseSum> sum, bool slices,
                  OnReduced done)
      : Operation(request.id, std::move(call), request.options.timeout, std::move(done)),
        request_(std::move(request)),
        slices_(slices),
        sum_(std::move(sum)),
        results_(slices ? static_cast<size_t>(request_.division.num_ranks()) : 1) {}

  void Begin(Group& group) override;
  void Take(Group& group, int from, const PartialMessage& message) override;
  std::string Missing(const Group& group) const override;

 private:
  struct Slice {
    bool is_done = false;
    std::optional<SparseRows> rows;
  };

  Leaf num_leaves() const { return request_.division.num_leaves(); }
  size_t row_bytes() const { return request_.row_elements * DTypeSize(request_.dtype); }
  // The rows of a slice; the only one has all.
  std::pair<int64_t, int64_t> RowsOf(size_t slice) const {
    const auto count = static_cast<int64_t>(results_.size()), s = static_cast<int64_t>(slice);
    const auto border = [&](int64_t i) {
      return request_.num_rows / count * i + request_.num_rows % count * i / count;
    };
    return {border(s), border(s + 1)};
  }
  size_t SliceOf(const Group& group) const {
    return slices_ ? static_cast<size_t>(group.rank()) : 0;
  }
  std::optional<SparseRows> SumOf(Node node, const Known& known) const;
  void SendNode(Group& group, int to, size_t slice, Node node,
                const std::optional<SparseRows>& rows);
  void AddUp(Group& group);
  void EndSlice(Group& group, size_t slice, std::optional<SparseRows> rows);
  bool Belongs(const Group& group, int from, const PartialHeader& header) const;

  const SparseSumRequest request_;
  const bool slices_;
  const std::shared_ptr<SparseSum> sum_;
  std::vector<Slice> results_;
  Known parts_;         // of my slice, by nodes of all ranks' covers
  size_t missing_ = 0;  // of them
  size_t undone_ = 0;   // slices
};

// By the tree; each node is known, or made of nodes that are.
std::optional<SparseRows> SparseOperation::SumOf(Node node, const Known& known) const {
  if (const auto found = known.find(node); found != known.end()) return found->second;
  auto left = SumOf(LeftChild(node), known), right = SumOf(RightChild(node), known);
  if (!left) return right;
  if (!right) return left;
  return Merge(request_.dtype, request_.row_elements, *left, *right);
}

void SparseOperation::Begin(Group& group) {
  if (num_leaves() == 0) return Finish(group, Reduced{false});
  undone_ = results_.size();
  Known own;
  for (const SparseContribution& each : request_.contributions) {
    own[each.node] = each.is_absent ? std::nullopt
                                    : std::optional(Sorted(request_.dtype, request_.row_elements,
                                                           each.indices, each.values));
  }
  for (int rank = 0; rank < group.num_ranks(); ++rank)
    missing_ += Cover(request_.division.block(rank), num_leaves()).size();
  for (const Node node : Cover(request_.division.block(group.rank()), num_leaves())) {
    const auto rows = SumOf(node, own);
    for (int to = 0; to < group.num_ranks(); ++to) {
      const size_t slice = slices_ ? static_cast<size_t>(to) : 0;
      const auto [begin, end] = RowsOf(slice);
      const auto part = rows ? std::optional(rows->Between(begin, end)) : std::nullopt;
      if (to != group.rank()) {
        SendNode(group, to, slice, node, part);
      } else {
        parts_[node] = part;
        --missing_;
      }
    }
  }
  if (missing_ == 0) AddUp(group);
}

void SparseOperation::SendNode(Group& group, int to, size_t slice, Node node,
                               const std::optional<SparseRows>& rows) {
  PartialHeader header = Header();
  header.present = rows.has_value();
  header.slice = static_cast<uint32_t>(slice);
  header.node = node;
  header.num_leaves = num_leaves();
  net::Payload body;
  if (rows) {
    net::Block block = group.Allocate(EncodedBytes(*rows));
    EncodeRows(*rows, block.bytes.data());
    body = std::move(block);
  }
  Send(group, to, header, std::move(body));
}

// A node of the sender's cover for my slice, or its owner's sum of another one.
bool SparseOperation::Belongs(const Group& group, int from, const PartialHeader& header) const {
  if (header.slice >= results_.size() || header.num_leaves != num_leaves()) return false;
  if (header.slice != SliceOf(group))
    return static_cast<int>(header.slice) == from && header.node == Root(num_leaves());
  const auto cover = Cover(request_.division.block(from), num_leaves());
  return std::find(cover.begin(), cover.end(), header.node) != cover.end();
}

void SparseOperation::Take(Group& group, int from, const PartialMessage& message) {
  const PartialHeader& header = message.header;
  std::optional<SparseRows> rows;
  bool fits = Belongs(group, from, header);
  if (fits && header.present) {
    const auto [begin, end] = RowsOf(header.slice);
    rows = DecodeRows(message.elements.bytes(), row_bytes(), begin, end);
    fits = rows.has_value();
  }
  if (!fits) {
    group.FailAndAbort(
        *this, Status(Code::kInvalidArgument,
                      "[sparse_all_reduce] a partial must be rows of a slice; got " +
                          std::to_string(message.elements.size()) + " bytes for node " +
                          ToString(header.node) + " of slice " + std::to_string(header.slice) +
                          " from rank " + std::to_string(from) + " " + group.Place(id())));
    return;
  }
  if (results_[header.slice].is_done) {
    LOCKSTEP_PROBE("sparse rows of a finished slice");
    return;
  }
  if (header.slice != SliceOf(group)) return EndSlice(group, header.slice, std::move(rows));
  if (parts_.contains(header.node)) {
    LOCKSTEP_PROBE("sparse rows came twice");
    return;
  }
  parts_[header.node] = std::move(rows);
  if (--missing_ == 0) AddUp(group);
}

void SparseOperation::AddUp(Group& group) {
  auto rows = SumOf(Root(num_leaves()), parts_);
  const size_t slice = SliceOf(group);
  for (int to = 0; slices_ && to < group.num_ranks(); ++to)
    if (to != group.rank()) SendNode(group, to, slice, Root(num_leaves()), rows);
  EndSlice(group, slice, std::move(rows));
}

void SparseOperation::EndSlice(Group& group, size_t slice, std::optional<SparseRows> rows) {
  results_[slice] = {true, std::move(rows)};
  if (--undone_ > 0) return;
  for (Slice& each : results_) {
    if (!each.rows) continue;
    sum_->present = true;
    SparseRows& all = sum_->rows;
    all.indices.insert(all.indices.end(), each.rows->indices.begin(), each.rows->indices.end());
    all.values.insert(all.values.end(), each.rows->values.begin(), each.rows->values.end());
  }
  Finish(group, Reduced{sum_->present});
}

std::string SparseOperation::Missing(const Group& group) const {
  for (int rank = 0; rank < group.num_ranks(); ++rank)
    for (const Node node : Cover(request_.division.block(rank), num_leaves()))
      if (!parts_.contains(node))
        return "none of node " + ToString(node) + " from rank " + std::to_string(rank);
  for (size_t slice = 0; slice < results_.size(); ++slice)
    if (!results_[slice].is_done) return "no sum of slice " + std::to_string(slice);
  return "every partial";
}

Status Check(const Group& group, const SparseSumRequest& request) {
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument,
                  "[sparse_all_reduce] " + rule + "; got " + got + " " + group.Place(request.id));
  };
  if (!CanAdd(request.dtype))
    return fault("dtype must be one of numbers", std::string(DTypeName(request.dtype)));
  if (const Algorithm asked = request.options.algorithm;
      asked == Algorithm::kRelay || asked == Algorithm::kMeasured)
    return fault("the algorithm must be auto, exchange or slices",
                 std::string(AlgorithmName(asked)));
  if (request.division.num_ranks() != group.num_ranks())
    return fault("the division must have a block per rank",
                 std::to_string(request.division.num_ranks()) + " blocks");
  std::vector<Node> nodes;
  for (const SparseContribution& each : request.contributions) {
    nodes.push_back(each.node);
    for (const int64_t index : each.indices)
      if (index < 0 || index >= request.num_rows)
        return fault("indices must be in [0, " + std::to_string(request.num_rows) + ")",
                     std::to_string(index));
  }
  return CheckNodes(group, OpKind::kSparseSum, request.id, std::move(nodes),
                    request.division.block(group.rank()), request.division.num_leaves());
}

}  // namespace

void AllReduceSparseSum(Group& group, SparseSumRequest request, OnSparseSum done,
                        std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  if (Status fault = Check(group, request); !fault.ok())
    return Refuse(group, std::move(done), std::move(fault));
  const Algorithm asked = request.options.algorithm;
  const bool slices =
      asked == Algorithm::kAuto ? group.num_ranks() > 2 : asked == Algorithm::kSlices;
  Fingerprint plan;
  plan.Mix(slices).Mix(request.row_elements);
  for (Leaf border : request.division.borders()) plan.Mix(border);
  const auto count = static_cast<uint64_t>(request.num_rows) * request.row_elements;
  Call call{OpKind::kSparseSum, request.dtype, count, plan.value(), request.label, "", where};
  auto sum = std::make_shared<SparseSum>();
  group.Run(std::make_unique<SparseOperation>(
      std::move(request), std::move(call), sum, slices,
      [sum, done = std::move(done)](const Result<Reduced>& result) {
        result.ok() ? done(std::move(*sum)) : done(result.status());
      }));
}

}  // namespace lockstep::collectives
