#include "distribute/communicator.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "collectives/all_to_all.h"

namespace lockstep::distribute {

Communicator::Communicator(net::Transport& transport, Wait wait, std::shared_ptr<void> keeper)
    : keeper_(std::move(keeper)),
      transport_(transport),
      wait_(std::move(wait)),
      group_(std::make_unique<collectives::Group>(transport)) {}

Communicator::~Communicator() = default;

uint64_t Communicator::NextStep() {
  group_->RetireBefore(step_);
  return ++step_;
}

void Communicator::AddParts(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    const bool known = std::any_of(parts_.begin(), parts_.end(), [&](const Part& other) {
      return other.handle.object() == part.handle.object();
    });
    if (known) continue;
    parts_.push_back(part);
    ++parts_version_;
  }
}

void Communicator::ClearParts() {
  parts_.clear();
  ++parts_version_;
}

namespace {

// Gives every rank the same number of bytes of each.
std::vector<std::string> GatherBytes(Communicator& ranks, const std::string& own,
                                     const std::vector<size_t>& sizes, uint32_t fingerprint) {
  std::vector<std::string> all(ranks.num_ranks());
  all[ranks.rank()] = own;
  const auto* data = reinterpret_cast<const std::byte*>(own.data());
  const auto bytes = std::make_shared<const net::Bytes>(data, data + own.size());
  collectives::AllToAllRequest request{.id = {ranks.NextStep(), 0}, .fingerprint = fingerprint};
  for (int rank = 0; rank < ranks.num_ranks(); ++rank) {
    collectives::PeerPieces peer;
    peer.send.emplace_back(bytes);
    peer.receive.push_back(sizes[rank]);
    request.peers.push_back(std::move(peer));
  }
  request.on_piece = [&all](int from, size_t, const net::Payload& piece) {
    all[from].assign(reinterpret_cast<const char*>(piece.data()), piece.size());
  };
  std::optional<Status> status;
  collectives::AllToAll(
      ranks.group(), std::move(request),
      [&status](const Result<collectives::Reduced>& result) { status = result.status(); });
  ranks.WaitUntil([&status] { return status.has_value(); });
  status->OrThrow();
  return all;
}

}  // namespace

std::vector<std::string> Communicator::AllGather(const std::string& own) {
  std::string size(sizeof(uint64_t), '\0');
  const uint64_t bytes = own.size();
  std::memcpy(size.data(), &bytes, sizeof bytes);
  std::vector<size_t> sizes;
  for (const std::string& text :
       GatherBytes(*this, size, std::vector<size_t>(num_ranks(), sizeof bytes), 1)) {
    uint64_t value = 0;
    std::memcpy(&value, text.data(), sizeof value);
    sizes.push_back(value);
  }
  return GatherBytes(*this, own, sizes, 2);
}

}  // namespace lockstep::distribute
