#include "cluster/coordinator_messages.h"

namespace lockstep::cluster {
namespace {

template <typename T>
Result<T> Checked(const FieldReader& reader, T message) {
  if (reader.done()) return message;
  return Status(Code::kInvalidArgument, "[coordinator] a message must have all its fields");
}

}  // namespace

std::string Encode(const VoteRequest& request) {
  FieldWriter writer;
  writer.Put(request.to).Put(static_cast<uint8_t>(request.kind)).Put(request.term);
  writer.Put(request.candidate);
  Write(request.stamp, &writer);
  return writer.Put(request.ended_leader).Take();
}

Result<VoteRequest> DecodeVoteRequest(const std::string& text) {
  FieldReader reader(text);
  VoteRequest request;
  request.to = reader.Take<uint64_t>();
  request.kind = static_cast<VoteKind>(reader.Take<uint8_t>());
  request.term = reader.Take<uint64_t>();
  request.candidate = reader.Take<uint64_t>();
  request.stamp = ReadStamp(&reader);
  request.ended_leader = reader.Take<uint64_t>();
  return Checked(reader, std::move(request));
}

std::string Encode(const VoteReply& reply) {
  FieldWriter writer;
  writer.Put(static_cast<uint8_t>(reply.granted)).Put(reply.term);
  writer.Put(static_cast<uint8_t>(reply.newer != nullptr));
  if (reply.newer != nullptr) Write(*reply.newer, &writer);
  return writer.Take();
}

Result<VoteReply> DecodeVoteReply(const std::string& text) {
  FieldReader reader(text);
  VoteReply reply;
  reply.granted = reader.Take<uint8_t>() != 0;
  reply.term = reader.Take<uint64_t>();
  if (reader.Take<uint8_t>() != 0) reply.newer = std::make_shared<State>(ReadState(&reader));
  return Checked(reader, std::move(reply));
}

std::string Encode(const AppendRequest& request) {
  FieldWriter writer;
  writer.Put(request.to).Put(request.term);
  Write(request.leader, &writer);
  Write(request.stamp, &writer);
  Write(request.committed, &writer);
  writer.Put(static_cast<uint8_t>(request.hand_over)).Put(static_cast<uint8_t>(request.form));
  if (request.form == AppendForm::kCommands) {
    Write(request.base, &writer);
    Write(request.commands, &writer);
  } else if (request.form == AppendForm::kState) {
    Write(*request.state, &writer);
  }
  return writer.Take();
}

Result<AppendRequest> DecodeAppendRequest(const std::string& text) {
  FieldReader reader(text);
  AppendRequest request;
  request.to = reader.Take<uint64_t>();
  request.term = reader.Take<uint64_t>();
  request.leader = ReadPeer(&reader);
  request.stamp = ReadStamp(&reader);
  request.committed = ReadStamp(&reader);
  request.hand_over = reader.Take<uint8_t>() != 0;
  request.form = static_cast<AppendForm>(reader.Take<uint8_t>());
  if (request.form == AppendForm::kCommands) {
    request.base = ReadStamp(&reader);
    request.commands = ReadCommands(&reader);
  } else if (request.form == AppendForm::kState) {
    request.state = std::make_shared<State>(ReadState(&reader));
  }
  return Checked(reader, std::move(request));
}

std::string Encode(const AppendReply& reply) {
  FieldWriter writer;
  writer.Put(reply.term);
  Write(reply.accepted, &writer);
  return writer.PutText(reply.report).Take();
}

Result<AppendReply> DecodeAppendReply(const std::string& text) {
  FieldReader reader(text);
  AppendReply reply;
  reply.term = reader.Take<uint64_t>();
  reply.accepted = ReadStamp(&reader);
  reply.report = reader.TakeText();
  return Checked(reader, std::move(reply));
}

}  // namespace lockstep::cluster
