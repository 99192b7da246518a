#include "cluster/coordinator_state.h"

#include <algorithm>

namespace lockstep::cluster {
namespace {

Outcome FromStatus(const Status& status) { return {status.code(), status.message()}; }

// Commands whose meaning ends with the epoch that they were given in.
bool BelongsToEpoch(const Command& command) {
  switch (command.kind) {
    case CommandKind::kArrive:
    case CommandKind::kReady:
      return true;
    case CommandKind::kSet:
    case CommandKind::kCompareAndSet:
    case CommandKind::kDelete:
      return command.scope == Scope::kEpoch;
    default:
      return false;
  }
}

}  // namespace

bool State::Knows(Incarnation incarnation) const {
  return FindPeer(membership.peers, incarnation) != nullptr ||
         FindPeer(waiting, incarnation) != nullptr;
}

void State::Apply(const Command& command) {
  switch (command.kind) {
    case CommandKind::kJoin:
      return Join(command.peers[0]);
    case CommandKind::kForget:
      std::erase_if(waiting, [&](const Peer& peer) { return peer.incarnation == command.by; });
      return;
    case CommandKind::kEpoch:
      return Enter(command.membership);
    case CommandKind::kVoters:
      voters = command.peers;
      return;
    default:
      break;
  }
  if (!Knows(command.by)) return;
  Session& session = sessions[command.by];
  if (command.sequence <= session.sequence) return;  // asked a second time
  session.sequence = command.sequence;
  session.outcome = Run(command);
}

Outcome State::Run(const Command& command) {
  if (BelongsToEpoch(command) && command.epoch != membership.epoch) {
    return {Code::kAborted, "[membership] the epoch must be the present one; got " +
                                std::to_string(command.epoch) + ", now " +
                                std::to_string(membership.epoch) + " (" + membership.reason + ")"};
  }
  KeyValueStore& values = command.scope == Scope::kJob ? job_values : epoch_values;
  switch (command.kind) {
    case CommandKind::kSet:
      return FromStatus(values.Set(command.key, command.value));
    case CommandKind::kDelete:
      values.Delete(command.key);
      return {};
    case CommandKind::kCompareAndSet: {
      const auto done = values.CompareAndSet(command.key, command.expected, command.value);
      return done.ok() ? Outcome{Code::kOk, *done ? "1" : "0"} : FromStatus(done.status());
    }
    case CommandKind::kArrive:
      return {Code::kOk,
              std::to_string(barriers.Arrive(command.key, command.by, membership.peers))};
    case CommandKind::kReady:
      ready[command.by] = command.step;
      return {};
    case CommandKind::kLeave:
      std::erase_if(waiting, [&](const Peer& peer) { return peer.incarnation == command.by; });
      if (membership.RankOf(command.by) >= 0) leaving.insert(command.by);
      return {};
    default:
      return {Code::kUnimplemented, "[coordinator] no such command"};
  }
}

void State::Join(const Peer& peer) {
  if (Knows(peer.incarnation)) return;
  // A task that waits once more is another life of the one that waited.
  std::erase_if(waiting, [&](const Peer& other) {
    return other.job == peer.job && other.index == peer.index;
  });
  waiting.push_back(peer);
}

void State::Enter(const Membership& next) {
  if (next.epoch <= membership.epoch) return;
  membership = next;
  std::erase_if(waiting, [&](const Peer& peer) { return next.RankOf(peer.incarnation) >= 0; });
  std::erase_if(leaving, [&](Incarnation who) { return next.RankOf(who) < 0; });
  ready.clear();
  std::erase_if(sessions, [&](const auto& session) { return !Knows(session.first); });
  epoch_values.Clear();
  barriers.Enter(next.epoch);
}

void Write(const Stamp& stamp, FieldWriter* writer) { writer->Put(stamp.term).Put(stamp.version); }

Stamp ReadStamp(FieldReader* reader) {
  Stamp stamp;
  stamp.term = reader->Take<uint64_t>();
  stamp.version = reader->Take<uint64_t>();
  return stamp;
}

void Write(const Command& command, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(command.kind)).Put(command.by).Put(command.sequence);
  writer->Put(command.epoch).Put(static_cast<uint8_t>(command.scope));
  writer->PutText(command.key).PutText(command.value);
  writer->Put(static_cast<uint8_t>(command.expected.has_value()));
  writer->PutText(command.expected.value_or("")).Put(command.step);
  Write(command.membership, writer);
  Write(command.peers, writer);
}

Command ReadCommand(FieldReader* reader) {
  Command command;
  command.kind = static_cast<CommandKind>(reader->Take<uint8_t>());
  command.by = reader->Take<uint64_t>();
  command.sequence = reader->Take<uint64_t>();
  command.epoch = reader->Take<uint64_t>();
  command.scope = reader->Take<uint8_t>() == 0 ? Scope::kJob : Scope::kEpoch;
  command.key = reader->TakeText();
  command.value = reader->TakeText();
  const bool has_expected = reader->Take<uint8_t>() != 0;
  std::string expected = reader->TakeText();
  if (has_expected) command.expected = std::move(expected);
  command.step = reader->Take<uint64_t>();
  command.membership = ReadMembership(reader);
  command.peers = ReadPeers(reader);
  // The one command that looks at its first peer.
  if (command.kind == CommandKind::kJoin && command.peers.empty()) command.peers.emplace_back();
  return command;
}

void Write(const std::vector<Command>& commands, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(commands.size()));
  for (const Command& command : commands) Write(command, writer);
}

std::vector<Command> ReadCommands(FieldReader* reader) {
  std::vector<Command> commands;
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left)
    commands.push_back(ReadCommand(reader));
  return commands;
}

void Write(const State& state, FieldWriter* writer) {
  Write(state.stamp, writer);
  writer->Put(state.group);
  Write(state.voters, writer);
  Write(state.membership, writer);
  Write(state.waiting, writer);
  writer->Put(static_cast<uint32_t>(state.leaving.size()));
  for (const Incarnation who : state.leaving) writer->Put(who);
  writer->Put(static_cast<uint32_t>(state.ready.size()));
  for (const auto& [who, step] : state.ready) writer->Put(who).Put(step);
  writer->Put(static_cast<uint32_t>(state.sessions.size()));
  for (const auto& [who, session] : state.sessions) {
    writer->Put(who).Put(session.sequence);
    writer->Put(static_cast<uint8_t>(session.outcome.code)).PutText(session.outcome.text);
  }
  state.job_values.WriteTo(writer);
  state.epoch_values.WriteTo(writer);
  state.barriers.WriteTo(writer);
}

State ReadState(FieldReader* reader) {
  State state;
  state.stamp = ReadStamp(reader);
  state.group = reader->Take<uint64_t>();
  state.voters = ReadPeers(reader);
  state.membership = ReadMembership(reader);
  state.waiting = ReadPeers(reader);
  for (uint32_t left = reader->TakeCount(); left > 0; --left)
    state.leaving.insert(reader->Take<Incarnation>());
  for (uint32_t left = reader->TakeCount(); left > 0; --left) {
    const auto who = reader->Take<Incarnation>();
    state.ready[who] = reader->Take<uint64_t>();
  }
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left) {
    State::Session& session = state.sessions[reader->Take<Incarnation>()];
    session.sequence = reader->Take<uint64_t>();
    session.outcome.code = static_cast<Code>(reader->Take<uint8_t>());
    session.outcome.text = reader->TakeText();
  }
  state.job_values = KeyValueStore::ReadFrom(reader);
  state.epoch_values = KeyValueStore::ReadFrom(reader);
  state.barriers = Barriers::ReadFrom(reader);
  return state;
}

}  // namespace lockstep::cluster
