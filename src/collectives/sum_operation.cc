#include "collectives/sum_operation.h"

#include <algorithm>
#include <utility>

namespace lockstep::collectives {
namespace {

constexpr size_t kMostPrepared = 64;

// Over what decides the plan: two ranks with equal fingerprints exchange the same messages.
uint32_t FingerprintOf(const Division& division, Algorithm algorithm,
                       const std::vector<size_t>& shares) {
  Fingerprint fingerprint;
  fingerprint.Mix(static_cast<uint64_t>(algorithm));
  for (Leaf border : division.borders()) fingerprint.Mix(border);
  for (size_t border : shares) fingerprint.Mix(border);
  return fingerprint.value();
}

}  // namespace

std::shared_ptr<const PreparedSum> PreparedSums::Find(const Division& division, size_t count,
                                                      size_t element_bytes, Algorithm algorithm,
                                                      const std::vector<size_t>& shares) {
  for (size_t i = 0; i < recent_.size(); ++i) {
    const PreparedSum& each = *recent_[i];
    if (each.count == count && each.element_bytes == element_bytes && each.asked == algorithm &&
        each.division == division && each.shares == shares)
      return recent_[i];
  }
  auto made = std::make_shared<PreparedSum>(
      PreparedSum{division, count, element_bytes, algorithm, shares,
                  shares.empty() ? MakePlan(division, count, element_bytes, algorithm, cost_)
                                 : MakeSharesPlan(division, shares, algorithm)});
  made->fingerprint = FingerprintOf(division, made->plan.algorithm, shares);
  if (made->plan.algorithm == Algorithm::kMeasured)
    made->way = std::make_unique<MeasuredWay>(count * element_bytes);
  for (int rank = 0; rank < division.num_ranks(); ++rank) {
    for (Node node : Cover(division.block(rank), division.num_leaves())) {
      made->parts.push_back(node);
      made->owners.push_back(rank);
    }
  }
  if (division.num_leaves() > 0)
    made->tree = std::make_unique<TreeSum>(made->parts, Root(division.num_leaves()));
  if (recent_.size() >= kMostPrepared) recent_.erase(recent_.begin());
  recent_.push_back(made);
  return made;
}

Call CallOf(OpKind kind, const SumRequest& request, const PreparedSum& prepared,
            std::source_location where) {
  return {kind,          request.dtype, request.count, prepared.fingerprint,
          request.label, request.shape, where};
}

SumOperation::SumOperation(SumRequest request, Call call,
                           std::shared_ptr<const PreparedSum> prepared, OnReduced done)
    : Operation(request.id, std::move(call), request.options.timeout, std::move(done)),
      request_(std::move(request)),
      prepared_(std::move(prepared)),
      element_bytes_(DTypeSize(request_.dtype)) {}

PartialHeader SumOperation::HeaderOf(size_t slice, Node node, bool present) const {
  PartialHeader header = Header();
  header.present = present;
  header.slice = static_cast<uint32_t>(slice);
  header.node = node;
  header.num_leaves = num_leaves();
  return header;
}

// Ranks that disagree were found out before: what is wrong here, nobody sends by mistake.
Status SumOperation::Disagreement(const Group& group, int from,
                                  const PartialMessage& message) const {
  const PartialHeader& header = message.header;
  const bool fits = header.slice < plan().slices.size() && header.num_leaves == num_leaves() &&
                    IsNode(header.node, num_leaves()) &&
                    message.elements.size() == (header.present ? SliceBytes(header.slice) : 0);
  if (fits) return Status::Ok();
  return Status(Code::kInvalidArgument,
                std::string("[") + name() + "] a partial must be a node of a slice; got node " +
                    ToString(header.node) + " of slice " + std::to_string(header.slice) + " with " +
                    std::to_string(message.elements.size()) + " bytes from rank " +
                    std::to_string(from) + " " + group.Place(id()));
}

void SumOperation::Take(Group& group, int from, const PartialMessage& message) {
  if (Status fault = Disagreement(group, from, message); !fault.ok()) {
    group.FailAndAbort(*this, std::move(fault));
    return;
  }
  TakePartial(group, message);
}

std::string SumOperation::Missing(const Group& group) const {
  size_t done_slices = 0;
  for (size_t slice = 0; slice < plan().slices.size(); ++slice) done_slices += IsSliceDone(slice);
  const std::string done = std::to_string(done_slices) + " of " +
                           std::to_string(plan().slices.size()) + " slices are done";
  // A rank's own partials say more than a sum that itself waits for others.
  for (const bool is_root : {false, true}) {
    for (size_t slice = 0; slice < plan().slices.size(); ++slice) {
      if (IsSliceDone(slice)) continue;
      for (const Transfer& transfer : plan().slices[slice].transfers) {
        if (transfer.to != group.rank() || (transfer.node == Root(num_leaves())) != is_root)
          continue;
        if (Has(slice, transfer.node)) continue;
        return "none of node " + ToString(transfer.node) + ", slice " + std::to_string(slice) +
               ", from rank " + std::to_string(transfer.from) + "; " + done;
      }
    }
  }
  return "every partial; " + done;
}

}  // namespace lockstep::collectives
