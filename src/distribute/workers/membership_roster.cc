#include "distribute/workers/membership_roster.h"

#include <algorithm>
#include <utility>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/probe.h"

namespace lockstep::distribute {

namespace {

constexpr base::Duration kGoodbye = std::chrono::seconds(10);
// Who waits to be let in again and finds nobody for so long takes it that the job has ended.
constexpr base::Duration kNobody = std::chrono::seconds(10);
// Who has asked whether it is a member takes it for so long that it is: well below the silence
// after which the others go on without it.
constexpr base::Duration kHeld = std::chrono::milliseconds(500);
// Where all members meet when they have done everything.
constexpr char kEnd[] = "end";
// How often to look whether this task is asked to leave.
constexpr base::Duration kLookForLeave = std::chrono::milliseconds(100);
// Who is asked to leave does not wait longer for somebody who could hear of it.
constexpr base::Duration kLeaveAlone = std::chrono::seconds(3);
// How often to look whether somebody leads.
constexpr base::Duration kLook = std::chrono::seconds(1);
// How long to wait for answers at the end.
constexpr int kMostTries = 20;
constexpr base::Duration kTryAgain = std::chrono::milliseconds(20);

// Who was in `before`, is not in `now`, and did not leave of its own will.
std::vector<std::string> LostIn(const cluster::Membership& before, const cluster::Membership& now) {
  std::vector<std::string> lost;
  for (const cluster::Peer& peer : before.peers) {
    const bool left = now.reason.find(peer.ToString() + " left") != std::string::npos;
    if (now.RankOf(peer.incarnation) < 0 && !left)
      lost.push_back(peer.job + " " + std::to_string(peer.index));
  }
  return lost;
}

}  // namespace

MembershipRoster::MembershipRoster(std::unique_ptr<Site> site,
                                   const cluster::MemberOptions& options, base::Duration limit)
    : site_(std::move(site)),
      member_(std::make_unique<cluster::Member>(site_->rpc(), site_->randomness(), options)),
      arbiter_(options.coordinator.arbiter),
      limit_(limit) {
  door_->roster = this;
}

MembershipRoster::~MembershipRoster() {
  {
    const std::lock_guard<std::mutex> lock(door_->mutex);
    door_->roster = nullptr;
  }
  transport_.reset();
  site_->CloseData();
  // What lives on the line of control ends there.
  const auto gone = std::make_shared<bool>(false);
  OnControl([this, gone] { EndControl(0, gone); });
  site_->WaitForControl([gone] { return *gone; });
}

// A task that ends by an error leaves the others' answers time to come, so that it can say why.
void MembershipRoster::EndControl(int tries, const std::shared_ptr<bool>& gone) {
  if (reporter_ != nullptr && reporter_->asks() && tries < kMostTries) {
    site_->control().PostAfter(kTryAgain, [this, tries, gone] { EndControl(tries + 1, gone); });
    return;
  }
  look_.Stop();
  board_.Stop();
  reporter_.reset();
  watch_.reset();
  member_.reset();
  site_->CloseControl();
  OnData([gone] { *gone = true; });
}

void MembershipRoster::Record(std::shared_ptr<Flight> flight, const FlightOptions& options) {
  OnControl([this, flight = std::move(flight), options] {
    reporter_ = std::make_unique<FlightReporter>(site_->rpc(), flight, options);
  });
  TellPeers();
}

void MembershipRoster::Publish(std::shared_ptr<base::Metrics> metrics,
                               std::shared_ptr<Flight> flight) {
  OnControl([this, metrics = std::move(metrics), flight = std::move(flight), first = present_] {
    watch_ = std::make_unique<WatchReporter>(site_->rpc(), *member_, metrics, flight);
    watch_->Enter(first);
    watch_->Enter(member_->membership());
  });
}

void MembershipRoster::TellWhoIsMissing(base::Duration after) {
  OnControl([this, after] { TellBoard(after); });
}

void MembershipRoster::TellBoard(base::Duration after) {
  board_.StartAfter(site_->control(), after, [this, after] {
    if (member_->membership().epoch > 0) return;
    base::Log(base::Severity::kWarning,
              "[multi_worker] all workers must come before training begins; " + member_->Board());
    TellBoard(std::min<base::Duration>(2 * after, std::chrono::minutes(1)));
  });
}

void MembershipRoster::TellPeers() {
  std::vector<std::string> addresses;
  for (const cluster::Peer& peer : present_.peers) addresses.push_back(peer.control);
  OnControl([this, epoch = present_.epoch, addresses] {
    if (reporter_ != nullptr) reporter_->Enter(epoch, addresses);
  });
}

void MembershipRoster::WaitUntil(const std::function<bool()>& done) {
  while (!site_->Wait(done, std::chrono::hours(1))) {
  }
}

void MembershipRoster::EndOfEpoch(const Status& why) {
  if (transport_ != nullptr && transport_->aborted() == nullptr) transport_->AbortEpoch(why);
}

void MembershipRoster::Join() {
  joined_ = true;
  member_->OnEpoch([this](const cluster::Membership& membership, int rank) {
    change_ = !membership.halt.empty();
    if (watch_ != nullptr) watch_->Enter(membership);
    OnData([this, membership, rank] {
      newest_ = membership;
      newest_rank_ = rank;
      was_member_ = true;
      alone_ = gone_ = base::Duration(0);
      if (membership.epoch > present_.epoch)
        EndOfEpoch(Status(Code::kUnavailable, "[membership] " + ToString(membership)));
    });
  });
  member_->OnChangeWaiting([this](int, int) { change_ = true; });
  member_->OnTrouble([this](const Status& why) {
    base::Log(base::Severity::kWarning, why.message());
    if (why.code() == Code::kUnavailable) return;
    // Somebody has told this: how long nobody did before, as the network was cut, says nothing.
    unled_ = base::Duration(0);
    OnData([this, why] {
      if (leaves_) return;
      alone_ = base::Duration(0);
      if (why.code() == Code::kAborted && !was_member_) {
        LOCKSTEP_PROBE("a job begins anew before its first epoch");
        return;  // the member joins it by itself
      }
      newest_rank_ = -1;
      why.code() == Code::kAborted ? void(left_out_ = why.message()) : void(fault_ = why);
      EndOfEpoch(Status(Code::kUnavailable, why.message()));
    });
  });
  OnControl([this] {
    WatchLead();
    member_->Join([this](const Result<cluster::Membership>& first) {
      if (!first.ok()) OnData([this, why = first.status()] { fault_ = why; });
    });
  });
}

void MembershipRoster::WatchLead() {
  look_.StartAfter(site_->control(), kLook, [this] {
    const base::Duration before =
        std::exchange(unled_, member_->is_led() ? base::Duration(0) : unled_ + kLook);
    if (unled_ != before) OnData([this, alone = unled_] { alone_ = alone; });
    const base::Duration gone = member_->OthersHaveEnded() ? refused_ + kLook : base::Duration(0);
    if (std::exchange(refused_, gone) != gone) OnData([this, gone] { gone_ = gone; });
    NoteHowItEnded();
    WatchLead();
  });
}

// Whom the others do not wait for, as they have left it out, hears it from them or who knows them.
void MembershipRoster::NoteHowItEnded() {
  if (member_->rank() < 0 && member_->HasHeardOf(kEnd)) OnData([this] { has_finished_ = true; });
  // Who came when the others had gone may lead a job of which it is the only task.
  const bool is_led = unled_ == base::Duration(0);
  if (is_led && member_->rank() >= 0) return;
  member_->AskHowItEnded([this, is_led](bool all_ended, bool has_finished) {
    OnData([this, is_led, all_ended, has_finished] {
      has_finished_ |= has_finished;
      if (!is_led) all_ended_ = all_ended;
    });
  });
}

// Whether nobody is there any more who could say how the job goes on.
bool MembershipRoster::gives_up() const {
  const bool knows_them_gone = !was_member_ && all_ended_;  // who waits to be let in
  if (gone_ >= std::min(kNobody, limit_)) return true;
  return alone_ >= (comes_again() || knows_them_gone ? std::min(kNobody, limit_) : limit_);
}

// For who was left out, and can't come in again.
void MembershipRoster::ThrowHowItEnded() const {
  if (has_finished_) {
    LOCKSTEP_PROBE("a worker that was left out hears that the job has come to its end");
    throw JobEnded(
        "[multi_worker] the job has come to its end without this worker, which was left out, or "
        "came too late");
  }
  if (all_ended_) {
    LOCKSTEP_PROBE("a worker that was left out hears that all others have died");
    throw Error(Code::kUnavailable,
                "[multi_worker] the others must come to the end of the job; got workers that have "
                "all ended before it, while this one was left out; resume from the newest save");
  }
  LOCKSTEP_PROBE("a worker that was left out finds nobody any more");
  throw JobEnded(
      "[multi_worker] the job has ended without this worker, which was left out, or is out "
      "of its reach: nobody has led it for " +
      std::to_string(alone_ / std::chrono::seconds(1)) + " s, and nobody says how it ended");
}

void MembershipRoster::LeaveIfAsked(const char* waited) const {
  if (asked_to_leave_ == nullptr || !asked_to_leave_()) return;
  LOCKSTEP_PROBE("a worker that waits for the others is asked to leave");
  throw Left(std::string("[multi_worker] this worker was asked to leave, and has left while it ") +
             waited);
}

// Whether it has arrived before everybody's patience ends.
bool MembershipRoster::WaitForFirst(const std::function<bool()>& arrived) {
  for (base::Duration left = limit_; left > base::Duration(0); left -= kLookForLeave) {
    if (site_->Wait(arrived, std::min(left, kLookForLeave))) return true;
    LeaveIfAsked("waited for all to come");
  }
  return false;
}

void MembershipRoster::WaitForNext(const std::function<bool()>& arrived) {
  if (asked_to_leave_ == nullptr) return WaitUntil(arrived);
  while (!site_->Wait(arrived, kLookForLeave)) {
    if (comes_again()) {
      LeaveIfAsked("waited to be let in again");
    } else if (alone_ >= kLeaveAlone) {
      LeaveIfAsked("waited for somebody who leads");
    }
  }
}

// Whoever has seen a peer go says so; the others only wait.
void MembershipRoster::ReportEnd(uint64_t epoch) {
  if (transport_ == nullptr || newest_.epoch > epoch) return;
  bool told = false;
  for (const net::Loss& loss : transport_->losses()) {
    if (loss.left) continue;
    told = true;
    OnControl([this, epoch, loss] {
      if (member_->membership().epoch == epoch)
        member_->ReportDead(loss.rank, loss.why.message(), loss.ended);
    });
  }
  const net::Abort* abort = transport_->aborted();
  if (told || abort == nullptr || abort->by != transport_->rank() ||
      abort->reason.code() != Code::kDeadlineExceeded)
    return;
  OnControl([this, epoch, why = abort->reason.message()] {
    if (member_->membership().epoch == epoch) member_->ReportBroken(why);
  });
}

Roster::Epoch MembershipRoster::Next(uint64_t after) {
  const bool first = !joined_;
  if (first) Join();
  ReportEnd(after);
  const auto arrived = [&] { return has_next(after); };
  if (after != 0 || !first || WaitForFirst(arrived)) WaitForNext(arrived);
  RequireNext(after);
  return Enter();
}

bool MembershipRoster::HasBegun() {
  const auto told = std::make_shared<std::optional<bool>>();
  OnControl([this, told] {
    member_->AskWhetherBegun(
        [this, told](bool begun) { OnData([told, begun] { *told = begun; }); });
  });
  WaitUntil([&] { return told->has_value(); });
  return **told;
}

void MembershipRoster::RequireNext(uint64_t after) {
  if (fault_) throw Error(fault_->code(), fault_->message());
  if (has_finished_ && newest_.epoch <= after) ThrowHowItEnded();
  if (left_out_) {
    present_ = {};
    throw LeftOut(*std::exchange(left_out_, std::nullopt));
  }
  if (!was_member_ && !all_ended_) {
    LOCKSTEP_PROBE("a worker was never let in");
    throw Error(Code::kDeadlineExceeded,
                "[multi_worker] all workers must come in time; got " + member_->Board());
  }
  if (!was_member_ || newest_rank_ < 0) ThrowHowItEnded();
  if (newest_.epoch <= after && gone_ >= std::min(kNobody, limit_)) {
    LOCKSTEP_PROBE("a worker that was cut off finds that the others have ended");
    throw Error(Code::kUnavailable,
                "[multi_worker] this worker was cut off from the others, and they have ended; got "
                "refused connections for " +
                    std::to_string(gone_ / std::chrono::seconds(1)) + " s, after " +
                    ToString(newest_) +
                    "; if the others did not finish the job, resume from the newest save");
  }
  if (newest_.epoch <= after) {
    LOCKSTEP_PROBE("a worker gives up waiting for somebody who leads");
    throw Error(Code::kUnavailable,
                "[multi_worker] the coordinators of the job must be in reach; got none that leads "
                "for " +
                    std::to_string(alone_ / std::chrono::seconds(1)) + " s, after " +
                    ToString(newest_) +
                    "; the job has ended without this worker, or most of it is lost: then resume "
                    "from the newest save");
  }
}

Roster::Epoch MembershipRoster::Enter() {
  Epoch epoch{.number = newest_.epoch, .reason = newest_.reason, .halt = newest_.halt};
  epoch.lost = LostIn(present_, newest_);
  epoch.entering = newest_.peers[newest_rank_].joined > 1;
  present_ = newest_;
  held_.reset();
  transport_.reset();
  net::Membership data{.id = present_.epoch, .rank = newest_rank_};
  std::vector<bool> is_server;
  for (const cluster::Peer& peer : present_.peers) {
    data.addresses.push_back(peer.data.at(0));
    is_server.push_back(peer.job == "ps");
  }
  epoch.roles = Roles(std::move(is_server));
  transport_ = site_->Join(data).value();
  transport_->EnterEpoch(present_.epoch);
  // The beginning of the job is logged once. Recoveries and workers that join log lines of their
  // own.
  const bool begins = newest_rank_ == 0 && data.id == 1;
  base::Log(begins ? base::Severity::kInfo : base::Severity::kDebug,
            "multi_worker: " + ToString(present_));
  epoch.transport = transport_.get();
  for (const cluster::Peer& peer : present_.peers)
    epoch.tasks.push_back(peer.job + " " + std::to_string(peer.index));
  TellPeers();
  return epoch;
}

void MembershipRoster::ReadyForChange(uint64_t step) {
  OnControl([this, step, epoch = present_.epoch] {
    if (member_->membership().epoch == epoch) member_->ReadyForJoiners(step);
  });
}

void MembershipRoster::Leave() {
  leaves_ = true;
  const auto gone = std::make_shared<bool>(false);
  OnControl([this, gone] {
    member_->Leave([this, gone](const Status&) { OnData([gone] { *gone = true; }); });
  });
  site_->Wait([gone] { return *gone; }, kGoodbye);
}

bool MembershipRoster::Holds() {
  const base::Time asked = site_->data().Now();
  if (held_ && asked - *held_ < kHeld) return true;
  const auto holds = std::make_shared<std::optional<bool>>();
  OnControl([this, holds, epoch = present_.epoch] {
    const auto tell = [this, holds](bool held) { OnData([holds, held] { *holds = held; }); };
    if (member_->membership().epoch != epoch) return tell(false);
    member_->Get("", cluster::Scope::kEpoch, [tell](const auto& got) { tell(got.ok()); });
  });
  WaitUntil([&] { return holds->has_value() || transport_->aborted() != nullptr; });
  if (!holds->value_or(false)) {
    LOCKSTEP_PROBE("a worker finds that it is not of the present epoch any more");
    return false;
  }
  held_ = asked;
  return true;
}

// On the line of control, whose later work ends the member.
void MembershipRoster::AskWhetherWrites(Writer writer, std::function<void(bool)> tell) {
  OnControl([this, writer, tell = std::move(tell)] {
    const std::vector<cluster::Peer>& peers = member_->membership().peers;
    const auto worker = std::find_if(peers.begin(), peers.end(),
                                     [](const cluster::Peer& peer) { return peer.job != "ps"; });
    const auto first = worker == peers.end() ? peers.begin() : worker;
    const bool is_first = first != peers.end() && first->incarnation == member_->self().incarnation;
    if (writer == Writer::kFirst && !is_first) return tell(false);
    member_->Get("", cluster::Scope::kEpoch, [tell](const auto& got) { tell(got.ok()); });
  });
}

std::function<bool()> MembershipRoster::Writes(Writer writer) {
  struct Answer {
    base::EventLoop loop;  // of the thread that asks
    std::optional<bool> writes;
  };
  const auto held = std::make_shared<std::optional<base::Time>>();
  return [door = door_, held, writer] {
    const auto answer = std::make_shared<Answer>();
    const base::Time asked = answer->loop.Now();
    if (*held && asked - **held < kHeld) return true;
    held->reset();
    {
      const std::lock_guard<std::mutex> lock(door->mutex);
      if (door->roster == nullptr) return false;
      door->roster->AskWhetherWrites(writer, [answer](bool writes) {
        answer->loop.Post([to = answer.get(), writes] { to->writes = writes; });
      });
    }
    answer->loop.RunUntil([&] { return answer->writes.has_value(); }, kGoodbye);
    if (!answer->writes.value_or(false)) return false;
    *held = asked;
    return true;
  };
}

bool MembershipRoster::Finish() {
  const auto met = std::make_shared<std::optional<Status>>();
  OnControl([this, met, epoch = present_.epoch] {
    const auto tell = [this, met](const Status& status) {
      OnData([met, status] { *met = status; });
    };
    if (member_->membership().epoch != epoch)
      return tell(Status(Code::kAborted, "[membership] another epoch has begun"));
    member_->Barrier(kEnd, kGoodbye, tell);
  });
  // Who is quicker may have gone already; the meeting tells whether all have been in it.
  site_->Wait([&] { return met->has_value() || has_finished_; }, kGoodbye);
  const bool has_ended = !met->has_value() || (*met)->code() != Code::kAborted;
  if (has_ended && arbiter_ != nullptr) arbiter_->NoteFinished();
  return has_ended;
}

}  // namespace lockstep::distribute
