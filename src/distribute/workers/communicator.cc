#include "distribute/workers/communicator.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "collectives/all_to_all.h"
#include "distribute/workers/journal.h"
#include "distribute/workers/speculation.h"

namespace lockstep::distribute {

namespace {

Roles RolesOf(const Roles& roles, const net::Transport& transport) {
  if (roles.num_ranks() == 0) return Roles(transport.num_ranks());
  LOCKSTEP_CHECK_EQ(roles.num_ranks(), transport.num_ranks());
  return roles;
}

int LastOf(const std::vector<int>& ranks) { return ranks.empty() ? 0 : ranks.back(); }

}  // namespace

Communicator::Communicator(net::Transport& transport, Wait wait, std::shared_ptr<void> keeper,
                           Roles roles)
    : keeper_(std::move(keeper)),
      transport_(&transport),
      executor_(&transport.executor()),
      roles_(RolesOf(roles, transport)),
      sharers_(roles_),
      wait_(std::move(wait)),
      group_(std::make_unique<collectives::Group>(transport, flight_->Options())),
      generation_(1),
      journal_(std::make_unique<Journal>(*this)) {
  watch_.Enter(0, {}, num_ranks());
  failures_.BeginEpoch(transport);
}

Communicator::Communicator(std::shared_ptr<Roster> roster, const Roster::Epoch& first,
                           Roles expected, Wait wait, bool is_server)
    : roster_(std::move(roster)),
      executor_(&roster_->executor()),
      roles_(std::move(expected)),
      sharers_(roles_),
      expected_rank_(LastOf(is_server ? roles_.servers() : roles_.workers())),
      wait_(std::move(wait)),
      journal_(std::make_unique<Journal>(*this)) {
  if (first.transport != nullptr) Open(first);
  journal_->Begin(first);
}

// Who leaves while others still wait for a third one's last message would end their epoch.
Communicator::~Communicator() { journal_->End(); }

void Communicator::Close() {
  if (transport_ == nullptr) return;
  watch_.NoteTraffic(*transport_);
  if (transport_->aborted() == nullptr)
    transport_->AbortEpoch(Status(Code::kUnavailable, "[membership] the next epoch begins"));
  failures_.EndEpoch();
  group_.reset();
  // What was under way ends as work of its own.
  bool drained = false;
  executor().Post([&drained] { drained = true; });
  wait_([&drained] { return drained; });
  transport_ = nullptr;  // the roster may let it go
}

void Communicator::OpenApart() {
  Close();
  auto alone = std::make_unique<net::InProcessNetwork>(std::vector<base::Executor*>{executor_});
  net::Transport& own = alone->transport(0);
  own.EnterEpoch(epoch_);
  Open({.number = epoch_, .transport = &own, .roles = Roles(1)});
  apart_ = std::move(alone);
}

void Communicator::Open(const Roster::Epoch& epoch) {
  failures_.EndEpoch();
  group_.reset();
  apart_.reset();
  transport_ = epoch.transport;
  roles_ = RolesOf(epoch.roles, *transport_);
  sharers_ = roles_;
  knows_sharers_ = false;
  notes_.BeginEpoch();
  followers_.BeginEpoch();
  epoch_ = epoch.number;
  watch_.Enter(epoch_, epoch.tasks, num_ranks());
  group_ = std::make_unique<collectives::Group>(*transport_, flight_->Options());
  failures_.BeginEpoch(*transport_);
  ++generation_;
  step_ = 0;
  if (speculation_ != nullptr) speculation_->BeginEpoch(num_ranks());
}

void Communicator::FindWhoRests() {
  if (std::exchange(knows_sharers_, true) || num_ranks() == 1) return;
  sharers_ = LetRest(roles_, host_places_.empty() ? GatherHostPlaces(*this) : host_places_);
}

void Communicator::HeedTermination() {
  heeds_termination_ = true;
  roster_->LeaveWhen(&base::ToldToEnd);
}

void Communicator::Speculate() {
  speculation_ = std::make_unique<Speculation>();
  speculation_->BeginEpoch(num_ranks());
}

void Communicator::Doing(collectives::Phase phase) {
  const base::Time now = executor().Now();
  flight_->recorder().Enter(phase, now);
  if (speculation_ != nullptr) speculation_->Enter(phase, now);
}

bool Communicator::IsNewProgram(uint64_t hash) {
  if (std::exchange(compared_in_, generation_) != generation_) compared_.clear();
  return compared_.insert(hash).second;
}

void Communicator::AwaitPeers(const std::string& what, const std::function<bool()>& done,
                              const int& last_from) {
  const base::Time from = executor().Now();
  WaitUntil(done);
  watch_.Waited(what, last_from, from, executor().Now());
}

uint64_t Communicator::NextStep() {
  group_->RetireBefore(followers_.OldestStep(step_));
  return ++step_;
}

bool Communicator::AddParts(const std::vector<Part>& parts) {
  const uint64_t before = parts_version_;
  for (const Part& part : parts) {
    const bool known = std::any_of(parts_.begin(), parts_.end(),
                                   [&](const Part& other) { return other.IsOf(part); });
    if (known) continue;
    parts_.push_back(part);
    if (!part.behind.empty()) ++num_behind_;
    ++parts_version_;
  }
  return parts_version_ != before;
}

void Communicator::CatchUpWith(const std::vector<Part>& parts) {
  if (!AnybodyIsBehind()) return;
  num_behind_ -= std::erase_if(parts_, [&](const Part& known) {
    return !known.behind.empty() && std::any_of(parts.begin(), parts.end(),
                                                [&](const Part& part) { return part.IsOf(known); });
  });
  ++parts_version_;
}

bool Communicator::IsBehind() const {
  return AnybodyIsBehind() && std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
           return !part.behind.empty() && part.behind[rank()];
         });
}

void Communicator::ClearParts() {
  parts_.clear();
  num_behind_ = 0;
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
  std::optional<Result<collectives::Reduced>> result;
  int last_from = -1;
  collectives::AllToAll(ranks.group(), std::move(request),
                        [&](const Result<collectives::Reduced>& reduced) {
                          if (reduced.ok()) last_from = reduced->last_from;
                          result = reduced;
                        });
  ranks.AwaitPeers(
      "exchange", [&result] { return result.has_value(); }, last_from);
  const Status status = result->status();
  status.OrThrow();
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
