#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/executor.h"
#include "cluster/member.h"
#include "distribute/workers/flight_reporter.h"
#include "distribute/workers/roster.h"
#include "distribute/workers/site.h"
#include "distribute/workers/watch_reporter.h"

namespace lockstep::distribute {

/// The roster of a job: its epochs come from the task's `cluster::Member`, which lives on the
/// site's line of control, and its transports from the site.
class MembershipRoster final : public Roster {
 public:
  /// `limit`: how long to wait for the first epoch; and how long nobody may lead the job while the
  /// next one is waited for.
  MembershipRoster(std::unique_ptr<Site> site, const cluster::MemberOptions& options,
                   base::Duration limit);
  /// Tells the others.
  ~MembershipRoster() override;

  base::Executor& executor() override { return site_->data(); }
  Epoch Next(uint64_t after) override;
  /// For a task that was started again: whether others train already, as far as anybody knows.
  bool HasBegun();
  bool has_next(uint64_t after) override {
    return fault_ || left_out_ || has_finished_ || gives_up() ||
           (newest_rank_ >= 0 && newest_.epoch > after);
  }
  bool change_waiting() const override { return change_.load(std::memory_order_relaxed); }
  void ReadyForChange(uint64_t step) override;
  void LeaveWhen(std::function<bool()> asked) override { asked_to_leave_ = std::move(asked); }
  void Leave() override;
  bool Holds() override;
  std::function<bool()> Writes(Writer writer) override;
  std::optional<bool> Claims(const std::string& work) override;
  void Done(const std::string& work, bool well) override;
  bool Finish() override;
  /// The membership of the epoch that `Next` gave last.
  const cluster::Membership& present() const { return present_; }
  /// From now on the task's recorder answers the others, and they are asked when something stalls.
  void Record(std::shared_ptr<Flight> flight, const FlightOptions& options);
  /// From now on those who watch the job get answers.
  void Publish(std::shared_ptr<base::Metrics> metrics, std::shared_ptr<Flight> flight);
  /// Until the first epoch begins, logs who is missing: `after` so long, and again each time that
  /// has doubled, to a minute. For tasks whose launcher does not say so.
  void TellWhoIsMissing(base::Duration after);
  /// Where the task's calls go.
  const std::string& control_address() const { return site_->rpc().address(); }
  /// Lets the data's work go on until `done`.
  void WaitUntil(const std::function<bool()>& done);

 private:
  void Join();
  bool gives_up() const;
  bool comes_again() const { return was_member_ && newest_rank_ < 0; }
  void WaitForNext(const std::function<bool()>& arrived);
  // Throws why this task is in no epoch after `after`, unless it is in the newest one.
  void RequireNext(uint64_t after);
  // Connects to the members of the newest epoch.
  Epoch Enter();
  bool WaitForFirst(const std::function<bool()>& arrived);
  void LeaveIfAsked(const char* waited) const;
  void ThrowHowItEnded() const;
  void NoteHowItEnded();
  void WatchLead();
  void TellBoard(base::Duration after);
  void EndOfEpoch(const Status& why);
  void TellPeers();
  void EndControl(int tries, const std::shared_ptr<bool>& gone);
  void ReportEnd(uint64_t epoch);
  enum class Claim : uint8_t { kOurs, kDone, kLater, kGone };
  Claim TryToClaim(const std::string& key);
  void AskWhetherWrites(Writer writer, std::function<void(bool)> tell);
  template <typename F>
  void OnControl(F work) {
    site_->control().Post(std::move(work));
  }

  // On the line of data, as all that is not said to be elsewhere:
  void OnData(base::Work work) { site_->data().Post(std::move(work)); }

  std::unique_ptr<Site> site_;
  std::unique_ptr<cluster::Member> member_;   // on the line of control
  std::unique_ptr<FlightReporter> reporter_;  // there, too
  std::unique_ptr<WatchReporter> watch_;      // there, too
  cluster::Arbiter* const arbiter_;           // null: none
  const base::Duration limit_;
  bool joined_ = false;
  bool leaves_ = false;
  base::Timer look_;          // on the line of control
  base::Timer board_;         // there, too
  base::Duration unled_{};    // there: for so long nobody has led the job
  base::Duration alone_{};    // the same, as data hears of it
  base::Duration refused_{};  // on the line of control: for so long the others have refused calls
  base::Duration gone_{};     // the same, as data hears of it
  bool was_member_ = false;   // of any epoch
  std::deque<std::string> claimed_;
  std::optional<base::Time> held_;  // when this task was of the present epoch for certain
  std::atomic<bool> change_{false};
  std::function<bool()> asked_to_leave_;
  // Of a job that ends without this task: what was heard of its end.
  bool has_finished_ = false;
  bool all_ended_ = false;

  cluster::Membership newest_;  // that the member has entered
  int newest_rank_ = -1;
  std::optional<Status> fault_;
  std::optional<std::string> left_out_;
  cluster::Membership present_;  // that of the transport
  std::unique_ptr<net::Transport> transport_;

  // How other threads reach it while it is there.
  struct Door {
    std::mutex mutex;
    MembershipRoster* roster;
  };
  const std::shared_ptr<Door> door_ = std::make_shared<Door>();
};

}  // namespace lockstep::distribute
