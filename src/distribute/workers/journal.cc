#include "distribute/workers/journal.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/probe.h"
#include "cluster/fields.h"
#include "distribute/programs/rank_program.h"

namespace lockstep::distribute {

namespace {

constexpr int kCopies = 2;
// Of the time between two snapshots, so much may be spent on one; and up to that when what is done
// again would take longer than kLongest otherwise. What steps after one find gone from their caches
// costs as much again.
constexpr double kShare = 0.0025, kMostShare = 0.02;
constexpr double kLongest = 4e7;  // nanoseconds
constexpr uint64_t kFewestRuns = 4, kMostRuns = 4096;
// Most bytes of what is kept of calls before the snapshots.
constexpr size_t kMostArchived = size_t{64} << 20;
// Who rests hears of calls some hundred runs later.
constexpr size_t kMostEnded = 512;

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

Journal::Journal(Communicator& ranks) : ranks_(ranks) { snapshots_.push_back({Snapshot(0), 0}); }

Journal::~Journal() = default;

ActivityScope::ActivityScope(Communicator* ranks, Activity activity)
    : journal_(ranks == nullptr ? nullptr : &ranks->journal()),
      before_(journal_ == nullptr ? Activity::kProgram : journal_->activity_) {
  if (journal_ == nullptr || before_ != Activity::kProgram) return;
  journal_->activity_ = activity;
  journal_->left_activity_ = false;
  ++journal_->looks_;
  if (activity == Activity::kTraining) {
    ++journal_->trainings_;
    journal_->looks_ = 0;
    if (ranks->heeds_termination()) heeds_.emplace();
  }
  ranks->failures().BeginActivity();
}

ActivityScope::~ActivityScope() {
  if (journal_ == nullptr) return;
  if (before_ == Activity::kProgram && !journal_->left_activity_) journal_->NoteEndOfActivity();
  journal_->activity_ = before_;
}

void ActivityScope::Fail(const std::string& why) {
  if (journal_ != nullptr) journal_->FailActivity(why);
}

void ActivityScope::Guard(const std::function<void()>& activity) {
  try {
    activity();
  } catch (const std::exception& error) {
    Fail(error.what());
    throw;
  }
}

void Journal::NoteEndOfActivity() {
  ended_.push_back({activity_number(), calls_});
  if (ended_.size() > kMostEnded) ended_.pop_front();
}

bool Journal::Misses(uint64_t activity, uint64_t calls) const {
  return activity_number() == activity ||
         std::any_of(ended_.begin(), ended_.end(), [=](const EndedActivity& ended) {
           return ended.number == activity && ended.calls > calls;
         });
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
      if (GoApart()) continue;
      if (activity_ == Activity::kTraining) entering_ = true;  // it comes again, if at all
      throw;
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
  // All that have begun a run have the snapshot before it.
  size_t first = snapshots_.size() - 1;
  while (first > 0 && ranks_.notes().all_began() <= snapshots_[first].runs) --first;
  if (first == 0) return;
  spare_ = std::move(snapshots_[first - 1].snapshot);
  KeepFrom(first);
  state_ = nullptr;
}

void Journal::ClearArchive() {
  archive_.clear();
  archive_arguments_.Clear();
  archive_bytes_ = 0;
}

void Journal::KeepFrom(size_t first) {
  snapshots_.erase(snapshots_.begin(), snapshots_.begin() + static_cast<std::ptrdiff_t>(first));
  const size_t entries = snapshots_.front().entries;
  Forget(entries);
  for (Kept& kept : snapshots_) kept.entries -= entries;
}

// The first entries of the log, which the first snapshot replaces.
void Journal::Forget(size_t entries) {
  const Kept& first = snapshots_.front();
  if (first.is_base) {
    ClearArchive();
    archive_has_run_ = false;
    base_ = first.snapshot.call();
    has_base_ = true;
  }
  for (size_t i = 0; i < entries; ++i) {
    Entry& entry = log_.front();
    if (has_base_ && !first.is_base) {
      archive_bytes_ += sizeof(Entry) + 256;
      archive_bytes_ += entry.arguments.num_bytes_copied();
      for (const Tensor& argument : entry.arguments.themselves()) archive_arguments_.Add(argument);
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
  if (!elastic() || ranks_.num_ranks() == 1) return;
  if (fixed_interval_ > 0) interval_ = fixed_interval_;
  // Without a run that all met in, none would ever replace the one before.
  const bool have_met = ranks_.notes().meetings() > snapshots_.back().meetings;
  if (calls_ < snapshot_at_ || !have_met) return;
  Snapshot::Cells cells;
  for (const Known& known : known_) cells.push_back(known.cell);
  const base::Time begin = ranks_.executor().Now();
  Snapshot snapshot(calls_);
  if (spare_) snapshot.TakeMemoryOf(std::move(*spare_));
  spare_.reset();
  interval_ = snapshot.Take(ranks_, cells, kCopies, Suggest());
  snapshots_.push_back({std::move(snapshot), log_.size(), /*is_base=*/false, ranks_.notes().runs(),
                        ranks_.notes().meetings()});
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
  if (const auto told = heard_elsewhere_.find(calls_); told != heard_elsewhere_.end()) {
    ranks_.notes().set_heard(told->second);
    heard_elsewhere_.erase(heard_elsewhere_.begin(), std::next(told));
  }
  Completed({.kind = Kind::kRun,
             .call = calls_,
             .program = program,
             .arguments = {arguments, log_.empty() ? KeptArguments() : log_.back().arguments},
             .team = &team,
             .host = host->empty() ? nullptr : std::move(host),
             .heard = ranks_.heard(),
             .reads_follow = ranks_.reads_follow()});
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
  snapshots_.push_back({Snapshot(call), entries, /*is_base=*/true, ranks_.notes().runs(),
                        ranks_.notes().meetings()});
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
  ranks_.notes().set_heard(0);  // as who came has heard nothing: the next run may carry no notes
}

void Journal::Leave() {
  if (!elastic()) return;
  ranks_.roster()->Leave();
  ending_ = true;
}

void Journal::FailActivity(const std::string& why) {
  if (failed_ || ending_ || entering() || is_left_out_ || ranks_.aborted() != nullptr) return;
  LOCKSTEP_PROBE("a program leaves what all are at by an error of its own");
  left_activity_ = true;
  ranks_.Doing(collectives::Phase::kProgram);
  ranks_.failures().Tell(activity_number(), calls_, why);
}

void Journal::End() {
  // Who has left what others are in goes as if it had died: they go on.
  if (!elastic() || entering() || is_left_out_ || ending_ || failed_ || left_activity_ ||
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
  ranks_.notes().set_heard(0);  // as the others behind Admit
  if (taken_state_.empty()) return std::nullopt;
  return std::move(taken_state_);
}

}  // namespace lockstep::distribute
