#include "collectives/all_reduce.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "collectives/direct_sum.h"
#include "collectives/element_sum.h"
#include "collectives/relayed_sum.h"

namespace lockstep::collectives {

// Whether these, ascending, are nodes of the tree, one beside the other from end to end of `block`.
static bool MakeUp(const std::vector<Node>& nodes, Node block, Leaf num_leaves) {
  Leaf next = block.begin;
  bool fits = true;
  for (Node node : nodes) {
    fits = fits && node.begin == next && IsNode(node, num_leaves);
    next = node.end;
  }
  return fits && next == block.end;
}

Status CheckSum(const Group& group, OpKind kind, const SumRequest& request) {
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, std::string("[") + OpKindName(kind) + "] " + rule +
                                              "; got " + got + " " + group.Place(request.id));
  };
  if (!CanAdd(request.dtype))
    return fault("dtype must be one of numbers", std::string(DTypeName(request.dtype)));
  if (request.division.num_ranks() != group.num_ranks())
    return fault("the division must have a block per rank",
                 std::to_string(request.division.num_ranks()) + " blocks");
  if (request.output == nullptr && request.count > 0)
    return fault("a sum must have a place to go", "no output");
  const Node block = request.division.block(group.rank());
  std::vector<Node> nodes;
  for (const Contribution& contribution : request.contributions) nodes.push_back(contribution.node);
  return CheckNodes(group, kind, request.id, std::move(nodes), block,
                    request.division.num_leaves());
}

Status CheckNodes(const Group& group, OpKind kind, OpId id, std::vector<Node> nodes, Node block,
                  Leaf num_leaves) {
  std::sort(nodes.begin(), nodes.end());
  if (MakeUp(nodes, block, num_leaves)) return Status::Ok();
  std::string list;
  for (Node node : nodes) list += (list.empty() ? "" : " ") + ToString(node);
  return Status(Code::kInvalidArgument,
                std::string("[") + OpKindName(kind) +
                    "] contributions must be nodes that make up the block " + ToString(block) +
                    " of this rank; got " + (list.empty() ? "none" : list) + " " + group.Place(id));
}

void AllReduceSum(Group& group, SumRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  if (Status fault = CheckSum(group, OpKind::kAllReduceSum, request); !fault.ok())
    return Refuse(group, std::move(done), std::move(fault));
  auto prepared = group.prepared_sums().Find(request.division, request.count,
                                             DTypeSize(request.dtype), request.options.algorithm);
  auto make = prepared->plan.algorithm == Algorithm::kRelay ? MakeRelayedSum : MakeDirectSum;
  Call call = CallOf(OpKind::kAllReduceSum, request, *prepared, where);
  group.Run(make(std::move(request), std::move(call), std::move(prepared), std::move(done)));
}

base::Eventual<Result<Reduced>> AllReduceSum(Group& group, SumRequest request,
                                             std::source_location where) {
  base::Eventual<Result<Reduced>> reduced(group.executor());
  AllReduceSum(group, std::move(request), reduced.Setter(), where);
  return reduced;
}

}  // namespace lockstep::collectives
