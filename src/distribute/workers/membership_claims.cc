// Work that any of the tasks may do, and one does: the first that comes writes its life's number
// into the job's values, and later that it is done.

#include <utility>

#include "base/hash.h"
#include "base/probe.h"
#include "distribute/workers/membership_roster.h"

namespace lockstep::distribute {

namespace {

constexpr base::Duration kLookAgain = std::chrono::milliseconds(20);
// Of so many pieces of work a task still says that they are done.
constexpr size_t kRemembered = 64;
constexpr char kDone[] = "done";

// A path may be longer than a key.
std::string KeyOf(const std::string& work) {
  return "work " + std::to_string(base::Hash64(work)) + " " + std::to_string(work.size());
}

}  // namespace

MembershipRoster::Claim MembershipRoster::TryToClaim(const std::string& key) {
  const auto claim = std::make_shared<std::optional<Claim>>();
  OnControl([this, claim, key] {
    const auto tell = [this, claim](Claim told) { OnData([claim, told] { *claim = told; }); };
    const std::string own = std::to_string(member_->self().incarnation);
    const auto ask = [this, tell, key, own](const std::optional<std::string>& expected) {
      member_->CompareAndSet(key, expected, own, cluster::Scope::kJob,
                             [tell](const Result<bool>& set) {
                               tell(set.ok() && *set ? Claim::kOurs : Claim::kLater);
                             });
    };
    if (member_->rank() < 0) return tell(Claim::kGone);
    member_->Get(key, cluster::Scope::kJob, [this, tell, ask, own](const auto& got) {
      if (!got.ok()) return tell(Claim::kLater);
      const std::optional<std::string>& value = *got;
      if (!value) return ask(std::nullopt);
      if (*value == kDone) return tell(Claim::kDone);
      if (*value == own) return tell(Claim::kOurs);
      for (const cluster::Peer& peer : member_->membership().peers)
        if (std::to_string(peer.incarnation) == *value) return tell(Claim::kLater);
      LOCKSTEP_PROBE("who had begun work for all is gone");
      ask(value);
    });
  });
  WaitUntil([&] { return claim->has_value() || newest_rank_ < 0; });
  return claim->value_or(Claim::kGone);
}

std::optional<bool> MembershipRoster::Claims(const std::string& work) {
  const std::string key = KeyOf(work);
  for (base::Duration waited{}; waited < limit_; waited += kLookAgain) {
    const Claim claim = newest_rank_ < 0 ? Claim::kGone : TryToClaim(key);
    if (claim != Claim::kLater) return claim == Claim::kOurs;
    site_->Wait([this] { return newest_rank_ < 0; }, kLookAgain);
  }
  return true;
}

void MembershipRoster::Done(const std::string& work, bool well) {
  std::string forgotten;
  if (well) claimed_.push_back(KeyOf(work));
  if (claimed_.size() > kRemembered) {
    forgotten = std::move(claimed_.front());
    claimed_.pop_front();
  }
  const auto told = std::make_shared<bool>(false);
  OnControl([this, key = KeyOf(work), well, forgotten, told] {
    const auto done = [this, told](const Status&) { OnData([told] { *told = true; }); };
    if (!forgotten.empty()) member_->Delete(forgotten, cluster::Scope::kJob, [](const Status&) {});
    if (well) return member_->Set(key, kDone, cluster::Scope::kJob, done);
    member_->Delete(key, cluster::Scope::kJob, done);
  });
  WaitUntil([&] { return *told || newest_rank_ < 0; });
}

}  // namespace lockstep::distribute
