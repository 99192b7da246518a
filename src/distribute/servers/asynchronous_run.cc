// How an epoch of a run begins: who holds what, and what of it counts.

#include "distribute/servers/asynchronous_run.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/probe.h"
#include "distribute/servers/asynchronous_epoch_state.h"
#include "net/text_payload.h"

namespace lockstep::distribute {

using cluster::FieldReader;
using cluster::FieldWriter;

void AsynchronousRun::Header::Encode(FieldWriter& writer) const {
  writer.Put<uint8_t>(finished).Put<uint8_t>(stops);
  writer.Put(restarts).Put(version).Put(seen);
  writer.Put(static_cast<uint32_t>(shards.size()));
  for (size_t i = 0; i < shards.size(); ++i) {
    writer.Put(shards[i]).Put(holdings[i].covered);
    writer.Put(static_cast<uint32_t>(holdings[i].batches.size()));
    for (int64_t batch : holdings[i].batches) writer.Put(batch);
  }
  writer.Put(static_cast<uint32_t>(pushes.size()));
  for (int64_t batch : pushes) writer.Put(batch);
  writer.Put(static_cast<uint32_t>(tail.size()));
  for (const Commit& commit : tail) commit.Encode(writer);
}

AsynchronousRun::Header AsynchronousRun::Header::Decode(FieldReader& reader) {
  Header header;
  header.finished = reader.Take<uint8_t>() != 0;
  header.stops = reader.Take<uint8_t>() != 0;
  header.restarts = reader.Take<int>();
  header.version = reader.Take<uint64_t>();
  header.seen = reader.Take<uint64_t>();
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
    header.shards.push_back(reader.Take<int>());
    Holding& holding = header.holdings.emplace_back();
    holding.covered = reader.Take<uint64_t>();
    for (uint32_t more = reader.TakeCount(); more > 0 && reader.ok(); --more)
      holding.batches.push_back(reader.Take<int64_t>());
  }
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
    header.pushes.push_back(reader.Take<int64_t>());
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
    header.tail.push_back(Commit::Decode(reader));
  return header;
}

bool AsynchronousRun::Header::CanApply(const Commit& commit) const {
  return std::all_of(holdings.begin(), holdings.end(), [&](const Holding& holding) {
    return commit.number <= holding.covered ||
           std::find(holding.batches.begin(), holding.batches.end(), commit.batch) !=
               holding.batches.end();
  });
}

AsynchronousRun::AsynchronousRun(AsynchronousWork& work, const AsynchronousOptions& options)
    : work_(work), options_(options) {}

AsynchronousRun::~AsynchronousRun() { Leave(); }

net::Transport& AsynchronousRun::transport() const { return *epoch_->transport; }

void AsynchronousRun::Enter(net::Transport& transport, const Ranks& ranks, OnDone done) {
  Leave();
  if (!finished()) finals_.clear();
  std::erase_if(shards_, [](const auto& entry) { return !entry.second.installed; });
  epoch_ = std::make_shared<Epoch>();
  epoch_->transport = &transport;
  epoch_->ranks = ranks;
  if (ranks.servers.empty()) epoch_->ranks.servers = ranks.workers;
  epoch_->present = ranks.workers;
  for (int server : ranks.servers)
    if (!Epoch::Contains(epoch_->present, server)) epoch_->present.push_back(server);
  std::sort(epoch_->present.begin(), epoch_->present.end());
  epoch_->done = std::move(done);
  transport.Listen(net::Channel::kUpdates, [this](int from, const net::Message& message) {
    FieldReader reader(net::TextOf(message.payload));
    const auto run = reader.Take<uint64_t>();
    if (run > epoch_->ranks.run) return net::Receipt::kLater;
    if (run == epoch_->ranks.run)
      Receive(from, net::TextOf(message.payload).substr(sizeof(run)), message.body);
    return net::Receipt::kTaken;
  });
  FieldWriter hello = Begin(Kind::kHello);
  OwnHeader().Encode(hello);
  const std::string text = hello.Take();
  for (int rank : epoch_->present) Send(rank, text);
}

void AsynchronousRun::Leave() {
  if (epoch_ == nullptr) return;
  epoch_->transport->Listen(net::Channel::kUpdates, nullptr);
  epoch_.reset();
}

FieldWriter AsynchronousRun::Begin(Kind kind) const {
  FieldWriter writer;
  writer.Put(epoch_->ranks.run).Put(static_cast<uint8_t>(kind));
  return writer;
}

void AsynchronousRun::Send(int to, const std::string& header, net::Payload body) {
  if (to == transport().rank()) {
    Post([this, header, body = std::move(body)] {
      Receive(transport().rank(), std::string_view(header).substr(sizeof(uint64_t)), body);
    });
    return;
  }
  transport().Send(to, {.epoch = transport().epoch(),
                        .channel = net::Channel::kUpdates,
                        .payload = net::TextPayload(header),
                        .body = std::move(body)});
}

// As new work, unless the epoch is over by then.
void AsynchronousRun::Post(std::function<void()> work) {
  transport().executor().Post([epoch = std::weak_ptr<Epoch>(epoch_), work = std::move(work)] {
    if (!epoch.expired()) work();
  });
}

void AsynchronousRun::Fail(const Status& status) {
  epoch_->stage = Epoch::Stage::kOver;
  if (transport().aborted() == nullptr) transport().AbortEpoch(status);
  Post([this, status] { epoch_->done(status); });
}

void AsynchronousRun::Receive(int from, std::string_view header, const net::Payload& body) {
  Guard([&] {
    const auto kind = static_cast<Kind>(header.empty() ? '\0' : header[0]);
    const bool waits =
        (epoch_->stage == Epoch::Stage::kMeeting && kind != Kind::kHello && kind != Kind::kFinal) ||
        (epoch_->stage == Epoch::Stage::kInstalling && kind != Kind::kState &&
         kind != Kind::kFinal);
    if (waits) {
      epoch_->early.push_back({from, std::string(header), body});
      return;
    }
    Handle(from, header, body);
  });
}

void AsynchronousRun::Handle(int from, std::string_view header, const net::Payload& body) {
  FieldReader reader(header);
  switch (static_cast<Kind>(reader.Take<uint8_t>())) {
    case Kind::kHello:
      return OnHello(from, reader);
    case Kind::kState:
      return OnState(reader, body);
    case Kind::kAsk: {
      Sequencer::Ask ask{.worker = from};
      ask.since = reader.Take<uint64_t>();
      ask.after = reader.Take<int64_t>();
      return epoch_->sequencer->OnAsk(ask);
    }
    case Kind::kPush:
      return OnPush(reader, body);
    case Kind::kHeld:
      return OnHeld(from, reader);
    case Kind::kEntry:
      return OnEntry(reader);
    case Kind::kValues:
      return OnValues(reader, body);
    case Kind::kFinal:
      return OnFinal(reader, body);
    case Kind::kStop:
      return epoch_->sequencer->Stop();
  }
  throw Error(Code::kDataLoss, "[parameter_server] a message must be of a known kind; got " +
                                   std::to_string(header.empty() ? 0 : header[0]) + " from rank " +
                                   std::to_string(from));
}

// ---- the beginning of an epoch ----

AsynchronousRun::Header AsynchronousRun::OwnHeader() const {
  Header header{.finished = finished(),
                .stops = stops_,
                .restarts = restarts_,
                .version = ledger_.committed(),
                .seen = std::max(seen_, ledger_.committed())};
  for (const auto& [shard, held] : shards_) {
    if (!held.installed) continue;
    header.shards.push_back(shard);
    Header::Holding& holding = header.holdings.emplace_back();
    holding.covered = held.live != nullptr ? ledger_.committed() : held.base_version;
    for (const auto& [batch, push] : held.pushes) holding.batches.push_back(batch);
  }
  for (const auto& [batch, push] : pushes_) header.pushes.push_back(batch);
  for (const auto& [number, commit] : tail_) header.tail.push_back(commit);
  return header;
}

void AsynchronousRun::OnHello(int from, FieldReader& reader) {
  epoch_->headers[from] = Header::Decode(reader);
  if (epoch_->headers.size() == epoch_->present.size()) Decide();
}

// All ranks come to the same, from the same headers.
void AsynchronousRun::Decide() {
  Assign();
  ForgetEarlierLives();
  uint64_t version = 0;
  for (const auto& [rank, header] : epoch_->headers) {
    stops_ |= header.stops;
    if (header.finished) return HandFinals();
    version = std::max(version, header.seen);
    for (const Commit& commit : header.tail) version = std::max(version, commit.number);
  }
  epoch_->stage = Epoch::Stage::kInstalling;
  ForgetStale(version);
  if (version > 0 && AnyLost()) {
    LOCKSTEP_PROBE("both copies of a shard are lost");
    ++restarts_;
    base::Log(base::Severity::kWarning,
              "[parameter_server] nobody is left who has all parts of the variables; the " +
                  std::to_string(version) + " updates since the beginning of the epoch are lost");
    pushes_.clear();
    for (auto& [rank, header] : epoch_->headers) header.pushes.clear();
    version = 0;
  }
  version == 0 ? BeginAnew() : CatchUp(version);
  HandStates(version);
  // States may have come before the last of those who wait for them was ready.
  const std::shared_ptr<Epoch> keeps = epoch_;
  for (const Epoch::Early& early : std::exchange(keeps->early, {}))
    Receive(early.from, early.header, early.body);
  if (keeps->stage == Epoch::Stage::kInstalling) MaybeRun();
}

// Who does not know yet that all has begun anew has nothing that counts, nor what was made of it.
void AsynchronousRun::ForgetEarlierLives() {
  int restarts = 0;
  for (const auto& [rank, header] : epoch_->headers) restarts = std::max(restarts, header.restarts);
  for (auto& [rank, header] : epoch_->headers) {
    if (header.restarts == restarts) continue;
    LOCKSTEP_PROBE("a rank has missed that all begins anew");
    header = {.finished = header.finished, .stops = header.stops, .restarts = restarts};
  }
  if (restarts_ == restarts) return;
  restarts_ = restarts;
  BeginAnew();
  pushes_.clear();
}

// Who has missed an epoch may hold a state from which nobody knows the way on, or lack what was
// pushed to others in it.
void AsynchronousRun::ForgetStale(uint64_t version) {
  std::map<uint64_t, Commit> known;
  for (const auto& [rank, header] : epoch_->headers)
    for (const Commit& commit : header.tail) known[commit.number] = commit;
  for (auto& [rank, header] : epoch_->headers) {
    for (uint64_t number = header.version + 1; number <= version; ++number) {
      const auto commit = known.find(number);
      if (commit != known.end() && header.CanApply(commit->second)) continue;
      LOCKSTEP_PROBE("a holder has missed an epoch");
      header.shards.clear();
      header.holdings.clear();
      if (rank == transport().rank()) shards_.clear();
      break;
    }
  }
}

// Who keeps what from now on.
void AsynchronousRun::Assign() {
  const std::vector<int>& servers = epoch_->ranks.servers;
  const auto count = static_cast<int>(servers.size());
  for (int shard = 0; shard < options_.shards; ++shard) {
    const int primary = servers[shard % count];
    int copy = count > 1 ? servers[(shard + 1) % count] : -1;
    for (int rank : epoch_->ranks.workers)
      if (copy < 0 && rank != primary) copy = rank;
    epoch_->primaries.push_back(primary);
    epoch_->copies.push_back(copy);
    epoch_->holders.insert(primary);
    if (copy >= 0) epoch_->holders.insert(copy);
  }
}

bool AsynchronousRun::AnyLost() const {
  for (int shard = 0; shard < options_.shards; ++shard) {
    bool held = false;
    for (const auto& [rank, header] : epoch_->headers)
      held |= Epoch::Contains(header.shards, shard);
    if (!held) return true;
  }
  return false;
}

void AsynchronousRun::BeginAnew() {
  ledger_ = {};
  tail_.clear();
  shards_.clear();
  seen_ = 0;
}

// What counts, this rank carries out too, as far as it holds something.
void AsynchronousRun::CatchUp(uint64_t version) {
  for (const auto& [rank, header] : epoch_->headers)
    for (const Commit& commit : header.tail) tail_[commit.number] = commit;
  while (!shards_.empty() && ledger_.committed() < version) {
    const auto next = tail_.find(ledger_.committed() + 1);
    LOCKSTEP_CHECK(next != tail_.end());
    ApplyCommit(Commit(next->second));
  }
}

// Those who will hold a shard get its state from the first who has it.
void AsynchronousRun::HandStates(uint64_t version) {
  const int own = transport().rank();
  std::map<int, Held> before = std::move(shards_);
  shards_.clear();
  for (int shard = 0; shard < options_.shards; ++shard) {
    const int primary = epoch_->primaries[shard], copy = epoch_->copies[shard];
    int source = -1;
    for (const auto& [rank, header] : epoch_->headers) {
      if (version == 0 || !Epoch::Contains(header.shards, shard)) continue;
      if (source < 0 || rank == primary) source = rank;
    }
    Held mine{.is_primary = primary == own};
    if (source == own) {
      Held& old = before.at(shard);
      Materialise(shard, old);
      const net::Payload state = old.live->State(transport());
      if (primary != own) SendState(primary, shard, state, true);
      if (copy >= 0 && copy != own) SendState(copy, shard, state, true);
      mine.base = state;
      mine.live = std::move(old.live);
      mine.installed = true;
    } else if (source < 0) {
      if (primary == own) mine.live = work_.MakeShard(shard);
      mine.installed = true;
    }
    if (primary != own && copy != own) continue;
    mine.base_version = version;
    if (mine.is_primary) {
      mine.base = {};
    } else {
      mine.live.reset();
    }
    shards_[shard] = std::move(mine);
  }
  tail_.clear();
}

void AsynchronousRun::SendState(int to, int shard, const net::Payload& state, bool installs) {
  FieldWriter header = Begin(Kind::kState);
  header.Put(shard).Put<uint8_t>(installs).Put(ledger_.committed());
  installs ? ledger_.Encode(header) : PutTail(header);
  Send(to, header.Take(), state);
}

void AsynchronousRun::OnState(FieldReader& reader, const net::Payload& body) {
  const int shard = reader.Take<int>();
  const bool installs = reader.Take<uint8_t>() != 0;
  const auto version = reader.Take<uint64_t>();
  Held& held = shards_.at(shard);
  if (installs) {
    ledger_ = Ledger::Decode(reader);
    held.installed = true;
    held.base_version = version;
    if (held.is_primary) {
      held.live = work_.MakeShard(shard);
      held.live->Restore(body);
    } else {
      held.base = body;
    }
    return MaybeRun();
  }
  // Whoever has what an update has done knows that it counts.
  TakeTail(reader);
  if (version <= held.base_version) return;
  held.base = body;
  held.base_version = version;
  for (const auto& [number, commit] : tail_)
    if (number <= version) held.pushes.erase(commit.batch);
  Forget();
}

void AsynchronousRun::MaybeRun() {
  for (const auto& [shard, held] : shards_)
    if (!held.installed) return;
  epoch_->stage = Epoch::Stage::kRunning;
  epoch_->stable = ledger_.committed();
  const std::shared_ptr<Epoch> keeps = epoch_;
  if (epoch_->primaries[0] == transport().rank()) BeginSequencer();
  for (const Epoch::Early& early : std::exchange(epoch_->early, {}))
    if (keeps->stage == Epoch::Stage::kRunning) Handle(early.from, early.header, early.body);
  if (epoch_->IsWorker()) BeginWork();
}

// Somebody has seen the end; the others take it from there.
void AsynchronousRun::HandFinals() {
  epoch_->stage = Epoch::Stage::kRunning;
  int giver = -1;
  for (const auto& [rank, header] : epoch_->headers)
    if (giver < 0 && header.finished) giver = rank;
  if (giver == transport().rank()) {
    for (const auto& [rank, header] : epoch_->headers) {
      if (header.finished) continue;
      for (const auto& [shard, state] : finals_) {
        FieldWriter final = Begin(Kind::kFinal);
        final.Put(shard);
        final_ledger_.Encode(final);
        Send(rank, final.Take(), state);
      }
    }
  }
  MaybeFinish();
}

void AsynchronousRun::Materialise(int shard, Held& held) {
  if (held.live != nullptr) return;
  held.live = work_.MakeShard(shard);
  if (held.base.size() > 0) held.live->Restore(held.base);
  for (uint64_t number = held.base_version + 1; number <= ledger_.committed(); ++number) {
    const Commit& commit = tail_.at(number);
    held.live->Apply(commit, held.pushes.at(commit.batch));
  }
}

net::Payload AsynchronousRun::StateOf(int shard, net::Transport& transport) {
  const auto place = shards_.find(shard);
  if (place == shards_.end() || !place->second.installed) return {};
  Held& held = place->second;
  const bool is_copy = held.live == nullptr;
  Materialise(shard, held);
  net::Payload state = held.live->State(transport);
  if (is_copy) held.live.reset();
  return state;
}

}  // namespace lockstep::distribute
