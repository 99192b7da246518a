#include "collectives/reduce_scatter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "collectives/relayed_sum.h"
#include "collectives/sum_operation.h"

namespace lockstep::collectives {
namespace {

Status Check(const Group& group, const ReduceScatterRequest& request) {
  const auto& shares = request.shares;
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument,
                  "[reduce_scatter] " + rule + "; got " + got + " " + group.Place(request.sum.id));
  };
  const bool rises = static_cast<int>(shares.size()) == group.num_ranks() + 1 &&
                     shares.front() == 0 && shares.back() == request.sum.count &&
                     std::is_sorted(shares.begin(), shares.end());
  if (!rises) {
    std::string text;
    for (size_t border : shares) text += (text.empty() ? "" : ",") + std::to_string(border);
    return fault("shares must rise from 0 to the number of elements, one more than ranks",
                 "[" + text + "] for " + std::to_string(request.sum.count) + " elements");
  }
  if (request.sum.options.algorithm == Algorithm::kExchange)
    return fault("the algorithm must be auto, slices or relay", "exchange");
  return CheckSum(group, OpKind::kReduceScatterSum, request.sum);
}

}  // namespace

void ReduceScatterSum(Group& group, ReduceScatterRequest request, OnReduced done,
                      std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  if (Status fault = Check(group, request); !fault.ok())
    return Refuse(group, std::move(done), std::move(fault));
  SumRequest& sum = request.sum;
  auto prepared = group.prepared_sums().Find(sum.division, sum.count, DTypeSize(sum.dtype),
                                             sum.options.algorithm, request.shares);
  Call call = CallOf(OpKind::kReduceScatterSum, sum, *prepared, where);
  group.Run(MakeRelayedSum(std::move(sum), std::move(call), std::move(prepared), std::move(done)));
}

}  // namespace lockstep::collectives
