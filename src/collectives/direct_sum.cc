#include "collectives/direct_sum.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/copy_between_cores.h"
#include "base/probe.h"

namespace lockstep::collectives {
namespace {

// Elements that stay until nobody holds their keeper; no data: absent.
struct Part {
  bool is_known = false;
  size_t slice = 0;  // with whose first element it begins
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

  bool is_measured() const { return plan().algorithm == Algorithm::kMeasured; }
  void Settle(Group& group, SumWay way);
  void TakePart(Group& group, const PartialMessage& message);
  size_t PartOf(Node node) const;
  Part SumOfOwn(Group& group, Node node);
  Part OwnPart(Group& group, Node node);
  void SendOwn(Group& group, bool whole);
  void SendPart(Group& group, size_t part, size_t slice);
  void TellWay(const Group& group, PartialHeader* header) const;
  void AddMine(Group& group);
  void TakeResult(Group& group, const PartialMessage& message);
  void EndSlice(Group& group, size_t slice, bool present);
  bool OverlapsOutput(const std::byte* data) const;

  static constexpr size_t kNone = ~size_t{0};

  std::vector<Part> parts_;  // of the slice that this rank adds up, or more
  std::vector<bool> done_;   // by slice
  size_t missing_;           // parts
  size_t undone_;            // slices
  size_t mine_ = kNone;      // the slice that this rank adds up
  bool stays_ = true;        // whether all parts of this rank can be read where they lie
  std::optional<SumWay> way_;
  bool present_ = false;
  base::Time complete_{};  // when all parts were here
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
  return {true, 0, request().count > 0 ? sum.bytes.data() : &kNoElements, std::move(sum.owner)};
}

Part DirectSum::OwnPart(Group& group, Node node) {
  for (const Contribution& contribution : request().contributions) {
    if (contribution.node != node) continue;
    // What peers read must not change, as it would where the sum goes to the same place.
    const bool stays = contribution.keeper != nullptr && !OverlapsOutput(contribution.data);
    return {true, 0, contribution.data, stays ? contribution.keeper : nullptr};
  }
  return SumOfOwn(group, node);
}

void DirectSum::Begin(Group& group) {
  if (plan().slices.empty()) return Finish(group, Reduced{false});
  for (size_t slice = 0; slice < plan().slices.size(); ++slice)
    if (plan().slices[slice].owner == group.rank()) mine_ = slice;
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (prepared().owners[part] != group.rank()) continue;
    parts_[part] = OwnPart(group, prepared().parts[part]);
    parts_[part].is_known = true;
    stays_ = stays_ && (parts_[part].data == nullptr || parts_[part].keeper != nullptr);
    --missing_;
  }
  if (!is_measured()) {
    Settle(group, plan().slices[0].owner < 0 ? SumWay::kWhole : SumWay::kSlices);
  } else if (group.rank() == 0) {
    // What must be copied for others is better copied in part.
    Settle(group, stays_ ? prepared().way->Next() : SumWay::kSlices);
  } else {
    SendOwn(group, stays_);  // rank 0 will most often be in the same position
  }
}

void DirectSum::Settle(Group& group, SumWay way) {
  way_ = way;
  const bool is_whole = way == SumWay::kWhole;
  if (is_whole) mine_ = 0;
  if (is_measured()) {
    undone_ = is_whole ? 1 : done_.size() - 1;
    for (size_t slice = 1; slice < done_.size(); ++slice) done_[slice] = is_whole;
    for (Part& part : parts_)
      if (is_whole && part.slice > 0) part = {}, ++missing_;
  }
  const bool was_sent = is_measured() && group.rank() != 0 && (stays_ || !is_whole);
  if (!was_sent) SendOwn(group, is_whole || (is_measured() && stays_));
  if (missing_ == 0) AddMine(group);
}

// Sends the parts of this rank to all ranks, or their slices to whoever adds them up, without a
// copy where they have keepers; the transport copies what does not lie in its memory.
void DirectSum::SendOwn(Group& group, bool whole) {
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (prepared().owners[part] != group.rank()) continue;
    for (size_t slice = 0; slice < plan().slices.size(); ++slice) {
      const int owner = plan().slices[slice].owner;
      const bool goes_out =
          whole ? owner < 0 && group.num_ranks() > 1 : owner >= 0 && owner != group.rank();
      if (goes_out) SendPart(group, part, slice);
    }
  }
}

void DirectSum::SendPart(Group& group, size_t part, size_t slice) {
  const Part& own = parts_[part];
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
  PartialHeader header = HeaderOf(slice, prepared().parts[part], own.data != nullptr);
  if (is_measured()) TellWay(group, &header);
  const int owner = plan().slices[slice].owner;
  if (owner >= 0) return Send(group, owner, header, std::move(body));
  for (int to = 0; to < group.num_ranks(); ++to)
    if (to != group.rank()) Send(group, to, header, body);
}

void DirectSum::TellWay(const Group& group, PartialHeader* header) const {
  if (group.rank() == 0) {
    header->way = *way_;
    return;
  }
  const MeasuredWay& measured = *prepared().way;
  constexpr int64_t kMost = ~uint32_t{0};
  header->way = measured.last_way();
  header->took = static_cast<uint32_t>(std::min<int64_t>(measured.last_time().count(), kMost));
}

bool DirectSum::Has(size_t slice, Node node) const {
  if (done_[slice]) return true;
  const bool has_parts = slice == mine_ || plan().slices[slice].owner < 0;
  const size_t part = PartOf(node);
  return has_parts && part < parts_.size() && parts_[part].is_known;
}

// To those who add a slice up come its parts, to others its sum.
void DirectSum::TakePartial(Group& group, const PartialMessage& message) {
  const size_t slice = message.header.slice;
  const int owner = plan().slices[slice].owner;
  if (owner < 0 || owner == group.rank()) {
    TakePart(group, message);
  } else if (done_[slice]) {
    LOCKSTEP_PROBE("a partial of a finished slice");
  } else {
    TakeResult(group, message);
  }
}

void DirectSum::TakePart(Group& group, const PartialMessage& message) {
  const PartialHeader& header = message.header;
  const size_t part = PartOf(header.node);
  const bool is_too_little = is_measured() && way_ == SumWay::kWhole && header.slice > 0;
  const auto is_more = [&] { return is_measured() && header.slice == 0 && parts_[part].slice > 0; };
  if (part == parts_.size() || is_too_little || (parts_[part].is_known && !is_more())) {
    LOCKSTEP_PROBE("a partial that is no part of the plan, or comes again");
    return;
  }
  if (is_measured() && group.rank() == 0 && header.took > 0)
    prepared().way->TookElsewhere(header.way, std::chrono::nanoseconds(header.took));
  if (!parts_[part].is_known) --missing_;
  parts_[part] = {.is_known = true, .slice = header.slice};
  if (header.present) {
    parts_[part].data = message.elements.size() > 0 ? message.elements.data() : &kNoElements;
    parts_[part].keeper = message.elements.owner();
  }
  if (!way_ && prepared().owners[part] == 0) {
    Settle(group, header.way);
  } else if (way_ && missing_ == 0) {
    AddMine(group);
  }
}

void DirectSum::AddMine(Group& group) {
  if (is_measured()) {
    complete_ = group.executor().Now();
    done_[0] = true;
  }
  if (mine_ == kNone) return;
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
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    data[i] =
        part.data == nullptr ? nullptr : part.data + (SliceOffset(mine_) - SliceOffset(part.slice));
  }
  const auto& owners = prepared().owners;
  const bool goes_out = plan().slices[mine_].owner >= 0 && group.num_ranks() > 1;
  OfOtherCore of_other_core;
  if (parts_.size() == 2)
    of_other_core = {owners[0] != group.rank(), owners[1] != group.rank(), goes_out,
                     way_ == SumWay::kSlicesByPages};
  const bool present = prepared().tree->Add(request().dtype, data, SliceCount(mine_),
                                            bytes > 0 ? output : nullptr, of_other_core);
  if (goes_out) {
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
  if (!way_) Settle(group, SumWay::kSlices);
  const size_t slice = message.header.slice;
  base::CopyFromOtherCore(request().output + SliceOffset(slice), message.elements.data(),
                          message.elements.size(), way_ == SumWay::kSlicesByPages);
  EndSlice(group, slice, message.header.present);
}

void DirectSum::EndSlice(Group& group, size_t slice, bool present) {
  done_[slice] = true;
  present_ = present_ || present;
  if (--undone_ > 0) return;
  if (is_measured() && stays_) prepared().way->Took(*way_, group.executor().Now() - complete_);
  Finish(group, Reduced{present_});
}

}  // namespace

std::unique_ptr<Operation> MakeDirectSum(SumRequest request, Call call,
                                         std::shared_ptr<const PreparedSum> prepared,
                                         OnReduced done) {
  return std::make_unique<DirectSum>(std::move(request), std::move(call), std::move(prepared),
                                     std::move(done));
}

}  // namespace lockstep::collectives
