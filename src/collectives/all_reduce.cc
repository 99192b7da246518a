#include "collectives/all_reduce.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "collectives/direct_sum.h"
#include "collectives/element_sum.h"
#include "collectives/relayed_sum.h"

namespace lockstep::collectives {
namespace {

constexpr const char* kName = "all_reduce";

// Whether these are nodes of the tree, one beside the other from end to end of `block`.
bool MakeUp(const std::vector<Contribution>& contributions, Node block, Leaf num_leaves) {
  if (contributions.size() == 1) {
    const Node node = contributions[0].node;
    return node == block && IsNode(node, num_leaves);
  }
  std::vector<Node> nodes;
  for (const Contribution& contribution : contributions) nodes.push_back(contribution.node);
  std::sort(nodes.begin(), nodes.end());
  Leaf next = block.begin;
  bool fits = true;
  for (Node node : nodes) {
    fits = fits && node.begin == next && IsNode(node, num_leaves);
    next = node.end;
  }
  return fits && next == block.end;
}

Status CheckRequest(const Group& group, const SumRequest& request) {
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, std::string("[") + kName + "] " + rule + "; got " + got +
                                              " " + group.Place(request.id));
  };
  if (!CanAdd(request.dtype))
    return fault("dtype must be float32, float64, int32 or int64",
                 std::string(DTypeName(request.dtype)));
  if (request.division.num_ranks() != group.num_ranks())
    return fault("the division must have a block per rank",
                 std::to_string(request.division.num_ranks()) + " blocks");
  if (request.output == nullptr && request.count > 0)
    return fault("a sum must have a place to go", "no output");
  const Node block = request.division.block(group.rank());
  if (MakeUp(request.contributions, block, request.division.num_leaves())) return Status::Ok();
  std::vector<Node> nodes;
  for (const Contribution& contribution : request.contributions) nodes.push_back(contribution.node);
  std::sort(nodes.begin(), nodes.end());
  std::string list;
  for (Node node : nodes) list += (list.empty() ? "" : " ") + ToString(node);
  return fault(
      "contributions must be nodes that make up the block " + ToString(block) + " of this rank",
      list.empty() ? "none" : list);
}

}  // namespace

void AllReduceSum(Group& group, SumRequest request, OnReduced done) {
  LOCKSTEP_CHECK(done != nullptr);
  if (Status fault = CheckRequest(group, request); !fault.ok()) {
    group.executor().Post([done = std::move(done), fault = std::move(fault)] { done(fault); });
    return;
  }
  auto prepared = group.prepared_sums().Find(request.division, request.count,
                                             DTypeSize(request.dtype), request.options.algorithm);
  auto make = prepared->plan.algorithm == Algorithm::kRelay ? MakeRelayedSum : MakeDirectSum;
  group.Run(make(std::move(request), std::move(prepared), std::move(done)));
}

base::Eventual<Result<Reduced>> AllReduceSum(Group& group, SumRequest request) {
  base::Eventual<Result<Reduced>> reduced(group.executor());
  AllReduceSum(group, std::move(request), reduced.Setter());
  return reduced;
}

}  // namespace lockstep::collectives
