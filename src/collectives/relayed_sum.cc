#include "collectives/relayed_sum.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/probe.h"
#include "collectives/combiner.h"

namespace lockstep::collectives {
namespace {

class RelayedSum final : public SumOperation {
 public:
  RelayedSum(SumRequest request, Call call, std::shared_ptr<const PreparedSum> prepared,
             OnReduced done)
      : SumOperation(std::move(request), std::move(call), std::move(prepared), std::move(done)),
        work_(plan().slices.size()) {}

  void Begin(Group& group) override;

 private:
  // One slice on this rank: what is known of its tree, and whom to tell.
  struct Work {
    std::map<Node, std::vector<int>> outgoing;
    std::unique_ptr<Combiner> combiner;
    bool wants_root = false;
    bool done = false;
  };

  void TakePartial(Group& group, const PartialMessage& message) override;
  bool IsSliceDone(size_t slice) const override { return work_[slice].done; }
  bool Has(size_t slice, Node node) const override {
    return work_[slice].combiner != nullptr && work_[slice].combiner->HasLeavesOf(node);
  }
  void MakeWork(Group& group);
  void SendNode(Group& group, size_t slice, Node node, const Partial& partial) const;
  void FinishSlice(Group& group, size_t slice);

  std::vector<Work> work_;
  size_t done_slices_ = 0;
  bool present_ = false;
};

void RelayedSum::MakeWork(Group& group) {
  for (size_t slice = 0; slice < work_.size(); ++slice) {
    Work& work = work_[slice];
    std::vector<Node> wanted;
    // All ranks get every slice of an all-reduce.
    work.wants_root = prepared().shares.empty() || plan().slices[slice].owner == group.rank();
    for (const Transfer& transfer : plan().slices[slice].transfers) {
      if (transfer.from != group.rank()) continue;
      work.outgoing[transfer.node].push_back(transfer.to);
      wanted.push_back(transfer.node);
    }
    work.combiner = std::make_unique<Combiner>(
        num_leaves(), request().dtype, SliceCount(slice), wanted,
        [this, &group, slice](Node node, const Partial& partial) {
          SendNode(group, slice, node, partial);
        },
        work.wants_root);
  }
}

void RelayedSum::Begin(Group& group) {
  MakeWork(group);
  if (work_.empty()) {
    Finish(group, Reduced{false});
    return;
  }
  for (size_t slice = 0; slice < work_.size(); ++slice) {
    for (const Contribution& contribution : request().contributions) {
      work_[slice].combiner->Add(contribution.node,
                                 contribution.data == nullptr
                                     ? Partial::Absent()
                                     : Partial::Borrow(contribution.data + SliceOffset(slice)));
    }
  }
  for (size_t slice = 0; slice < work_.size(); ++slice) FinishSlice(group, slice);
}

void RelayedSum::SendNode(Group& group, size_t slice, Node node, const Partial& partial) const {
  const auto found = work_[slice].outgoing.find(node);
  if (found == work_[slice].outgoing.end()) return;
  const PartialHeader header = HeaderOf(slice, node, partial.present());
  net::Payload body;
  if (const size_t bytes = SliceBytes(slice); partial.present() && bytes > 0) {
    net::Block block = group.Allocate(bytes);
    std::memcpy(block.bytes.data(), partial.data(), bytes);
    body = std::move(block);
  }
  for (int to : found->second) Send(group, to, header, body);
}

// Writes the slice's sum once this rank has also sent everything that others need of it.
void RelayedSum::FinishSlice(Group& group, size_t slice) {
  Work& work = work_[slice];
  if (work.done || !work.combiner->done()) return;
  if (work.wants_root) {
    const Partial& root = work.combiner->root();
    present_ = present_ || root.present();
    const size_t offset = prepared().shares.empty() ? SliceOffset(slice) : 0;
    if (const size_t bytes = SliceBytes(slice); root.present() && bytes > 0)
      std::memmove(request().output + offset, root.data(), bytes);
  }
  work.done = true;
  work.combiner.reset();
  if (++done_slices_ == work_.size()) Finish(group, Reduced{present_});
}

void RelayedSum::TakePartial(Group& group, const PartialMessage& message) {
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

}  // namespace

std::unique_ptr<Operation> MakeRelayedSum(SumRequest request, Call call,
                                          std::shared_ptr<const PreparedSum> prepared,
                                          OnReduced done) {
  return std::make_unique<RelayedSum>(std::move(request), std::move(call), std::move(prepared),
                                      std::move(done));
}

}  // namespace lockstep::collectives
