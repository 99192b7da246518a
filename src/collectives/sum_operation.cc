#include "collectives/sum_operation.h"

#include <algorithm>
#include <utility>

namespace lockstep::collectives {
namespace {

constexpr const char* kName = "all_reduce";
constexpr size_t kMostPrepared = 64;

// FNV-1a over what decides the plan: two ranks with equal fingerprints exchange the same messages.
uint32_t Fingerprint(const Division& division, Algorithm algorithm) {
  uint32_t hash = 2166136261u;
  const auto mix = [&hash](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ ((value >> shift) & 255)) * 16777619u;
  };
  mix(static_cast<uint32_t>(algorithm));
  for (Leaf border : division.borders()) mix(border);
  return hash;
}

std::string Describe(DType dtype, uint64_t count, Leaf num_leaves) {
  return std::string(DTypeName(dtype)) + "[" + std::to_string(count) + "] over " +
         std::to_string(num_leaves) + " leaves";
}

}  // namespace

std::shared_ptr<const PreparedSum> PreparedSums::Find(const Division& division, size_t count,
                                                      size_t element_bytes, Algorithm algorithm) {
  for (size_t i = 0; i < recent_.size(); ++i) {
    const PreparedSum& each = *recent_[i];
    if (each.count == count && each.element_bytes == element_bytes && each.asked == algorithm &&
        each.division == division)
      return recent_[i];
  }
  auto made = std::make_shared<PreparedSum>(
      PreparedSum{division, count, element_bytes, algorithm,
                  MakePlan(division, count, element_bytes, algorithm)});
  made->fingerprint = Fingerprint(division, made->plan.algorithm);
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

SumOperation::SumOperation(SumRequest request, std::shared_ptr<const PreparedSum> prepared,
                           OnReduced done)
    : Operation(request.id, kName, request.options.timeout, std::move(done)),
      request_(std::move(request)),
      prepared_(std::move(prepared)),
      element_bytes_(DTypeSize(request_.dtype)) {}

net::Payload SumOperation::HeaderOf(size_t slice, Node node, bool present) const {
  PartialHeader header;
  header.op = id();
  header.dtype = request_.dtype;
  header.present = present;
  header.slice = static_cast<uint32_t>(slice);
  header.node = node;
  header.num_leaves = num_leaves();
  header.plan = prepared_->fingerprint;
  header.count = request_.count;
  return Encode(header);
}

Status SumOperation::Disagreement(const Group& group, int from,
                                  const PartialMessage& message) const {
  const PartialHeader& header = message.header;
  const bool is_alike = header.dtype == request_.dtype && header.count == request_.count &&
                        header.num_leaves == num_leaves() && header.kind == OpKind::kAllReduceSum;
  const bool fits = header.slice < plan().slices.size() && IsNode(header.node, num_leaves()) &&
                    message.elements.size() == (header.present ? SliceBytes(header.slice) : 0);
  if (is_alike && header.plan == prepared_->fingerprint && fits) return Status::Ok();
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, std::string("[") + kName + "] " + rule + "; got " + got +
                                              " from rank " + std::to_string(from) + " " +
                                              group.Place(id()));
  };
  if (!is_alike)
    return fault("dtype, count and leaves must agree across ranks",
                 Describe(request_.dtype, request_.count, num_leaves()) + " here, " +
                     Describe(header.dtype, header.count, header.num_leaves));
  if (header.plan != prepared_->fingerprint)
    return fault("the division of leaves and the algorithm must agree across ranks",
                 "another plan than " + std::string(AlgorithmName(plan().algorithm)));
  return fault("a partial must be a node of a slice",
               "node " + ToString(header.node) + " of slice " + std::to_string(header.slice) +
                   " with " + std::to_string(message.elements.size()) + " bytes");
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
