#include "distribute/servers/update_sequencer.h"

#include <algorithm>
#include <utility>

namespace lockstep::distribute {

Sequencer::Sequencer(const SequencerOptions& options, const Ledger& ledger, Decisions decisions)
    : options_(options),
      ledger_(ledger),
      decisions_(std::move(decisions)),
      batches_(options.batches),
      next_(ledger.end()) {
  for (int64_t batch = ledger.prefix(); batch < next_; ++batch)
    if (!ledger.Has(batch)) again_.insert(batch);
}

void Sequencer::Expect(int64_t batch) {
  if (ledger_.Has(batch)) return;
  for (; next_ <= batch; ++next_) again_.insert(next_);
  again_.erase(batch);
}

void Sequencer::OnAsk(const Ask& ask) {
  asks_.push_back(ask);
  Serve();
}

void Sequencer::OnHeld(int64_t batch, uint64_t pulled) {
  if (ledger_.Has(batch)) return;
  Update& update = updates_[batch];
  update.pulled = pulled;
  if (++update.held < options_.holders) return;
  if (options_.bound < 0) {
    updates_.erase(batch);
    Commit(batch, pulled);
  } else {
    for (auto first = updates_.begin();
         first != updates_.end() && first->first == ledger_.prefix() &&
         first->second.held == options_.holders;
         first = updates_.begin()) {
      const auto [ready, made] = *first;
      updates_.erase(first);
      Commit(ready, made.pulled);
    }
  }
  Serve();
  MaybeEnd();
}

void Sequencer::Commit(int64_t batch, uint64_t pulled) {
  decisions_.commit({.number = ledger_.committed() + 1,
                     .batch = batch,
                     .staleness = static_cast<int64_t>(ledger_.committed() - pulled)});
}

void Sequencer::Stop() {
  batches_ = std::min(batches_, next_);
  MaybeEnd();
}

void Sequencer::MaybeEnd() {
  if (ended_ || ledger_.prefix() < batches_) return;
  ended_ = true;
  decisions_.end();
}

// The batch to hand out now; -1: none.
int64_t Sequencer::Upcoming() const {
  const int64_t batch = again_.empty() ? next_ : *again_.begin();
  if (batch >= batches_) return -1;
  return options_.bound >= 0 && batch > ledger_.prefix() + options_.bound ? -1 : batch;
}

void Sequencer::Serve() {
  for (auto ask = asks_.begin(); ask != asks_.end();) {
    const int64_t batch = Upcoming();
    if (batch < 0) return;
    if (options_.bound < 0 && ask->after >= 0 && !ledger_.Has(ask->after)) {
      ++ask;
      continue;
    }
    if (batch == next_) ++next_;
    again_.erase(batch);
    const Ask served = *ask;
    ask = asks_.erase(ask);
    decisions_.serve(served, batch);
  }
}

}  // namespace lockstep::distribute
