#include "distribute/workers/followers.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "collectives/all_to_all.h"
#include "distribute/workers/communicator.h"

namespace lockstep::distribute {

namespace {

// No exchange of a program has this number.
constexpr uint32_t kBucket = ~uint32_t{0};
// Of messages to one that rests that it has not taken.
constexpr int64_t kMostBytes = int64_t{16} << 20;
constexpr base::Duration kLongestNap = std::chrono::milliseconds(16);

}  // namespace

uint64_t Followers::SpacingFor(int64_t bytes) {
  return std::min<uint64_t>(kMostRuns, kMostBytes / std::max<int64_t>(1, bytes));
}

Followers::Followers(Communicator& ranks) : ranks_(ranks), state_(std::make_shared<State>()) {}

Followers::~Followers() = default;

void Followers::BeginEpoch() {
  state_ = std::make_shared<State>();
  met_ = 0;
  spacing_ = kFewestRuns;
  measured_ = {};
  nap_ = {};
}

bool Followers::BeginRun(const Roles& roles, uint64_t run, uint64_t step, uint64_t most,
                         bool may_be_silent) {
  may_be_silent = may_be_silent && spacing_ > kFewestRuns;
  const uint64_t spacing = may_be_silent ? spacing_ : std::min(spacing_, most);
  auto& calls = state_->calls;
  state_->due = run - std::min(run, spacing);
  if (!calls.empty() && calls.back().run + spacing > run) return may_be_silent;
  calls.push_back({run, step, true});
  Ask(roles, calls.back());
  MeasureRuns(roles.Rests(ranks_.rank()), run);
  return false;
}

// Those who work tell how long runs take. Those who rest sleep for half of the time that it
// takes the others to miss them.
void Followers::MeasureRuns(bool rests, uint64_t run) {
  const base::Time now = ranks_.executor().Now();
  const auto runs = static_cast<int64_t>(run - measured_run_);
  const bool is_first = measured_ == base::Time{};
  const base::Duration taken = is_first ? base::Duration{} : now - measured_;
  const auto longest =
      runs > 1 ? std::min<base::Duration>(kLongestNap, taken / 2) : base::Duration{};
  nap_ = base::Duration(std::bit_floor(static_cast<uint64_t>(longest.count())));
  ranks_.notes().Lower(kPaceNotes);
  if (!rests) {
    const auto wanted =
        static_cast<uint64_t>(kBetweenMessages * runs / std::max(taken, base::Duration(1)));
    const uint64_t spacing =
        is_first ? kFewestRuns : std::clamp(std::bit_floor(wanted), kFewestRuns, kMostRuns);
    ranks_.notes().Raise(kPaceNote * static_cast<uint32_t>(spacing / kFewestRuns));
  }
  measured_ = now;
  measured_run_ = run;
}

// The longest runs decide.
void Followers::Hear(uint32_t notes) {
  const uint32_t pace = (notes & kPaceNotes) / kPaceNote;
  spacing_ = pace == 0 ? kFewestRuns : kFewestRuns << std::countr_zero(pace);
}

void Followers::Ask(const Roles& roles, const Call& call) {
  const bool rests = roles.Rests(ranks_.rank());
  collectives::AllToAllRequest request{.id = {call.step, kBucket}, .note = ranks_.notes().own()};
  request.label = "where those are that rest";
  request.peers.resize(roles.num_ranks());
  for (int rank = 0; rank < roles.num_ranks(); ++rank) {
    if (roles.Rests(rank) == rests) continue;
    request.peers[rank].sends_note = rests;
    request.peers[rank].takes_note = !rests;
  }
  request.on_note = [&ranks = ranks_](int, uint32_t told) { ranks.notes().HearToPassOn(told); };
  collectives::AllToAll(
      ranks_.group(), std::move(request),
      [state = state_, run = call.run](const Result<collectives::Reduced>& result) {
        if (!result.ok()) state->failed = result.status();
        for (Call& known : state->calls)
          if (known.run == run) known.is_open = false;
        state->Tell();
      });
}

bool Followers::State::IsNear() const {
  return std::none_of(calls.begin(), calls.end(),
                      [&](const Call& call) { return call.is_open && call.run <= due; });
}

void Followers::State::Tell() {
  if (then == nullptr || (failed.ok() && !IsNear())) return;
  std::exchange(then, nullptr)(failed);
}

void Followers::WhenNear(std::function<void(const Status&)> then) {
  state_->then = std::move(then);
  state_->Tell();
}

uint64_t Followers::EndRun(bool rests) {
  const uint64_t before = met_;
  auto& calls = state_->calls;
  while (!calls.empty() && calls.front().run <= state_->due) {
    met_ = calls.front().run;
    if (calls.size() == 1) break;  // it says when the next one is due
    calls.pop_front();
  }
  // Who works has ended the run before when it sends what this one needs here.
  return rests ? before : met_;
}

uint64_t Followers::OldestStep(uint64_t otherwise) const {
  for (const Call& call : state_->calls)
    if (call.is_open) return std::min(call.step, otherwise);
  return otherwise;
}

}  // namespace lockstep::distribute
