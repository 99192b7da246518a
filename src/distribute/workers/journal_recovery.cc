// How a journal goes on when an epoch has ended: the ranks meet in the next one, go back to what
// all of them still have, and do again what came after it.

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/probe.h"
#include "cluster/fields.h"
#include "distribute/programs/rank_program.h"
#include "distribute/workers/journal.h"
#include "runtime/restore_scope.h"

namespace lockstep::distribute {

namespace {

constexpr uint64_t kNoCall = ~uint64_t{0};
// As many runs may one rank be ahead of another that has not heard what was told in them.
constexpr size_t kToldRuns = Followers::kMostLead;

std::string Enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// One line for the job: the other ranks have the same to say, with other numbers of steps.
void LogRecovery(const Communicator& ranks, const std::vector<std::string>& lost, uint64_t steps) {
  const auto count = [](uint64_t number, const std::string& name) {
    return std::to_string(number) + " " + name + (number == 1 ? "" : "s");
  };
  const Roles& roles = ranks.roles();
  std::string left = count(roles.workers().size(), "worker");
  if (!roles.servers().empty()) left += " and " + count(roles.servers().size(), "server");
  base::Log(ranks.rank() == roles.chief() ? base::Severity::kWarning : base::Severity::kDebug,
            "[elastic] " + Enumerated(lost) + " lost; continuing on " + left + " after replaying " +
                count(steps, "step"));
}

}  // namespace

// What a rank tells the others when an epoch begins.
struct Journal::Header {
  bool entering = false;
  bool has_state = false;
  uint64_t call = 0;  // that it is in
  uint64_t interval = 0;
  uint64_t snapshot_at = 0;
  uint64_t base = kNoCall;                           // from which it could do everything again
  std::vector<std::pair<uint64_t, int>> snapshots;   // call and place, the newest last
  std::vector<std::pair<uint64_t, uint32_t>> heard;  // by call

  std::string Encode() const {
    cluster::FieldWriter writer;
    writer.Put<uint8_t>(entering).Put<uint8_t>(has_state).Put(call).Put(interval).Put(snapshot_at);
    writer.Put(base);
    writer.Put(static_cast<uint32_t>(snapshots.size()));
    for (const auto& [call, place] : snapshots) writer.Put(call).Put(place);
    writer.Put(static_cast<uint32_t>(heard.size()));
    for (const auto& [call, note] : heard) writer.Put(call).Put(note);
    return writer.Take();
  }
  static Header Decode(const std::string& text) {
    cluster::FieldReader reader(text);
    Header header;
    header.entering = reader.Take<uint8_t>() != 0;
    header.has_state = reader.Take<uint8_t>() != 0;
    header.call = reader.Take<uint64_t>();
    header.interval = reader.Take<uint64_t>();
    header.snapshot_at = reader.Take<uint64_t>();
    header.base = reader.Take<uint64_t>();
    for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
      const auto call = reader.Take<uint64_t>();
      header.snapshots.emplace_back(call, reader.Take<int>());
    }
    for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
      const auto call = reader.Take<uint64_t>();
      header.heard.emplace_back(call, reader.Take<uint32_t>());
    }
    return header;
  }
};

void Journal::Recover() {
  if (!std::exchange(is_open_, false)) {
    ranks_.Close();
    const Roster::Epoch epoch = ranks_.roster()->Next(ranks_.epoch());
    lost_.insert(lost_.end(), epoch.lost.begin(), epoch.lost.end());
    ranks_.Open(epoch);
    is_left_out_ = false;
    halt_ = epoch.halt;
    if (!halt_.empty()) LOCKSTEP_PROBE("too few workers are left to train on");
    if (!halt_.empty()) base::Log(base::Severity::kWarning, halt_);
    if (entering_ && !epoch.entering) {
      if (calls_ > 0) {
        LOCKSTEP_PROBE("a worker comes back to a job that begins anew");
        failed_ = true;
        throw Error(
            Code::kDataLoss,
            "[elastic] a job that this worker comes back to must know what was trained; got "
            "one that begins anew, while this worker stands at call " +
                std::to_string(calls_) +
                ", as all others have ended; start this worker again, or resume all from "
                "the newest save");
      }
      entering_ = false;  // the job begins with this task
      recovering_ = epoch.number > 1;
      if (!recovering_) return;
    }
  }
  const std::vector<Header> headers = MeetAgain();
  if (NobodyHasBegun(headers)) {
    LOCKSTEP_PROBE("all members have died while only newcomers waited");
    entering_ = false;  // the job begins with these
    recovering_ = false;
    return;
  }
  const runtime::RestoreScope restores;
  GoBack(headers);
  HandState(headers);
  Repeat();
  NoteVersions();
  recovering_ = false;
}

// Whether all are new to the job, so that there is nothing to take over from anybody.
bool Journal::NobodyHasBegun(const std::vector<Header>& headers) {
  return std::all_of(headers.begin(), headers.end(),
                     [](const Header& header) { return header.entering && header.call == 0; });
}

std::vector<Journal::Header> Journal::MeetAgain() {
  Header own{.entering = entering_,
             .has_state = state_ != nullptr,
             .call = calls_,
             .interval = interval_,
             .snapshot_at = snapshot_at_};
  if (has_base_) own.base = base_;
  for (const Kept& kept : snapshots_)
    own.snapshots.emplace_back(kept.snapshot.call(), kept.snapshot.place());
  for (auto entry = log_.rbegin(); entry != log_.rend() && own.heard.size() < kToldRuns; ++entry)
    if (entry->kind == Kind::kRun) own.heard.emplace_back(entry->call, entry->heard);
  std::vector<Header> headers;
  for (const std::string& text : ranks_.AllGather(own.Encode()))
    headers.push_back(Header::Decode(text));
  heard_elsewhere_.clear();
  for (const Header& header : headers) {
    if (header.entering) continue;
    for (const auto& told : header.heard)
      if (told.first >= calls_) heard_elsewhere_.insert(told);
  }
  if (heard_elsewhere_.contains(calls_)) {
    LOCKSTEP_PROBE("another rank has finished the call that this one is in");
  }
  return headers;
}

// The header's rank when the snapshot before `call` was taken.
int Journal::PlaceIn(const Header& header, uint64_t call) {
  for (const auto& [known, place] : header.snapshots)
    if (known == call && !header.entering) return place;
  return Snapshot::kHasNone;
}

// To the newest snapshot that all have.
void Journal::GoBack(const std::vector<Header>& headers) {
  uint64_t call = kNoCall;
  for (const Header& header : headers)
    if (!header.entering) call = std::min(call, header.snapshots.back().first);
  if (call == kNoCall) {
    throw Error(Code::kDataLoss,
                "[elastic] a worker that has the state of the training must be left; got only " +
                    std::to_string(headers.size()) + " that come new");
  }
  std::vector<int> places;
  for (const Header& header : headers) places.push_back(PlaceIn(header, call));
  went_back_to_ = call;
  if (entering_) {
    log_.clear();
    known_.clear();
    snapshots_.clear();
    snapshots_.push_back({Snapshot(call), 0});
    calls_ = call;
  }
  while (snapshots_.back().snapshot.call() != call) {
    if (snapshots_.size() == 1) {
      throw Error(Code::kInternal, "[elastic] a snapshot before call " + std::to_string(call) +
                                       " must be here; got one before call " +
                                       std::to_string(snapshots_.back().snapshot.call()));
    }
    LOCKSTEP_PROBE("a snapshot that not all ranks have is given up");
    snapshots_.pop_back();
    state_ = nullptr;
  }
  KeepFrom(snapshots_.size() - 1);
  // No rank takes the next one while another is still at a call before it.
  interval_ = 0;
  snapshot_at_ = 0;
  for (const Header& header : headers) {
    if (header.entering) continue;
    interval_ = std::max(interval_, header.interval);
    snapshot_at_ = std::max({snapshot_at_, header.snapshot_at, header.call + header.interval});
  }
  snapshots_.back().meetings = ranks_.notes().meetings();
  ranks_.ClearParts();
  const std::string lacks = snapshots_.back().snapshot.Lacks(places);
  if (!lacks.empty()) return GoBackToBase(headers, lacks);
  snapshots_.back().snapshot.Restore(ranks_, places);
  known_.clear();
  for (const auto& cell : snapshots_.back().snapshot.cells()) known_.push_back({cell, 0});
}

// To when all was whole, as not even one copy is left of something.
void Journal::GoBackToBase(const std::vector<Header>& headers, const std::string& lacks) {
  LOCKSTEP_PROBE("all copies of some rows are lost");
  const bool all = std::all_of(headers.begin(), headers.end(), [&](const Header& header) {
    return has_base_ && header.base == base_;
  });
  if (!all) {
    failed_ = true;
    throw Error(Code::kDataLoss, "[elastic] a worker that has " + lacks +
                                     " must be left; got none; resume from the newest save, and "
                                     "save more often");
  }
  base::Log(base::Severity::kWarning, "[elastic] nobody is left who has " + lacks + "; " +
                                          std::to_string(archive_.size() + log_.size()) +
                                          " entries of the journal are repeated");
  log_.insert(log_.begin(), std::make_move_iterator(archive_.begin()),
              std::make_move_iterator(archive_.end()));
  ClearArchive();
  snapshots_.clear();
  snapshots_.push_back({Snapshot(base_), 0, /*is_base=*/true, 0, ranks_.notes().meetings()});
  went_back_to_ = base_;
  known_.clear();
}

// Those who enter get the state before the snapshot of somebody who has it.
void Journal::HandState(const std::vector<Header>& headers) {
  const bool any = std::any_of(headers.begin(), headers.end(),
                               [](const Header& header) { return header.entering; });
  if (!any) return;
  const auto giver = std::find_if(headers.begin(), headers.end(), [&](const Header& header) {
    return header.has_state && header.snapshots.back().first == went_back_to_;
  });
  if (giver == headers.end()) {
    throw Error(Code::kFailedPrecondition,
                "[elastic] workers can join in Fit and in Strategy::Train, at the end of a step; "
                "got one elsewhere; call these, or start the job with as many workers as it needs");
  }
  const int from = static_cast<int>(giver - headers.begin());
  const std::string own = ranks_.rank() == from ? state_() : std::string();
  std::vector<std::string> all = ranks_.AllGather(own);
  if (!entering_) return;
  LOCKSTEP_PROBE("a worker takes over the state of the others");
  cluster::FieldReader number(all[from]);
  if (const auto theirs = number.Take<uint64_t>(); theirs != trainings_) {
    failed_ = true;
    throw Error(Code::kFailedPrecondition,
                "[elastic] a worker that comes into a running job must begin the training that the "
                "others are in; got the program's training " +
                    std::to_string(trainings_) + ", while theirs is " + std::to_string(theirs) +
                    " (calls of Fit and of Strategy::Train); train in one call, or start all again "
                    "from the newest save");
  }
  taken_state_ = all[from].substr(sizeof trainings_);
  entering_ = false;
}

// What came after the snapshot, as far as this rank was.
void Journal::Repeat() {
  size_t runs = 0;
  std::optional<uint32_t> heard;
  for (size_t i = snapshots_.back().entries; i < log_.size(); ++i) {
    Entry& entry = log_[i];
    switch (entry.kind) {
      case Kind::kAssign: {
        entry.cell->Assign(entry.value);
        const bool is_known = std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
          return known.cell == entry.cell;
        });
        if (!is_known) known_.push_back({entry.cell, 0});
        break;
      }
      case Kind::kRun: {
        if (entry.host == nullptr) entry.host = std::make_shared<runtime::HostResults>();
        const runtime::HostResults::Scope once(*entry.host);
        const ReadsScope reads(&ranks_, entry.reads_follow);
        entry.program->RunOnce(entry.arguments.Get(), *entry.team);
      }
        heard = entry.heard;
        ++runs;
        break;
      case Kind::kGather:
        GatherParts(ranks_);
        break;
      case Kind::kExchange:
        Answer(&entry.answer, nullptr);
        break;
      case Kind::kRebase:
        // Given up, as not all had it yet: they take it where they go on.
        PushBase(entry.call, i + 1);
        known_.clear();
        break;
    }
  }
  if (heard) ranks_.notes().set_heard(*heard);
  runs_ = runs;
  if (!lost_.empty()) LogRecovery(ranks_, lost_, runs);
}

}  // namespace lockstep::distribute
