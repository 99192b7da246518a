#include "monitor/event_files.h"

#include <algorithm>
#include <set>

#include "base/printf.h"
#include "base/record_format.h"
#include "base/wire.h"
#include "tensor/tensor_proto.h"

namespace lockstep::monitor {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

// Of Event: 1 wall_time, 2 step, 3 file_version, 4 graph_def, 5 summary {1 value}, 8 tagged run
// metadata, 9 meta graph. Of a value: 1 tag, 2 simple_value, 8 tensor, 9 metadata {1 {1 plugin}}.
std::string_view Field(std::string_view message, int field) {
  WireReader reader(message);
  while (reader.Next())
    if (reader.Is(field, WireType::kBytes)) return reader.bytes();
  return {};
}

void TakeValue(std::string_view message, EventValue value, EventFile& file) {
  value.summary = message;
  value.kind = "other";
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) value.tag = reader.bytes();
    if (reader.Is(2, WireType::kFixed32)) {
      value.kind = "scalars";
      value.has_number = true;
      value.number = reader.float32();
    }
    if (reader.Is(4, WireType::kBytes)) value.kind = "images";
    if (reader.Is(5, WireType::kBytes)) value.kind = "histograms";
    if (reader.Is(9, WireType::kBytes)) {
      const std::string_view plugin = Field(Field(reader.bytes(), 1), 1);
      if (!plugin.empty()) value.kind = plugin;
    }
  }
  if (value.kind == "scalars" && !value.has_number) {
    const std::string_view proto = Field(message, 8);
    const auto shape = tensor::ParseShapeProto(Field(proto, 2));
    const bool is_one = shape && tensor::ElementsUpTo(*shape, 1) == 1;
    const auto tensor = is_one ? tensor::ParseTensorProto(proto) : std::nullopt;
    if (tensor && (tensor->dtype() == DType::kFloat32 || tensor->dtype() == DType::kFloat64)) {
      value.has_number = true;
      value.number = tensor->dtype() == DType::kFloat64 ? tensor->scalar<double>()
                                                        : double{tensor->scalar<float>()};
    }
  }
  file.values.push_back(std::move(value));
}

// False: it is no event.
bool TakeEvent(std::string_view record, EventFile& file) {
  EventValue value;
  WireReader reader(record);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kFixed64)) value.wall_time = reader.float64();
    if (reader.Is(2, WireType::kVarint)) value.step = reader.integer();
  }
  if (reader.broken()) return false;
  WireReader again(record);
  while (again.Next()) {
    if (again.Is(4, WireType::kBytes)) {
      EventValue graph = value;
      graph.kind = "graph";
      graph.summary = again.bytes();
      file.values.push_back(std::move(graph));
    }
    if (!again.Is(5, WireType::kBytes)) continue;
    WireReader summary(again.bytes());
    while (summary.Next())
      if (summary.Is(1, WireType::kBytes)) TakeValue(summary.bytes(), value, file);
    if (summary.broken()) return false;
  }
  return true;
}

}  // namespace

Result<EventFile> ReadEventFile(base::FileSystem& files, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, base::ReadWholeFile(files, path));
  EventFile file{.run = ".", .path = path};
  std::string_view rest = text;
  for (size_t number = 0; !rest.empty(); ++number) {
    const auto damaged = [&](const char* what) {
      file.damage = std::string(what) + " at record " + std::to_string(number) + ", byte " +
                    std::to_string(text.size() - rest.size());
    };
    uint64_t length = 0;
    constexpr size_t kFrame = base::kRecordHeaderBytes + base::kRecordFooterBytes;
    if (rest.size() < base::kRecordHeaderBytes) {
      damaged("cut off");
      break;
    }
    if (!base::ParseRecordHeader(rest.substr(0, base::kRecordHeaderBytes), length)) {
      damaged("a wrong length");
      break;
    }
    if (rest.size() < kFrame || length > rest.size() - kFrame) {
      damaged("cut off");
      break;
    }
    const std::string_view record = rest.substr(base::kRecordHeaderBytes, length);
    const std::string_view footer =
        rest.substr(base::kRecordHeaderBytes + length, base::kRecordFooterBytes);
    if (!base::RecordFooterFits(footer, record)) {
      damaged("a wrong checksum");
      break;
    }
    if (!TakeEvent(record, file)) {
      damaged("no event");
      break;
    }
    rest.remove_prefix(kFrame + length);
  }
  if (rest.size() == text.size() && !text.empty() && text.size() >= base::kRecordHeaderBytes) {
    return Status(Code::kDataLoss, "[events] a file must begin with a record of an event; got " +
                                       file.damage + " (" + path + ")");
  }
  return file;
}

namespace {

void FindFiles(base::FileSystem& files, const std::string& directory, const std::string& run,
               std::vector<std::pair<std::string, std::string>>* found) {
  const auto names = files.List(directory);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string path = directory + "/" + name;
    if (files.IsDirectory(path)) {
      FindFiles(files, path, run == "." ? name : run + "/" + name, found);
    } else if (name.find(".tfevents.") != std::string::npos) {
      found->emplace_back(run, path);
    }
  }
}

// The value's message under another tag.
std::string Renamed(const std::string& summary, const std::string& tag) {
  WireWriter writer;
  writer.Bytes(1, tag);
  WireReader reader(summary);
  while (reader.Next()) {
    if (reader.field() == 1) continue;
    switch (reader.type()) {
      case WireType::kVarint:
        writer.Varint(reader.field(), reader.number());
        break;
      case WireType::kFixed64:
        writer.Fixed64(reader.field(), reader.number());
        break;
      case WireType::kFixed32:
        writer.Fixed32(reader.field(), static_cast<uint32_t>(reader.number()));
        break;
      case WireType::kBytes:
        writer.Bytes(reader.field(), reader.bytes());
        break;
    }
  }
  return std::move(writer).bytes();
}

std::string Record(const std::string& event) {
  return base::RecordHeader(event.size()) + event + base::RecordFooter(event);
}

}  // namespace

Result<std::vector<EventFile>> ReadEventFiles(base::FileSystem& files,
                                              const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> found;
  FindFiles(files, directory, ".", &found);
  if (found.empty()) {
    return Status(Code::kNotFound,
                  "[events] there must be files named *.tfevents.*; got none below " + directory);
  }
  std::sort(found.begin(), found.end());
  std::vector<EventFile> read;
  for (const auto& [run, path] : found) {
    LOCKSTEP_ASSIGN_OR_RETURN(EventFile file, ReadEventFile(files, path));
    file.run = run;
    read.push_back(std::move(file));
  }
  return read;
}

std::vector<PlacedValue> OnOneTimeLine(const std::vector<EventFile>& files) {
  std::vector<PlacedValue> values;
  for (size_t i = 0; i < files.size(); ++i)
    for (const EventValue& value : files[i].values) values.push_back({i, &value});
  std::stable_sort(values.begin(), values.end(), [](const PlacedValue& a, const PlacedValue& b) {
    return a.value->wall_time < b.value->wall_time;
  });
  return values;
}

Result<std::string> MergeEvents(base::FileSystem& files, const std::vector<EventFile>& merged,
                                const std::string& directory) {
  std::set<std::string> runs;
  for (const EventFile& file : merged) runs.insert(file.run);
  const std::vector<PlacedValue> values = OnOneTimeLine(merged);
  const double begin = values.empty() ? 0 : values.front().value->wall_time;
  std::string text = Record(WireWriter().Double(1, begin).Bytes(3, "brain.Event:2").bytes());
  std::set<std::string> graphs;
  for (const auto& [file, value] : values) {
    WireWriter event;
    event.Double(1, value->wall_time);
    if (value->step != 0) event.Signed(2, value->step);
    if (value->kind == "graph") {
      // A run shows one.
      if (!graphs.insert(".").second) continue;
      event.Bytes(4, value->summary);
    } else {
      const std::string& run = merged[file].run;
      const std::string tag = runs.size() > 1 && run != "." ? run + "/" + value->tag : value->tag;
      event.Message(5, WireWriter().Bytes(1, Renamed(value->summary, tag)));
    }
    text += Record(event.bytes());
  }
  const std::string path = directory + base::Printf("/events.out.tfevents.%010lld.merged",
                                                    static_cast<long long>(begin));
  LOCKSTEP_RETURN_IF_ERROR(files.CreateDirectories(directory));
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, files.Create(path + ".unfinished"));
  LOCKSTEP_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(text))));
  LOCKSTEP_RETURN_IF_ERROR(file->Sync());
  LOCKSTEP_RETURN_IF_ERROR(file->Close());
  LOCKSTEP_RETURN_IF_ERROR(files.Rename(path + ".unfinished", path));
  return path;
}

}  // namespace lockstep::monitor
