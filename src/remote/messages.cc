#include "remote/messages.h"

#include <utility>

#include "remote/wire.h"
#include "remote/wire_origins.h"

namespace lockstep::remote {

namespace {

using cluster::FieldReader;
using cluster::FieldWriter;

Status Malformed(const char* what) {
  return Status(Code::kDataLoss,
                std::string("[remote] a message must have its form; got another one for ") + what);
}

// The end of a message: its tensors, their bodies and origins.
net::Parcel WithTensors(FieldWriter writer, const std::vector<Tensor>& tensors,
                        bool tells_origins) {
  net::Parcel parcel;
  writer.Put(static_cast<uint32_t>(tensors.size()));
  for (const Tensor& tensor : tensors) PutTensor(tensor, &writer, &parcel.bodies);
  PutOrigins(tensors, tells_origins, &writer);
  parcel.text = writer.Take();
  return parcel;
}

std::vector<Tensor> TakeTensors(FieldReader* reader, const std::vector<net::Payload>& bodies) {
  std::vector<Tensor> tensors;
  size_t next = 0;
  for (uint32_t i = reader->TakeCount(); reader->ok() && i > 0; --i) {
    tensors.push_back(TakeTensor(reader, bodies, &next));
  }
  if (next != bodies.size()) reader->Refuse();
  TakeOrigins(reader, tensors);
  return tensors;
}

void Put(const std::vector<Finish>& finishes, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(finishes.size()));
  for (const Finish& finish : finishes) {
    writer->Put(finish.number).Put(static_cast<uint8_t>(finish.commits));
  }
}

std::vector<Finish> TakeFinishes(FieldReader* reader) {
  std::vector<Finish> finishes;
  for (uint32_t i = reader->TakeCount(); reader->ok() && i > 0; --i) {
    const auto number = reader->Take<uint64_t>();
    finishes.push_back({number, reader->Take<uint8_t>() != 0});
  }
  return finishes;
}

}  // namespace

std::string HelloAnswer::Write() const {
  FieldWriter writer;
  writer.PutText(job).Put(static_cast<int32_t>(index)).Put(incarnation);
  writer.Put(static_cast<uint32_t>(tasks.size()));
  for (const Task& task : tasks) {
    writer.PutText(task.job).Put(static_cast<int32_t>(task.index)).PutText(task.address);
  }
  return writer.Take();
}

Result<HelloAnswer> HelloAnswer::Read(std::string_view text) {
  FieldReader reader(text);
  HelloAnswer answer;
  answer.job = reader.TakeText();
  answer.index = reader.Take<int32_t>();
  answer.incarnation = reader.Take<uint64_t>();
  for (uint32_t i = reader.TakeCount(); reader.ok() && i > 0; --i) {
    Task task;
    task.job = reader.TakeText();
    task.index = reader.Take<int32_t>();
    task.address = reader.TakeText();
    answer.tasks.push_back(std::move(task));
  }
  if (!reader.done()) return Malformed(kHello);
  return answer;
}

net::Parcel RunRequest::Write() const {
  FieldWriter writer;
  writer.Put(graph).Put(number).Put(order.timestamp).Put(order.number);
  for (bool flag : {alone, holds_alone, relaxed, late}) writer.Put(static_cast<uint8_t>(flag));
  writer.Put(static_cast<uint32_t>(others.size()));
  for (const std::string& other : others) writer.PutText(other);
  Put(finishes, &writer);
  Put(asker, &writer);
  return WithTensors(std::move(writer), feeds, asker.follows());
}

Result<RunRequest> RunRequest::Read(const net::Parcel& parcel) {
  FieldReader reader(parcel.text);
  RunRequest request;
  request.graph = reader.Take<uint64_t>();
  request.number = reader.Take<uint64_t>();
  request.order.timestamp = reader.Take<uint64_t>();
  request.order.number = reader.Take<uint64_t>();
  for (bool* flag : {&request.alone, &request.holds_alone, &request.relaxed, &request.late}) {
    *flag = reader.Take<uint8_t>() != 0;
  }
  for (uint32_t i = reader.TakeCount(); reader.ok() && i > 0; --i) {
    request.others.push_back(reader.TakeText());
  }
  request.finishes = TakeFinishes(&reader);
  request.asker = TakeAsker(&reader);
  request.feeds = TakeTensors(&reader, parcel.bodies);
  if (!reader.done()) return Malformed(kRun);
  return request;
}

net::Parcel RunAnswer::Write() const {
  FieldWriter writer;
  writer.Put(timestamp);
  for (bool flag : {again, forgotten, released}) writer.Put(static_cast<uint8_t>(flag));
  PutStatus(status, &writer);
  Put(findings, &writer);
  return WithTensors(std::move(writer), results, tells_origins);
}

Result<RunAnswer> RunAnswer::Read(const net::Parcel& parcel) {
  FieldReader reader(parcel.text);
  RunAnswer answer;
  answer.timestamp = reader.Take<uint64_t>();
  for (bool* flag : {&answer.again, &answer.forgotten, &answer.released})
    *flag = reader.Take<uint8_t>() != 0;
  answer.status = TakeStatus(&reader);
  answer.findings = TakeFindings(&reader);
  answer.results = TakeTensors(&reader, parcel.bodies);
  if (!reader.done()) return Malformed("the answer of a run");
  return answer;
}

net::Parcel PutRequest::Write() const {
  FieldWriter writer;
  writer.Put(number).Put(static_cast<uint32_t>(keys.size()));
  for (const std::string& key : keys) writer.PutText(key);
  return WithTensors(std::move(writer), values, tells_origins);
}

Result<PutRequest> PutRequest::Read(const net::Parcel& parcel) {
  FieldReader reader(parcel.text);
  PutRequest request;
  request.number = reader.Take<uint64_t>();
  for (uint32_t i = reader.TakeCount(); reader.ok() && i > 0; --i)
    request.keys.push_back(reader.TakeText());
  request.values = TakeTensors(&reader, parcel.bodies);
  if (!reader.done() || request.values.size() != request.keys.size()) return Malformed(kPut);
  return request;
}

std::string WriteFates(const std::vector<Fate>& fates) {
  FieldWriter writer;
  writer.Put(static_cast<uint32_t>(fates.size()));
  for (Fate fate : fates) writer.Put(static_cast<uint8_t>(fate));
  return writer.Take();
}

Result<std::vector<Fate>> ReadFates(std::string_view text) {
  FieldReader reader(text);
  std::vector<Fate> fates;
  for (uint32_t i = reader.TakeCount(); reader.ok() && i > 0; --i) {
    fates.push_back(static_cast<Fate>(reader.Take<uint8_t>()));
  }
  if (!reader.done()) return Malformed("the answer of an end");
  return fates;
}

std::string WriteNumber(uint64_t number) {
  FieldWriter writer;
  return writer.Put(number).Take();
}

Result<uint64_t> ReadNumber(std::string_view text) {
  FieldReader reader(text);
  const auto number = reader.Take<uint64_t>();
  if (!reader.done()) return Malformed("a number");
  return number;
}

std::string WriteFinishes(const std::vector<Finish>& finishes) {
  FieldWriter writer;
  Put(finishes, &writer);
  return writer.Take();
}

Result<std::vector<Finish>> ReadFinishes(std::string_view text) {
  FieldReader reader(text);
  std::vector<Finish> finishes = TakeFinishes(&reader);
  if (!reader.done()) return Malformed(kFinish);
  return finishes;
}

std::string TaskName(const std::string& job, int index) {
  return "/job:" + job + "/replica:0/task:" + std::to_string(index);
}

}  // namespace lockstep::remote
