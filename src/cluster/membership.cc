#include "cluster/membership.h"

namespace lockstep::cluster {

std::string Peer::ToString() const { return job + " " + std::to_string(index) + " at " + control; }

int Membership::RankOf(Incarnation incarnation) const {
  for (size_t rank = 0; rank < peers.size(); ++rank)
    if (peers[rank].incarnation == incarnation) return static_cast<int>(rank);
  return -1;
}

std::string ToString(const Membership& membership) {
  return "epoch " + std::to_string(membership.epoch) + ": " + ListOf(membership.peers) + " (" +
         membership.reason + ")" + (membership.halt.empty() ? "" : "; " + membership.halt);
}

const Peer* FindPeer(const std::vector<Peer>& peers, Incarnation incarnation) {
  for (const Peer& peer : peers)
    if (peer.incarnation == incarnation) return &peer;
  return nullptr;
}

std::string ListOf(const std::vector<Peer>& peers) {
  std::string text;
  for (const Peer& peer : peers) text += (text.empty() ? "" : ", ") + peer.ToString();
  return text;
}

void Write(const Peer& peer, FieldWriter* writer) {
  writer->Put(peer.incarnation).PutText(peer.job).Put(peer.index).PutText(peer.control);
  writer->Put(static_cast<uint32_t>(peer.data.size()));
  for (const std::string& address : peer.data) writer->PutText(address);
  writer->PutText(peer.host).Put(peer.process).Put(peer.process_start);
  writer->Put(peer.devices).Put(peer.joined);
}

Peer ReadPeer(FieldReader* reader) {
  Peer peer;
  peer.incarnation = reader->Take<uint64_t>();
  peer.job = reader->TakeText();
  peer.index = reader->Take<int32_t>();
  peer.control = reader->TakeText();
  for (uint32_t left = reader->TakeCount(); left > 0; --left)
    peer.data.push_back(reader->TakeText());
  peer.host = reader->TakeText();
  peer.process = reader->Take<int64_t>();
  peer.process_start = reader->Take<uint64_t>();
  peer.devices = reader->Take<int32_t>();
  peer.joined = reader->Take<uint64_t>();
  return peer;
}

void Write(const std::vector<Peer>& peers, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(peers.size()));
  for (const Peer& peer : peers) Write(peer, writer);
}

std::vector<Peer> ReadPeers(FieldReader* reader) {
  std::vector<Peer> peers;
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left)
    peers.push_back(ReadPeer(reader));
  return peers;
}

void Write(const Membership& membership, FieldWriter* writer) {
  writer->Put(membership.epoch);
  Write(membership.peers, writer);
  writer->PutText(membership.reason).Put(membership.step).PutText(membership.halt);
}

Membership ReadMembership(FieldReader* reader) {
  Membership membership;
  membership.epoch = reader->Take<uint64_t>();
  membership.peers = ReadPeers(reader);
  membership.reason = reader->TakeText();
  membership.step = reader->Take<uint64_t>();
  membership.halt = reader->TakeText();
  return membership;
}

}  // namespace lockstep::cluster
