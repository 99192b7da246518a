#include "distribute/workers/communicator.h"
#include "distribute/workers/journal.h"
#include "distribute/workers/sole_writer.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep {

using distribute::Roster;

void Strategy::OnOne(const std::string& path, const std::function<Status()>& work) {
  distribute::Communicator* const ranks = ranks_.get();
  if (ranks == nullptr) return work().OrThrow();
  Roster* const roster = ranks->roster();
  if (roster == nullptr) return OnChief(work);
  if (ranks->is_apart()) return;  // the others see to it
  const distribute::PhaseScope saves(ranks, collectives::Phase::kSave);
  // The so-many-th time after what they did together last.
  const uint64_t calls = ranks->journal().calls();
  const std::string key =
      std::to_string(calls) + " " + std::to_string(ranks->TimesOf(path, calls)) + " " + path;
  const std::optional<bool> claims = roster->Claims(key);
  if (!claims) return OnChief(work);
  if (!*claims) return;
  Status status;
  try {
    const distribute::SoleWriter writer(roster, distribute::Writer::kAnyTask);
    status = work();
  } catch (...) {
    roster->Done(key, false);
    throw;
  }
  // Who was left out meanwhile has written nothing, and another one does.
  if (status.code() == Code::kAborted && !roster->Holds()) return;
  roster->Done(key, status.ok());
  status.OrThrow();
}

}  // namespace lockstep
