// What ranks do with updates and batches while an epoch of a run lasts.

#include <algorithm>
#include <utility>

#include "distribute/servers/asynchronous_epoch_state.h"

namespace lockstep::distribute {

using cluster::FieldReader;
using cluster::FieldWriter;

// ---- the first shard's primary ----

void AsynchronousRun::BeginSequencer() {
  int holders = 0;
  for (int shard = 0; shard < options_.shards; ++shard)
    holders += epoch_->copies[shard] >= 0 ? 2 : 1;
  for (int holder : epoch_->holders) epoch_->known[holder] = ledger_.committed();
  epoch_->sequencer = std::make_unique<Sequencer>(
      SequencerOptions{.batches = options_.batches, .bound = options_.bound, .holders = holders},
      ledger_,
      Sequencer::Decisions{.commit =
                               [this](const Commit& commit) {
                                 Announce(EntryKind::kCommit, [&](FieldWriter& fields) {
                                   fields.Put(epoch_->stable);
                                   commit.Encode(fields);
                                 });
                               },
                           .serve =
                               [this](const Sequencer::Ask& ask, int64_t batch) {
                                 Announce(EntryKind::kServe, [&](FieldWriter& fields) {
                                   fields.Put(ask.worker).Put(ask.since).Put(batch);
                                 });
                               },
                           .end = [this] { Announce(EntryKind::kEnd, [](FieldWriter&) {}); }});
  for (const auto& [rank, header] : epoch_->headers)
    for (int64_t batch : header.pushes) epoch_->sequencer->Expect(batch);
  if (stops_) epoch_->sequencer->Stop();
  epoch_->sequencer->MaybeEnd();
}

void AsynchronousRun::OnHeld(int from, FieldReader& reader) {
  const auto batch = reader.Take<int64_t>();
  const auto pulled = reader.Take<uint64_t>();
  uint64_t& known = epoch_->known[from];
  known = std::max(known, reader.Take<uint64_t>());
  epoch_->known[transport().rank()] = ledger_.committed();
  uint64_t stable = ledger_.committed();
  for (const auto& [rank, knows] : epoch_->known) stable = std::min(stable, knows);
  epoch_->stable = stable;
  epoch_->sequencer->OnHeld(batch, pulled);
}

// Tells all who hold something what comes next; they all do it in this order.
void AsynchronousRun::Announce(EntryKind kind, const std::function<void(FieldWriter&)>& fields) {
  FieldWriter entry;
  entry.Put(static_cast<uint8_t>(kind));
  fields(entry);
  const std::string text = entry.Take();
  const int own = transport().rank();
  for (int holder : epoch_->holders) {
    if (holder == own ||
        (kind != EntryKind::kCommit && !Epoch::Contains(epoch_->primaries, holder)))
      continue;
    FieldWriter header = Begin(Kind::kEntry);
    header.Put(++epoch_->sent[holder]);
    Send(holder, header.Take() + text);
  }
  FieldReader reader(text);
  Carry(reader);
}

// ---- who holds something ----

void AsynchronousRun::OnPush(FieldReader& reader, const net::Payload& body) {
  const int shard = reader.Take<int>();
  const auto batch = reader.Take<int64_t>();
  const auto pulled = reader.Take<uint64_t>();
  // What counts already was pushed in an epoch before, too.
  if (ledger_.Has(batch)) return;
  shards_.at(shard).pushes[batch] = body;
  if (epoch_->sequencer != nullptr) {
    epoch_->sequencer->OnHeld(batch, pulled);
    return;
  }
  FieldWriter header = Begin(Kind::kHeld);
  header.Put(batch).Put(pulled).Put(ledger_.committed());
  Send(epoch_->primaries[0], header.Take());
}

void AsynchronousRun::OnEntry(FieldReader& reader) {
  const auto index = reader.Take<uint64_t>();
  epoch_->entries[index] = std::string(reader.rest());
  const std::shared_ptr<Epoch> keeps = epoch_;
  for (auto next = keeps->entries.begin();
       next != keeps->entries.end() && next->first == keeps->carried + 1;
       next = keeps->entries.begin()) {
    const std::string entry = std::move(next->second);
    keeps->entries.erase(next);
    ++keeps->carried;
    FieldReader fields(entry);
    Carry(fields);
  }
}

void AsynchronousRun::Carry(FieldReader& entry) {
  switch (static_cast<EntryKind>(entry.Take<uint8_t>())) {
    case EntryKind::kCommit:
      epoch_->stable = std::max(epoch_->stable, entry.Take<uint64_t>());
      ApplyCommit(Commit::Decode(entry));
      break;
    case EntryKind::kServe: {
      const int worker = entry.Take<int>();
      const auto since = entry.Take<uint64_t>();
      SendValues(worker, since, entry.Take<int64_t>());
      break;
    }
    case EntryKind::kEnd:
      SendFinals();
      break;
  }
}

void AsynchronousRun::ApplyCommit(const Commit& commit) {
  tail_[commit.number] = commit;
  ledger_.Add(commit);
  for (auto& [shard, held] : shards_) {
    if (held.live == nullptr) {
      if (commit.number <= held.base_version) held.pushes.erase(commit.batch);
      continue;
    }
    const net::Payload push = std::move(held.pushes.at(commit.batch));
    held.pushes.erase(commit.batch);
    held.live->Apply(commit, push);
    const int copy = epoch_->stage == Epoch::Stage::kRunning ? epoch_->copies[shard] : -1;
    if (held.is_primary && copy >= 0 && commit.number % options_.state_every == 0)
      SendState(copy, shard, held.live->State(transport()), false);
  }
  Forget();
}

// Commits that all know, and whose updates this rank has in its states.
void AsynchronousRun::Forget() {
  uint64_t first = epoch_->stable;
  for (const auto& [shard, held] : shards_)
    if (held.live == nullptr) first = std::min(first, held.base_version);
  tail_.erase(tail_.begin(), tail_.upper_bound(first));
}

// The commits that some who hold something may not have heard of.
void AsynchronousRun::PutTail(FieldWriter& writer) const {
  const auto first = tail_.upper_bound(epoch_->stable);
  writer.Put(epoch_->stable).Put(static_cast<uint32_t>(std::distance(first, tail_.end())));
  for (auto commit = first; commit != tail_.end(); ++commit) commit->second.Encode(writer);
}

void AsynchronousRun::TakeTail(FieldReader& reader) {
  const auto stable = reader.Take<uint64_t>();
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
    const Commit commit = Commit::Decode(reader);
    tail_[commit.number] = commit;
  }
  if (shards_.empty()) tail_.erase(tail_.begin(), tail_.upper_bound(stable));
}

void AsynchronousRun::SendValues(int worker, uint64_t since, int64_t batch) {
  for (auto& [shard, held] : shards_) {
    if (!held.is_primary) continue;
    FieldWriter header = Begin(Kind::kValues);
    header.Put(shard).Put(batch).Put(ledger_.committed()).Put(ledger_.prefix());
    PutTail(header);
    Send(worker, header.Take(), held.live->Values(transport(), since));
  }
}

void AsynchronousRun::SendFinals() {
  for (auto& [shard, held] : shards_) {
    if (!held.is_primary) continue;
    FieldWriter header = Begin(Kind::kFinal);
    header.Put(shard);
    ledger_.Encode(header);
    const std::string text = header.Take();
    const net::Payload state = held.live->State(transport());
    for (int rank : epoch_->present) Send(rank, text, state);
  }
}

void AsynchronousRun::OnFinal(FieldReader& reader, const net::Payload& body) {
  const int shard = reader.Take<int>();
  if (!finals_.emplace(shard, body).second) return;
  final_ledger_ = Ledger::Decode(reader);
  MaybeFinish();
}

void AsynchronousRun::MaybeFinish() {
  if (!finished()) return;
  DropPushes(options_.batches);
  shards_.clear();
  epoch_->stage = Epoch::Stage::kOver;
  Post([this] { epoch_->done(Status::Ok()); });
}

// ---- workers ----

void AsynchronousRun::BeginWork() {
  for (const auto& [batch, push] : pushes_) Push(batch, push);
  if (stops_) Stop();
  Ask();
}

void AsynchronousRun::Stop() {
  stops_ = true;
  if (epoch_ == nullptr || epoch_->stage != Epoch::Stage::kRunning) return;
  Send(epoch_->primaries[0], Begin(Kind::kStop).Take());
}

void AsynchronousRun::Ask() {
  FieldWriter header = Begin(Kind::kAsk);
  header.Put(epoch_->version).Put(pushes_.empty() ? int64_t{-1} : pushes_.rbegin()->first);
  Send(epoch_->primaries[0], header.Take());
}

void AsynchronousRun::OnValues(FieldReader& reader, const net::Payload& body) {
  const int shard = reader.Take<int>();
  const auto batch = reader.Take<int64_t>();
  const auto version = reader.Take<uint64_t>();
  const auto prefix = reader.Take<int64_t>();
  TakeTail(reader);  // whoever sees what an update has done knows that it counts
  epoch_->values[shard] = body;
  if (epoch_->values.size() < static_cast<size_t>(options_.shards)) return;
  for (const auto& [each, values] : epoch_->values) work_.Take(each, values);
  epoch_->values.clear();
  epoch_->version = version;
  seen_ = version;
  DropPushes(options_.bound < 0 ? options_.batches : prefix);
  Post([this, batch] { Guard([&] { ComputeBatch(batch); }); });
}

// Those that count.
void AsynchronousRun::DropPushes(int64_t prefix) {
  while (!pushes_.empty() && pushes_.begin()->first < prefix) {
    const int64_t batch = pushes_.begin()->first;
    pushes_.erase(pushes_.begin());
    work_.Committed(batch);
  }
}

void AsynchronousRun::ComputeBatch(int64_t batch) {
  ++computed_;
  WorkerPush push{.pulled = epoch_->version, .shards = work_.Compute(transport(), batch)};
  const WorkerPush& kept = pushes_[batch] = std::move(push);
  Push(batch, kept);
  Ask();
}

void AsynchronousRun::Push(int64_t batch, const WorkerPush& push) {
  for (int shard = 0; shard < options_.shards; ++shard) {
    FieldWriter header = Begin(Kind::kPush);
    header.Put(shard).Put(batch).Put(push.pulled);
    const std::string text = header.Take();
    Send(epoch_->primaries[shard], text, push.shards[shard]);
    if (epoch_->copies[shard] >= 0) Send(epoch_->copies[shard], text, push.shards[shard]);
  }
}

}  // namespace lockstep::distribute
