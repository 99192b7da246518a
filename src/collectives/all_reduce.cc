#include "collectives/all_reduce.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "collectives/combiner.h"
#include "collectives/element_sum.h"

namespace lockstep::collectives {
namespace {

constexpr const char* kName = "all_reduce";

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

class AllReduce final : public Operation {
 public:
  AllReduce(SumRequest request, OnReduced done)
      : Operation(request.id, kName, request.options.timeout, std::move(done)),
        request_(std::move(request)),
        element_bytes_(DTypeSize(request_.dtype)) {}

  void Begin(Group& group) override;
  void Take(Group& group, int from, const PartialMessage& message) override;
  std::string Missing(const Group& group) const override;

 private:
  // One slice on this rank: what is known of its tree, and whom to tell.
  struct Work {
    std::map<Node, std::vector<int>> outgoing;
    std::unique_ptr<Combiner> combiner;
    bool done = false;
  };

  Leaf num_leaves() const { return request_.division.num_leaves(); }
  size_t SliceBytes(size_t slice) const {
    return (plan_.slices[slice].end - plan_.slices[slice].begin) * element_bytes_;
  }
  void MakeWork(Group& group);
  void SendNode(Group& group, size_t slice, Node node, const Partial& partial) const;
  void FinishSlice(Group& group, size_t slice);
  Status Disagreement(const Group& group, int from, const PartialMessage& message) const;

  const SumRequest request_;
  const size_t element_bytes_;
  Plan plan_;
  uint32_t fingerprint_ = 0;
  std::vector<Work> work_;
  size_t done_slices_ = 0;
};

void AllReduce::MakeWork(Group& group) {
  plan_ = MakePlan(request_.division, request_.count, element_bytes_, request_.options.algorithm);
  fingerprint_ = Fingerprint(request_.division, plan_.algorithm);
  work_.resize(plan_.slices.size());
  for (size_t slice = 0; slice < work_.size(); ++slice) {
    Work& work = work_[slice];
    std::vector<Node> wanted;
    for (const Transfer& transfer : plan_.slices[slice].transfers) {
      if (transfer.from != group.rank()) continue;
      work.outgoing[transfer.node].push_back(transfer.to);
      wanted.push_back(transfer.node);
    }
    work.combiner = std::make_unique<Combiner>(
        num_leaves(), request_.dtype, SliceBytes(slice) / element_bytes_, wanted,
        [this, &group, slice](Node node, const Partial& partial) {
          SendNode(group, slice, node, partial);
        });
  }
}

void AllReduce::Begin(Group& group) {
  MakeWork(group);
  if (work_.empty()) {
    Finish(group, Reduced{false});
    return;
  }
  for (size_t slice = 0; slice < work_.size(); ++slice) {
    const size_t offset = plan_.slices[slice].begin * element_bytes_;
    for (const Contribution& contribution : request_.contributions) {
      work_[slice].combiner->Add(contribution.node,
                                 contribution.data == nullptr
                                     ? Partial::Absent()
                                     : Partial::Borrow(contribution.data + offset));
    }
  }
  for (size_t slice = 0; slice < work_.size(); ++slice) FinishSlice(group, slice);
}

void AllReduce::SendNode(Group& group, size_t slice, Node node, const Partial& partial) const {
  const auto found = work_[slice].outgoing.find(node);
  if (found == work_[slice].outgoing.end()) return;
  PartialHeader header;
  header.op = id();
  header.dtype = request_.dtype;
  header.present = partial.present();
  header.slice = static_cast<uint32_t>(slice);
  header.node = node;
  header.num_leaves = num_leaves();
  header.plan = fingerprint_;
  header.count = request_.count;
  const size_t bytes = partial.present() ? SliceBytes(slice) : 0;
  const net::Payload payload = Encode(header);
  net::Payload body;
  if (bytes > 0) {
    net::Block block = group.Allocate(bytes);
    std::memcpy(block.bytes.data(), partial.data(), bytes);
    body = std::move(block);
  }
  for (int to : found->second) group.Send(to, payload, body);
}

// Writes the slice's sum once this rank has also sent everything that others need of it.
void AllReduce::FinishSlice(Group& group, size_t slice) {
  Work& work = work_[slice];
  if (work.done || !work.combiner->done()) return;
  const Partial& root = work.combiner->root();
  const bool present = root.present();
  if (const size_t bytes = SliceBytes(slice); present && bytes > 0) {
    std::memmove(request_.output + plan_.slices[slice].begin * element_bytes_, root.data(), bytes);
  }
  work.done = true;
  work.combiner.reset();
  if (++done_slices_ == work_.size()) Finish(group, Reduced{present});
}

Status AllReduce::Disagreement(const Group& group, int from, const PartialMessage& message) const {
  const PartialHeader& header = message.header;
  const auto fault = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, std::string("[") + kName + "] " + rule + "; got " + got +
                                              " from rank " + std::to_string(from) + " " +
                                              group.Place(id()));
  };
  const std::string ours = Describe(request_.dtype, request_.count, num_leaves());
  const std::string theirs = Describe(header.dtype, header.count, header.num_leaves);
  if (ours != theirs || header.kind != OpKind::kAllReduceSum)
    return fault("dtype, count and leaves must agree across ranks", ours + " here, " + theirs);
  if (header.plan != fingerprint_)
    return fault("the division of leaves and the algorithm must agree across ranks",
                 "another plan than " + std::string(AlgorithmName(plan_.algorithm)));
  const bool fits = header.slice < work_.size() && IsNode(header.node, num_leaves()) &&
                    message.elements.size() == (header.present ? SliceBytes(header.slice) : 0);
  if (!fits)
    return fault("a partial must be a node of a slice",
                 "node " + ToString(header.node) + " of slice " + std::to_string(header.slice) +
                     " with " + std::to_string(message.elements.size()) + " bytes");
  return Status::Ok();
}

void AllReduce::Take(Group& group, int from, const PartialMessage& message) {
  if (Status fault = Disagreement(group, from, message); !fault.ok()) {
    group.FailAndAbort(*this, std::move(fault));
    return;
  }
  const size_t slice = message.header.slice;
  if (work_[slice].done) {
    LOCKSTEP_PROBE("a partial of a finished slice");
    return;
  }
  const bool is_new = work_[slice].combiner->Add(
      message.header.node, message.header.present
                               ? Partial::Borrow(message.elements.data(), message.elements.owner())
                               : Partial::Absent());
  if (!is_new) LOCKSTEP_PROBE("a partial's leaves are already in the sum");
  FinishSlice(group, slice);
}

std::string AllReduce::Missing(const Group& group) const {
  const std::string done =
      std::to_string(done_slices_) + " of " + std::to_string(work_.size()) + " slices are done";
  // A rank's own partials say more than a sum that itself waits for others.
  for (const bool is_root : {false, true}) {
    for (size_t slice = 0; slice < work_.size(); ++slice) {
      if (work_[slice].done) continue;
      for (const Transfer& transfer : plan_.slices[slice].transfers) {
        if (transfer.to != group.rank() || (transfer.node == Root(num_leaves())) != is_root)
          continue;
        if (work_[slice].combiner->HasLeavesOf(transfer.node)) continue;
        return "none of node " + ToString(transfer.node) + ", slice " + std::to_string(slice) +
               ", from rank " + std::to_string(transfer.from) + "; " + done;
      }
    }
  }
  return "every partial; " + done;
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
  std::vector<Node> nodes;
  for (const Contribution& contribution : request.contributions) nodes.push_back(contribution.node);
  std::sort(nodes.begin(), nodes.end());
  Leaf next = block.begin;
  bool fits = true;
  std::string list;
  for (Node node : nodes) {
    fits = fits && node.begin == next && IsNode(node, request.division.num_leaves());
    next = node.end;
    list += (list.empty() ? "" : " ") + ToString(node);
  }
  if (!fits || next != block.end)
    return fault(
        "contributions must be nodes that make up the block " + ToString(block) + " of this rank",
        list.empty() ? "none" : list);
  return Status::Ok();
}

}  // namespace

void AllReduceSum(Group& group, SumRequest request, OnReduced done) {
  LOCKSTEP_CHECK(done != nullptr);
  if (Status fault = CheckRequest(group, request); !fault.ok()) {
    group.executor().Post([done = std::move(done), fault = std::move(fault)] { done(fault); });
    return;
  }
  group.Run(std::make_unique<AllReduce>(std::move(request), std::move(done)));
}

base::Eventual<Result<Reduced>> AllReduceSum(Group& group, SumRequest request) {
  base::Eventual<Result<Reduced>> reduced(group.executor());
  AllReduceSum(group, std::move(request), reduced.Setter());
  return reduced;
}

}  // namespace lockstep::collectives
