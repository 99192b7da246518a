#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/printf.h"
#include "monitor/profile.h"

namespace lockstep::monitor {

namespace {

using base::Trace;
using base::TraceEvent;
using Kind = TraceEvent::Kind;

constexpr int kTraining = 0, kFirstLane = 1;

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(int64_t origin) : origin_(origin) {}

  void Name(int process, const std::string& what, const std::string& name, int thread) {
    Open('M', process, thread, what);
    text_ += ",\"args\":{\"name\":" + Quoted(name) + "}}";
  }
  void Sort(int process, const std::string& what, int thread, int place) {
    Open('M', process, thread, what);
    text_ += ",\"args\":{\"sort_index\":" + std::to_string(place) + "}}";
  }
  void Complete(int process, int thread, const std::string& name, const std::string& category,
                const TraceEvent& event, const std::string& arguments = "") {
    Open('X', process, thread, name);
    text_ += ",\"cat\":" + Quoted(category) + Times(event.begin, event.length);
    Close(arguments);
  }
  void Asynchronous(int process, const std::string& name, const std::string& category,
                    int64_t begin, int64_t end, const std::string& arguments) {
    const std::string id = ",\"id\":" + std::to_string(++ids_);
    for (const bool is_begin : {true, false}) {
      Open(is_begin ? 'b' : 'e', process, kTraining, name);
      text_ += ",\"cat\":" + Quoted(category) + id + Times(is_begin ? begin : std::max(begin, end));
      Close(is_begin ? arguments : "");
    }
  }
  void Counter(int process, const std::string& name, const TraceEvent& event) {
    Open('C', process, kTraining, name);
    text_ += Times(event.begin);
    Close(base::Printf("\"MiB\":%.2f", static_cast<double>(event.value) / 1048576));
  }
  std::string Take() {
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + text_ + "\n]}\n";
  }

 private:
  void Open(char phase, int process, int thread, const std::string& name) {
    if (!text_.empty()) text_ += ",\n";
    text_ += std::string("{\"ph\":\"") + phase + "\",\"pid\":" + std::to_string(process) +
             ",\"tid\":" + std::to_string(thread) + ",\"name\":" + Quoted(name);
  }
  void Close(const std::string& arguments) {
    text_ += arguments.empty() ? "}" : ",\"args\":{" + arguments + "}}";
  }
  std::string Times(int64_t begin, int64_t length = -1) const {
    std::string times = base::Printf(",\"ts\":%.3f", static_cast<double>(begin - origin_) / 1000);
    if (length >= 0) times += base::Printf(",\"dur\":%.3f", static_cast<double>(length) / 1000);
    return times;
  }

  const int64_t origin_;
  uint64_t ids_ = 0;
  std::string text_;
};

void WriteEvent(Writer& writer, int process, const Trace& trace, const TraceEvent& event) {
  const std::string& name = trace.NameOf(event.name);
  switch (event.kind) {
    case Kind::kStep:
      return writer.Complete(process, kTraining, "step " + std::to_string(event.value), "step",
                             event);
    case Kind::kPhase:
      return writer.Complete(process, kTraining, name, "phase", event);
    case Kind::kWait: {
      const std::string& peer = trace.NameOf(event.peer);
      return writer.Complete(process, kTraining, peer.empty() ? "waits" : "waits for " + peer,
                             "wait", event, "\"what\":" + Quoted(name));
    }
    case Kind::kOp:
      return writer.Complete(process, kFirstLane + event.lane, name, KindOfOp(name), event);
    case Kind::kCollective:
      return writer.Asynchronous(process, name, "collective", event.begin, event.end(), "");
    case Kind::kMemory:
      return writer.Counter(process, "memory", event);
    case Kind::kSend:
    case Kind::kReceive:
      return;  // in pairs
  }
}

// Messages from where they were sent to where they came, at the receiver.
void WriteMessages(Writer& writer, const Profile& profile) {
  std::map<std::tuple<std::string, std::string, uint64_t>, int64_t> sent;
  for (const Trace& trace : profile.tasks) {
    for (const TraceEvent& event : trace.events)
      if (event.kind == Kind::kSend)
        sent.try_emplace({trace.task, trace.NameOf(event.peer), event.id}, event.begin);
  }
  for (size_t i = 0; i < profile.tasks.size(); ++i) {
    const Trace& trace = profile.tasks[i];
    for (const TraceEvent& event : trace.events) {
      if (event.kind != Kind::kReceive) continue;
      const std::string& peer = trace.NameOf(event.peer);
      const auto found = sent.find({peer, trace.task, event.id});
      writer.Asynchronous(static_cast<int>(i), "from " + peer, "transfer",
                          found == sent.end() ? event.begin : found->second, event.begin,
                          "\"bytes\":" + std::to_string(event.value));
    }
  }
}

}  // namespace

std::string ChromeTrace(const Profile& profile) {
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const Trace& trace : profile.tasks)
    for (const TraceEvent& event : trace.events) origin = std::min(origin, event.begin);
  Writer writer(origin);
  for (size_t i = 0; i < profile.tasks.size(); ++i) {
    const Trace& trace = profile.tasks[i];
    const int process = static_cast<int>(i);
    writer.Name(process, "process_name",
                trace.task + " (process " + std::to_string(trace.process) + ")", 0);
    writer.Sort(process, "process_sort_index", 0, process);
    writer.Name(process, "thread_name", "training", kTraining);
    int lanes = 0;
    for (const TraceEvent& event : trace.events)
      if (event.kind == Kind::kOp) lanes = std::max(lanes, event.lane + 1);
    for (int lane = 0; lane < lanes; ++lane)
      writer.Name(process, "thread_name", "lane " + std::to_string(lane), kFirstLane + lane);
    for (const TraceEvent& event : trace.events) WriteEvent(writer, process, trace, event);
  }
  WriteMessages(writer, profile);
  return writer.Take();
}

}  // namespace lockstep::monitor
