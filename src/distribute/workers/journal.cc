#include "distribute/workers/journal.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/probe.h"
#include "cluster/fields.h"
#include "distribute/programs/rank_program.h"
#include "runtime/restore_scope.h"

namespace lockstep::distribute {

namespace {

constexpr int kCopies = 2;
constexpr uint64_t kNoCall = ~uint64_t{0};
// Of the time between two snapshots, so much may be spent on one; and more than this only when
// what is done again would take longer than kLongest otherwise.
constexpr double kShare = 0.01, kMostShare = 0.02;
constexpr double kLongest = 1e8;  // nanoseconds
constexpr uint64_t kFewestRuns = 4, kMostRuns = 4096;
// Most bytes of what is kept of calls before the snapshots.
constexpr size_t kMostArchived = size_t{64} << 20;
// As many runs may one rank be ahead of another that has not heard what was told in them.
constexpr size_t kToldRuns = 8;

// Counts while it lives.
class Depth {
 public:
  explicit Depth(int* depth) : depth_(depth) { ++*depth_; }
  ~Depth() { --*depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  int* const depth_;
};

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Pack(const std::vector<std::string>& texts) {
  cluster::FieldWriter writer;
  writer.Put(static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) writer.PutText(text);
  return writer.Take();
}

std::vector<std::string> Unpack(const std::string& packed) {
  cluster::FieldReader reader(packed);
  std::vector<std::string> texts;
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
    texts.push_back(reader.TakeText());
  return texts;
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

Journal::Journal(Communicator& ranks) : ranks_(ranks) { snapshots_.push_back({Snapshot(0), 0}); }

Journal::~Journal() = default;

ActivityScope::ActivityScope(Communicator* ranks, Activity activity)
    : journal_(ranks == nullptr ? nullptr : &ranks->journal()),
      before_(journal_ == nullptr ? Activity::kProgram : journal_->activity_) {
  if (journal_ == nullptr || before_ != Activity::kProgram) return;
  journal_->activity_ = activity;
  if (activity == Activity::kTraining) ++journal_->trainings_;
}

ActivityScope::~ActivityScope() {
  if (journal_ != nullptr) journal_->activity_ = before_;
}

// All enter the first epoch alike; who comes later meets those who have been in one before.
void Journal::Begin(const Roster::Epoch& first) {
  is_open_ = first.transport != nullptr;
  entering_ = !is_open_ || first.entering;
  recovering_ = first.number > 1;
  is_open_ = is_open_ && (entering_ || recovering_);
}

// Whether what was thrown is the end of the epoch, and not a fault of the program.
bool Journal::EpochEnded() const {
  const net::Abort* abort = ranks_.aborted();
  if (!elastic() || abort == nullptr) return false;
  const Code code = abort->reason.code();
  if (ending_ && code == Code::kDeadlineExceeded) return false;
  return code == Code::kUnavailable || code == Code::kDeadlineExceeded;
}

// A task that was left out has all that it takes to look at what was learned, and the others do not
// wait for it: it goes back to its own snapshot, repeats what came after it and goes on so.
bool Journal::GoApart() {
  recovering_ = true;
  is_left_out_ = true;
  if (activity_ != Activity::kLooking || entering_ || ranks_.is_apart()) return false;
  const Snapshot& newest = snapshots_.back().snapshot;
  if (!newest.Lacks({newest.place()}).empty()) {
    LOCKSTEP_PROBE("a worker that was left out has too little to go on by itself");
    return false;
  }
  LOCKSTEP_PROBE("a worker that was left out goes on by itself");
  base::Log(base::Severity::kWarning,
            "[elastic] this worker was left out, and goes on by itself until it trains again");
  ranks_.OpenApart();
  is_open_ = true;
  return true;
}

// A task that comes into a job knows nothing of what the others have done together.
void Journal::RefuseWhileEntering() const {
  if (ranks_.is_apart() && activity_ == Activity::kProgram)
    throw LeftOut(
        "[elastic] a worker that was left out comes back in Model::Fit or Strategy::Train; got "
        "another call; start it again, or write the training as one of these");
  if (!entering_) return;
  throw Error(
      Code::kFailedPrecondition,
      "[elastic] a worker that comes into a running job must begin with Model::Fit or "
      "Strategy::Train, where the others let it in; got another call; write the training as "
      "strategy.Train(batches, steps, body) or model.Fit(dataset), before everything else");
}

template <typename Attempt>
void Journal::Carry(const Attempt& attempt) {
  if (elastic() && !detected_) began_call_ = ranks_.executor().Now();
  while (true) {
    try {
      const Depth within(&depth_);
      if (recovering_) Recover();
      attempt();
      return;
    } catch (const LeftOut&) {
      LOCKSTEP_PROBE("a worker learns that it was left out");
      if (!GoApart()) throw;
    } catch (const JobEnded&) {
      LOCKSTEP_PROBE("a worker learns that the job has ended without it");
      if (!GoApart()) throw;
    } catch (const Error&) {
      if (!EpochEnded()) {
        failed_ = true;
        throw;
      }
      if (recovering_) LOCKSTEP_PROBE("an epoch ends while what came before is done again");
      if (!detected_) detected_ = ranks_.executor().Now();
      recovering_ = true;
    }
  }
}

// ---- the log ----

// What the program has assigned since the last call, and variables that are new.
void Journal::NoteNews(const Snapshot::Cells& cells) {
  const auto note = [this](const std::shared_ptr<runtime::VariableCell>& cell) {
    log_.push_back({.kind = Kind::kAssign, .cell = cell, .value = cell->Read()});
  };
  for (const Known& known : known_) {
    if (known.cell->version() != known.version) note(known.cell);
  }
  for (const auto& cell : cells) {
    const bool is_known = std::any_of(known_.begin(), known_.end(),
                                      [&](const Known& known) { return known.cell == cell; });
    if (is_known) continue;
    note(cell);
    known_.push_back({cell, 0});
  }
}

void Journal::NoteVersions() {
  for (Known& known : known_) known.version = known.cell->version();
}

void Journal::Completed(Entry entry) {
  const bool is_run = entry.kind == Kind::kRun;
  if (detected_ && is_run) {
    const base::Time now = ranks_.executor().Now();
    if (!lost_.empty()) {
      ranks_.watch().NoteRecovery();
      recoveries_.push_back({lost_, base::Milliseconds(*detected_ - began_call_),
                             base::Milliseconds(now - *detected_)});
    }
    detected_.reset();
    lost_.clear();
  }
  if (!elastic()) return;
  if (ranks_.num_ranks() == 1) {
    // There is nobody to do anything again with.
    log_.clear();
    known_.clear();
    snapshots_.clear();
    snapshots_.push_back({Snapshot(calls_ + 1), 0});
    ClearArchive();
    base_ = calls_ + 1;
    has_base_ = true;
    return;
  }
  log_.push_back(std::move(entry));
  NoteVersions();
  if (is_run) ++runs_;
  // Whoever has been in a run with all others knows that they have its snapshot, too.
  if (snapshots_.size() > 1 && ranks_.meetings() != meetings_) {
    spare_ = std::move(snapshots_.front().snapshot);
    KeepNewest();
    state_ = nullptr;
  }
}

void Journal::ClearArchive() {
  archive_.clear();
  archive_arguments_.Clear();
  archive_bytes_ = 0;
}

void Journal::KeepNewest() {
  Forget(snapshots_.back().entries);
  snapshots_.erase(snapshots_.begin(), snapshots_.end() - 1);
  snapshots_.back().entries = 0;
}

// The first entries of the log, which the newest snapshot replaces.
void Journal::Forget(size_t entries) {
  const Kept& newest = snapshots_.back();
  if (newest.is_base) {
    ClearArchive();
    archive_has_run_ = false;
    base_ = newest.snapshot.call();
    has_base_ = true;
  }
  for (size_t i = 0; i < entries; ++i) {
    Entry& entry = log_.front();
    if (has_base_ && !newest.is_base) {
      archive_bytes_ += sizeof(Entry) + 256;
      for (const Tensor& argument : entry.arguments) archive_arguments_.Add(argument);
      // The first values must be there.
      if (entry.kind == Kind::kRun) archive_has_run_ = true;
      if (entry.kind == Kind::kAssign && archive_has_run_)
        archive_bytes_ += entry.value.num_bytes();
      archive_.push_back(std::move(entry));
    }
    log_.pop_front();
  }
  if (archive_bytes_ + archive_arguments_.bytes() <= kMostArchived) return;
  ClearArchive();
  has_base_ = false;
}

// ---- snapshots ----

// After how many runs the next one is worth its time, as this rank sees it.
uint64_t Journal::Suggest() const {
  if (fixed_interval_ > 0) return fixed_interval_;
  if (snapshot_took_ == base::Duration(0) || runs_ == 0) return interval_;
  const auto between = ranks_.executor().Now() - last_snapshot_;
  const double run =
      std::max(1.0, static_cast<double>(between.count()) / static_cast<double>(runs_));
  const double cost = static_cast<double>(snapshot_took_.count()) / run;
  const double wanted = std::max(cost / kMostShare, std::min(cost / kShare, kLongest / run));
  return std::clamp(static_cast<uint64_t>(wanted) + 1, kFewestRuns, kMostRuns);
}

void Journal::MaybeTakeSnapshot() {
  if (!elastic() || ranks_.num_ranks() == 1 || snapshots_.size() > 1) return;
  if (fixed_interval_ > 0) interval_ = fixed_interval_;
  if (calls_ < snapshot_at_) return;
  Snapshot::Cells cells;
  for (const Known& known : known_) cells.push_back(known.cell);
  const base::Time begin = ranks_.executor().Now();
  Snapshot snapshot(calls_);
  if (spare_) snapshot.TakeMemoryOf(std::move(*spare_));
  spare_.reset();
  interval_ = snapshot.Take(ranks_, cells, kCopies, Suggest());
  snapshots_.push_back({std::move(snapshot), log_.size(), /*is_base=*/false});
  meetings_ = ranks_.meetings();
  runs_ = 0;
  snapshot_at_ = calls_ + interval_;
  last_snapshot_ = ranks_.executor().Now();
  snapshot_took_ = last_snapshot_ - begin;
  snapshots_took_ += snapshot_took_;
  ++snapshots_taken_;
}

// ---- calls ----

std::vector<Tensor> Journal::Run(const std::shared_ptr<Repeatable>& program,
                                 std::span<const Tensor> arguments, base::Team& team) {
  if (only_hands_on()) return program->RunOnce(arguments, team);
  RefuseWhileEntering();
  ++calls_;
  NoteNews(program->cells());
  std::vector<Tensor> results;
  auto host = std::make_shared<runtime::HostResults>();
  Carry([&] {
    MaybeTakeSnapshot();
    const runtime::HostResults::Scope once(*host);
    results = program->RunOnce(arguments, team);
  });
  if (heard_elsewhere_ && heard_elsewhere_->first == calls_)
    ranks_.set_heard(heard_elsewhere_->second);
  Completed({.kind = Kind::kRun,
             .call = calls_,
             .program = program,
             .arguments = {arguments.begin(), arguments.end()},
             .team = &team,
             .host = host->empty() ? nullptr : std::move(host),
             .heard = ranks_.heard()});
  return results;
}

void Journal::Gather() {
  if (only_hands_on() || ranks_.is_apart()) return GatherParts(ranks_);
  RefuseWhileEntering();
  ++calls_;
  NoteNews({});
  Carry([&] { GatherParts(ranks_); });
  Completed({.kind = Kind::kGather, .call = calls_});
}

std::vector<std::string> Journal::Answer(const std::vector<std::string>* known,
                                         const std::function<std::string()>& own) {
  const std::vector<std::string> knows = ranks_.AllGather(known != nullptr ? "1" : "0");
  const auto first = std::find(knows.begin(), knows.end(), "1");
  if (first == knows.end()) return ranks_.AllGather(own());
  LOCKSTEP_PROBE("an exchange is answered by who knows the answer already");
  const int from = static_cast<int>(first - knows.begin());
  return Unpack(ranks_.AllGather(ranks_.rank() == from ? Pack(*known) : "")[from]);
}

std::vector<std::string> Journal::Exchange(const std::function<std::string()>& own) {
  if (only_hands_on()) return ranks_.AllGather(own());
  RefuseWhileEntering();
  ++calls_;
  NoteNews({});
  std::vector<std::string> answer;
  Carry([&] { answer = Answer(nullptr, own); });
  Completed({.kind = Kind::kExchange, .call = calls_, .answer = answer});
  return answer;
}

// All is whole here; so a snapshot of nothing stands for it until variables are met again.
void Journal::PushBase(uint64_t call, size_t entries) {
  if (snapshots_.back().snapshot.call() == call) return;
  snapshots_.push_back({Snapshot(call), entries});
  meetings_ = ranks_.meetings();
  runs_ = 0;
  // Never sooner than all have agreed on.
  snapshot_at_ = std::max(snapshot_at_, call + interval_);
}

void Journal::Rebase() {
  if (!elastic() || ranks_.num_ranks() == 1) return;
  ++calls_;
  NoteNews({});
  log_.push_back({.kind = Kind::kRebase, .call = calls_});
  PushBase(calls_, log_.size());
  known_.clear();
}

void Journal::Admit(const std::function<std::string()>& state) {
  if (!elastic()) return;
  ++calls_;
  NoteNews({});
  bool is_ready = false;
  // Who enters must be in the same training of its program.
  const auto with_number = [number = trainings_, state] {
    return cluster::FieldWriter().Put(number).Take() + state();
  };
  Carry([&] {
    // Until another epoch has begun, and all were here before it.
    while (!is_ready || went_back_to_ != calls_) {
      is_ready = true;
      PushBase(calls_, log_.size());
      state_ = with_number;
      ranks_.roster()->ReadyForChange(calls_);
      // Others may still need what this rank has sent them in the present epoch.
      ranks_.WaitUntil(
          [&] { return ranks_.roster()->has_next(ranks_.epoch()) || ranks_.aborted() != nullptr; });
      recovering_ = true;
      Recover();
    }
  });
  known_.clear();
}

void Journal::Leave() {
  if (!elastic()) return;
  ranks_.roster()->Leave();
  ending_ = true;
}

void Journal::End() {
  if (!elastic() || entering() || is_left_out_ || ending_ || failed_ ||
      std::uncaught_exceptions() > 0)
    return;
  ending_ = true;
  base::Log(base::Severity::kDebug,
            "[elastic] " + std::to_string(snapshots_taken_) + " snapshots took " +
                std::to_string(base::Milliseconds(snapshots_took_)) + " ms");
  try {
    ++calls_;
    for (int tries = 0; tries < 10; ++tries) {
      Carry([&] { Answer(nullptr, [] { return std::string(); }); });
      if (ranks_.roster()->Finish()) return;
      LOCKSTEP_PROBE("another epoch begins instead of the end");
      recovering_ = true;
    }
  } catch (const Error& error) {
    base::Log(base::Severity::kDebug, error.what());
  }
}

std::optional<std::string> Journal::Enter() {
  entering_ = true;
  taken_state_.clear();
  detected_.reset();
  while (entering_) {
    try {
      recovering_ = true;
      Carry([] {});
    } catch (const LeftOut&) {
      entering_ = true;
    }
  }
  if (taken_state_.empty()) return std::nullopt;
  return std::move(taken_state_);
}

// ---- another epoch ----

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
  const runtime::RestoreScope restores;
  GoBack(headers);
  HandState(headers);
  Repeat();
  NoteVersions();
  recovering_ = false;
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
  heard_elsewhere_.reset();
  for (const Header& header : headers) {
    for (const auto& told : header.heard)
      if (told.first == calls_ && !header.entering) heard_elsewhere_ = told;
  }
  if (heard_elsewhere_) {
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
  KeepNewest();
  // No rank takes the next one while another is still at a call before it.
  interval_ = 0;
  snapshot_at_ = 0;
  for (const Header& header : headers) {
    if (header.entering) continue;
    interval_ = std::max(interval_, header.interval);
    snapshot_at_ = std::max({snapshot_at_, header.snapshot_at, header.call + header.interval});
  }
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
  snapshots_.push_back({Snapshot(base_), 0});
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
        entry.program->RunOnce(entry.arguments, *entry.team);
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
  if (heard) ranks_.set_heard(*heard);
  runs_ = runs;
  if (!lost_.empty()) {
    base::Log(base::Severity::kWarning, "[elastic] " + Joined(lost_) + " lost; " +
                                            std::to_string(ranks_.num_ranks()) + " go on, " +
                                            std::to_string(runs) + " steps done again");
  }
}

}  // namespace lockstep::distribute
