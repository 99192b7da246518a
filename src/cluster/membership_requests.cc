#include "cluster/membership_requests.h"

namespace lockstep::cluster {
namespace {

template <typename T>
Result<T> Checked(const FieldReader& reader, T message) {
  if (reader.done()) return message;
  return Status(Code::kInvalidArgument, "[membership] a message must have all its fields");
}

}  // namespace

std::string Encode(const JoinRequest& request) {
  FieldWriter writer;
  Write(request.hello, &writer);
  Write(request.peer, &writer);
  return writer.Put(request.group).Take();
}

Result<JoinRequest> DecodeJoinRequest(const std::string& text) {
  FieldReader reader(text);
  JoinRequest request;
  request.hello = ReadHello(&reader);
  request.peer = ReadPeer(&reader);
  request.group = reader.Take<uint64_t>();
  return Checked(reader, std::move(request));
}

std::string Encode(const Query& query) {
  FieldWriter writer;
  writer.Put(static_cast<uint8_t>(query.kind)).Put(query.by).Put(query.epoch);
  writer.Put(static_cast<uint8_t>(query.scope)).PutText(query.key).Put(query.meeting);
  writer.Put(static_cast<int64_t>(query.timeout.count()));
  return writer.Put(static_cast<int64_t>(query.waited.count())).Take();
}

Result<Query> DecodeQuery(const std::string& text) {
  FieldReader reader(text);
  Query query;
  query.kind = static_cast<QueryKind>(reader.Take<uint8_t>());
  query.by = reader.Take<uint64_t>();
  query.epoch = reader.Take<uint64_t>();
  query.scope = reader.Take<uint8_t>() == 0 ? Scope::kJob : Scope::kEpoch;
  query.key = reader.TakeText();
  query.meeting = reader.Take<uint64_t>();
  query.timeout = base::Duration(reader.Take<int64_t>());
  query.waited = base::Duration(reader.Take<int64_t>());
  return Checked(reader, std::move(query));
}

std::string Encode(const Report& report) {
  FieldWriter writer;
  writer.Put(report.by).Put(report.epoch).Put(report.about);
  return writer.Put(static_cast<uint8_t>(report.certain)).PutText(report.reason).Take();
}

Result<Report> DecodeReport(const std::string& text) {
  FieldReader reader(text);
  Report report;
  report.by = reader.Take<uint64_t>();
  report.epoch = reader.Take<uint64_t>();
  report.about = reader.Take<uint64_t>();
  report.certain = reader.Take<uint8_t>() != 0;
  report.reason = reader.TakeText();
  return Checked(reader, std::move(report));
}

std::string Encode(const WhereRequest& request) { return FieldWriter().Put(request.by).Take(); }

Result<WhereRequest> DecodeWhereRequest(const std::string& text) {
  FieldReader reader(text);
  WhereRequest request{reader.Take<uint64_t>()};
  return Checked(reader, request);
}

std::string Encode(const WhereReply& reply) {
  FieldWriter writer;
  writer.Put(reply.epoch).Put(static_cast<uint8_t>(reply.is_leader));
  writer.Put(static_cast<uint8_t>(reply.knows_you));
  return writer.PutText(reply.leader).Take();
}

Result<WhereReply> DecodeWhereReply(const std::string& text) {
  FieldReader reader(text);
  WhereReply reply;
  reply.epoch = reader.Take<uint64_t>();
  reply.is_leader = reader.Take<uint8_t>() != 0;
  reply.knows_you = reader.Take<uint8_t>() != 0;
  reply.leader = reader.TakeText();
  return Checked(reader, std::move(reply));
}

std::string Encode(const Answered& answered) {
  FieldWriter writer;
  writer.Put(static_cast<uint8_t>(answered.is_leader)).Put(static_cast<uint8_t>(answered.code));
  return writer.PutText(answered.text).Take();
}

Result<Answered> DecodeAnswered(const std::string& text) {
  FieldReader reader(text);
  Answered answered;
  answered.is_leader = reader.Take<uint8_t>() != 0;
  answered.code = static_cast<Code>(reader.Take<uint8_t>());
  answered.text = reader.TakeText();
  return Checked(reader, std::move(answered));
}

std::string EncodeSubmit(const Command& command) {
  FieldWriter writer;
  Write(command, &writer);
  return writer.Take();
}

Result<Command> DecodeSubmit(const std::string& text) {
  FieldReader reader(text);
  Command command = ReadCommand(&reader);
  if (command.kind < CommandKind::kSet || command.kind > CommandKind::kLeave ||
      command.sequence == 0)
    return Status(Code::kInvalidArgument, "[membership] a task may not decide for the coordinator");
  return Checked(reader, std::move(command));
}

}  // namespace lockstep::cluster
