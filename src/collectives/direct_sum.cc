#include "collectives/direct_sum.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/copy_between_cores.h"
#include "base/probe.h"

namespace lockstep::collectives {
namespace {

// Elements that stay until nobody holds their keeper; no data: absent.
struct Part {
  bool is_known = false;
  const std::byte* data = nullptr;
  std::shared_ptr<const void> keeper;
};

// Non-null for parts that are present and have no elements.
constexpr std::byte kNoElements{};

class DirectSum final : public SumOperation {
 public:
  DirectSum(SumRequest request, Call call, std::shared_ptr<const PreparedSum> prepared,
            OnReduced done)
      : SumOperation(std::move(request), std::move(call), std::move(prepared), std::move(done)),
        parts_(this->prepared().parts.size()),
        done_(plan().slices.size(), false),
        missing_(parts_.size()),
        undone_(done_.size()) {}

  void Begin(Group& group) override;

 private:
  void TakePartial(Group& group, const PartialMessage& message) override;
  bool IsSliceDone(size_t slice) const override { return done_[slice]; }
  bool Has(size_t slice, Node node) const override;

  bool is_exchange() const { return plan().algorithm == Algorithm::kExchange; }
  bool IsMine(const Group& group, size_t slice) const {
    return is_exchange() || plan().slices[slice].owner == group.rank();
  }
  size_t PartOf(Node node) const;
  Part SumOfOwn(Group& group, Node node);
  Part OwnPart(Group& group, Node node);
  void SendOwn(Group& group, size_t part);
  void AddMine(Group& group);
  void TakeResult(Group& group, const PartialMessage& message);
  void EndSlice(Group& group, size_t slice, bool present);
  bool OverlapsOutput(const std::byte* data) const;

  std::vector<Part> parts_;  // of the whole buffer for those of this rank, of my slice for others
  std::vector<bool> done_;   // by slice
  size_t missing_;           // parts of my slice
  size_t undone_;            // slices
  size_t mine_ = ~size_t{0};
  bool present_ = false;
};

size_t DirectSum::PartOf(Node node) const {
  const auto& nodes = prepared().parts;
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
  return found != nodes.end() && *found == node ? static_cast<size_t>(found - nodes.begin())
                                                : nodes.size();
}

bool DirectSum::OverlapsOutput(const std::byte* data) const {
  const size_t bytes = request().count * DTypeSize(request().dtype);
  return data < request().output + bytes && request().output < data + bytes;
}

// Adds up contributions that are finer than the node that others need.
Part DirectSum::SumOfOwn(Group& group, Node node) {
  std::vector<Contribution> inside;
  for (const Contribution& contribution : request().contributions)
    if (node.Contains(contribution.node)) inside.push_back(contribution);
  std::sort(inside.begin(), inside.end(),
            [](const auto& a, const auto& b) { return a.node < b.node; });
  std::vector<Node> nodes;
  std::vector<const std::byte*> data;
  for (const Contribution& each : inside) {
    nodes.push_back(each.node);
    data.push_back(each.data);
  }
  net::Block sum = group.Allocate(request().count * DTypeSize(request().dtype));
  const bool present =
      TreeSum(nodes, node).Add(request().dtype, data.data(), request().count, sum.bytes.data());
  if (!present) return {};
  return {true, request().count > 0 ? sum.bytes.data() : &kNoElements, std::move(sum.owner)};
}

Part DirectSum::OwnPart(Group& group, Node node) {
  for (const Contribution& contribution : request().contributions) {
    if (contribution.node != node) continue;
    // What peers read must not change, as it would where the sum goes to the same place.
    const bool stays = contribution.keeper != nullptr && !OverlapsOutput(contribution.data);
    return {true, contribution.data, stays ? contribution.keeper : nullptr};
  }
  return SumOfOwn(group, node);
}

void DirectSum::Begin(Group& group) {
  const size_t slices = plan().slices.size();
  if (slices == 0) return Finish(group, Reduced{false});
  for (size_t slice = 0; slice < slices; ++slice)
    if (IsMine(group, slice)) mine_ = slice;
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (prepared().owners[part] != group.rank()) continue;
    parts_[part] = OwnPart(group, prepared().parts[part]);
    SendOwn(group, part);
    parts_[part].is_known = true;
    --missing_;
    if (mine_ < slices && parts_[part].data != nullptr) parts_[part].data += SliceOffset(mine_);
  }
  if (missing_ == 0 && mine_ < slices) AddMine(group);
}

// Sends a part of this rank to whoever adds up some slice of it, without a copy where it has a
// keeper; the transport copies what does not lie in its memory.
void DirectSum::SendOwn(Group& group, size_t part) {
  const Node node = prepared().parts[part];
  const Part& own = parts_[part];
  for (size_t slice = 0; slice < plan().slices.size(); ++slice) {
    const bool goes_out = is_exchange() ? group.num_ranks() > 1 : !IsMine(group, slice);
    if (!goes_out) continue;
    net::Payload body;
    if (const size_t bytes = SliceBytes(slice); own.data != nullptr && bytes > 0) {
      const std::byte* begin = own.data + SliceOffset(slice);
      if (own.keeper != nullptr) {
        body = net::Payload(own.keeper, {begin, bytes});
      } else {
        net::Block copy = group.Allocate(bytes);
        std::memcpy(copy.bytes.data(), begin, bytes);
        body = std::move(copy);
      }
    }
    const PartialHeader header = HeaderOf(slice, node, own.data != nullptr);
    if (!is_exchange()) {
      Send(group, plan().slices[slice].owner, header, std::move(body));
      continue;
    }
    for (int to = 0; to < group.num_ranks(); ++to)
      if (to != group.rank()) Send(group, to, header, body);
  }
}

bool DirectSum::Has(size_t slice, Node node) const {
  if (done_[slice]) return true;
  const size_t part = PartOf(node);
  return slice == mine_ && part < parts_.size() && parts_[part].is_known;
}

void DirectSum::TakePartial(Group& group, const PartialMessage& message) {
  const size_t slice = message.header.slice;
  if (done_[slice]) {
    LOCKSTEP_PROBE("a partial of a finished slice");
    return;
  }
  if (slice != mine_) return TakeResult(group, message);
  const size_t part = PartOf(message.header.node);
  if (part == parts_.size() || parts_[part].is_known) {
    LOCKSTEP_PROBE("a partial that is no part of the plan, or comes again");
    return;
  }
  if (message.header.present)
    parts_[part] = {true, message.elements.size() > 0 ? message.elements.data() : &kNoElements,
                    message.elements.owner()};
  parts_[part].is_known = true;
  if (--missing_ == 0) AddMine(group);
}

void DirectSum::AddMine(Group& group) {
  const size_t bytes = SliceBytes(mine_);
  std::byte* output = request().output + SliceOffset(mine_);
  constexpr size_t kFew = 16;
  const std::byte* few[kFew];
  std::vector<const std::byte*> many;
  const std::byte** data = few;
  if (parts_.size() > kFew) {
    many.resize(parts_.size());
    data = many.data();
  }
  for (size_t i = 0; i < parts_.size(); ++i) data[i] = parts_[i].data;
  const auto& owners = prepared().owners;
  OfOtherCore of_other_core;
  if (parts_.size() == 2)
    of_other_core = {owners[0] != group.rank(), owners[1] != group.rank(), !is_exchange()};
  const bool present = prepared().tree->Add(request().dtype, data, SliceCount(mine_),
                                            bytes > 0 ? output : nullptr, of_other_core);
  if (!is_exchange() && group.num_ranks() > 1) {
    net::Payload body;
    if (present && bytes > 0 && request().output_keeper != nullptr) {
      body = net::Payload(request().output_keeper, {output, bytes});
    } else if (present && bytes > 0) {
      net::Block copy = group.Allocate(bytes);
      std::memcpy(copy.bytes.data(), output, bytes);
      body = std::move(copy);
    }
    const PartialHeader header = HeaderOf(mine_, Root(num_leaves()), present);
    for (int to = 0; to < group.num_ranks(); ++to)
      if (to != group.rank()) Send(group, to, header, body);
  }
  EndSlice(group, mine_, present);
}

void DirectSum::TakeResult(Group& group, const PartialMessage& message) {
  if (message.header.node != Root(num_leaves())) {
    LOCKSTEP_PROBE("a partial that is no part of the plan, or comes again");
    return;
  }
  const size_t slice = message.header.slice;
  base::CopyFromOtherCore(request().output + SliceOffset(slice), message.elements.data(),
                          message.elements.size());
  EndSlice(group, slice, message.header.present);
}

void DirectSum::EndSlice(Group& group, size_t slice, bool present) {
  done_[slice] = true;
  present_ = present_ || present;
  if (--undone_ == 0) Finish(group, Reduced{present_});
}

}  // namespace

std::unique_ptr<Operation> MakeDirectSum(SumRequest request, Call call,
                                         std::shared_ptr<const PreparedSum> prepared,
                                         OnReduced done) {
  return std::make_unique<DirectSum>(std::move(request), std::move(call), std::move(prepared),
                                     std::move(done));
}

}  // namespace lockstep::collectives
