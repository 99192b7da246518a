#include "collectives/all_to_all.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "collectives/pieces.h"

namespace lockstep::collectives {
namespace {

constexpr const char* kName = "all_to_all";

// Where the last of the pieces ends.
size_t TotalBytes(const std::vector<size_t>& pieces) {
  size_t bytes = 0;
  for (size_t piece : pieces) bytes = AlignedPiece(bytes) + piece;
  return bytes;
}

// The bytes of all pieces, if they lie behind each other as a message has them, with nothing
// between.
std::optional<net::Payload> AsTheyLie(const std::vector<net::Payload>& pieces) {
  const std::byte* const begin = pieces[0].data();
  size_t end = 0;
  for (const net::Payload& piece : pieces) {
    if (piece.owner() != pieces[0].owner() || piece.data() != begin + end ||
        end != AlignedPiece(end))
      return {};
    end += piece.size();
  }
  return net::Payload(pieces[0].owner(), {begin, end});
}

bool SamePieces(const std::vector<net::Payload>& a, const std::vector<net::Payload>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.data() == y.data() && x.size() == y.size();
  });
}

class Exchange final : public Operation {
 public:
  Exchange(AllToAllRequest request, OnReduced done, std::source_location where)
      : Operation(request.id,
                  {OpKind::kAllToAll, DType::kInvalid, 0, request.fingerprint,
                   std::move(request.label), "", where},
                  request.timeout, std::move(done)),
        request_(std::move(request)),
        came_(request_.peers.size(), false) {}

  void Begin(Group& group) override {
    for (int rank = 0; rank < group.num_ranks(); ++rank) {
      if (rank == group.rank()) continue;
      const PeerPieces& peer = request_.peers[rank];
      if (!peer.send.empty() || peer.sends_note) SendPieces(group, rank, peer);
      if (Expects(rank)) ++missing_;
    }
    if (missing_ == 0) Finish(group, Reduced{true});
  }

  void Take(Group& group, int from, const PartialMessage& message) override {
    const PeerPieces& peer = request_.peers[from];
    if (Status fault = Disagreement(group, from, message); !fault.ok()) {
      group.FailAndAbort(*this, std::move(fault));
      return;
    }
    if (came_[from]) {
      LOCKSTEP_PROBE("pieces came twice");
      return;
    }
    came_[from] = true;
    if (peer.takes_note) request_.on_note(from, message.header.slice);
    size_t offset = 0;
    for (size_t piece = 0; piece < peer.receive.size(); ++piece) {
      offset = AlignedPiece(offset);
      request_.on_piece(from, piece,
                        net::Payload(message.elements.owner(), message.elements.bytes().subspan(
                                                                   offset, peer.receive[piece])));
      offset += peer.receive[piece];
    }
    if (--missing_ == 0) Finish(group, Reduced{true});
  }

  std::string Missing(const Group& group) const override {
    std::string ranks;
    for (int rank = 0; rank < group.num_ranks(); ++rank) {
      if (rank == group.rank() || !Expects(rank) || came_[rank]) continue;
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    }
    return "nothing from rank " + ranks;
  }

 private:
  bool Expects(int rank) const {
    return request_.peers[rank].takes_note || !request_.peers[rank].receive.empty();
  }

  void SendPieces(Group& group, int to, const PeerPieces& peer) {
    const bool again = laid_for_ >= 0 && SamePieces(request_.peers[laid_for_].send, peer.send);
    if (!again) {
      body_ = Laid(group, to, peer.send);
      laid_for_ = to;
    }
    PartialHeader header = Header();
    header.slice = peer.sends_note ? request_.note : 0;
    header.count = body_.size();
    Send(group, to, header, body_);
  }

  // The pieces behind each other. Where they are so already they stay there, unless others get them
  // too and a transport would copy them for each of those.
  net::Payload Laid(Group& group, int to, const std::vector<net::Payload>& pieces) const {
    if (pieces.empty()) return {};
    const int next = to + 1 == group.rank() ? to + 2 : to + 1;
    const bool alone = next >= group.num_ranks() || !SamePieces(request_.peers[next].send, pieces);
    if (const auto all = AsTheyLie(pieces); all && (alone || group.IsShared(all->bytes())))
      return *all;
    std::vector<size_t> sizes;
    for (const net::Payload& piece : pieces) sizes.push_back(piece.size());
    net::Block block = group.Allocate(TotalBytes(sizes));
    size_t offset = 0;
    for (const net::Payload& piece : pieces) offset = AppendPiece(block.bytes, offset, piece);
    return block;
  }

  Status Disagreement(const Group& group, int from, const PartialMessage& message) const {
    const size_t expected = TotalBytes(request_.peers[from].receive);
    if (message.elements.size() == expected) return Status::Ok();
    return Status(Code::kInvalidArgument,
                  std::string("[") + kName + "] the ranks must exchange the same pieces; got " +
                      std::to_string(message.elements.size()) + " bytes from rank " +
                      std::to_string(from) + " where " + std::to_string(expected) + " are due to " +
                      Describe(call()) + " " + group.Place(id()) +
                      "; run one program with the same options on all ranks");
  }

  const AllToAllRequest request_;
  std::vector<bool> came_;
  int missing_ = 0;
  net::Payload body_;  // what was sent last
  int laid_for_ = -1;  // the rank that got it first
};

}  // namespace

void AllToAll(Group& group, AllToAllRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  if (static_cast<int>(request.peers.size()) != group.num_ranks()) {
    Status fault(Code::kInvalidArgument,
                 std::string("[") + kName + "] there must be pieces for each rank; got " +
                     std::to_string(request.peers.size()) + " peers " + group.Place(request.id));
    return Refuse(group, std::move(done), std::move(fault));
  }
  group.Run(std::make_unique<Exchange>(std::move(request), std::move(done), where));
}

}  // namespace lockstep::collectives
