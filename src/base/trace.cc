#include "base/trace.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/file.h"
#include "base/wire.h"

namespace lockstep::base {

namespace {

int64_t Nanoseconds(Time time) { return time.time_since_epoch().count(); }

}  // namespace

thread_local TraceRecorder* TraceRecorder::current_ = nullptr;

std::string ClockHost() {
  std::string boot, name(256, '\0');
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  if (!boot.empty()) return boot;
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.c_str();
}

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

const std::string& Trace::NameOf(uint32_t name) const {
  static const std::string none;
  return name < names.size() ? names[name] : none;
}

TraceRecorder::TraceRecorder(const Clock& clock) : clock_(clock), lanes_(kMostLanes) {}

TraceRecorder::~TraceRecorder() {
  if (current_ == this) current_ = nullptr;
}

void TraceRecorder::Begin() { current_ = this; }

uint32_t TraceRecorder::NameOf(std::string_view name) {
  const auto [place, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return place->second;
}

uint32_t TraceRecorder::NamesOf(const Names& names) {
  for (const auto& [table, first] : tables_)
    if (table == names) return first;
  const auto first = static_cast<uint32_t>(names_.size());
  names_.insert(names_.end(), names->begin(), names->end());
  tables_.emplace_back(names, first);
  return first;
}

void TraceRecorder::SetPeers(const std::vector<std::string>& tasks) {
  peers_.clear();
  for (const std::string& task : tasks) peers_.push_back(NameOf(task));
}

uint32_t TraceRecorder::PeerOf(int rank) {
  if (rank < 0) return TraceEvent::kNone;
  if (static_cast<size_t>(rank) < peers_.size()) return peers_[static_cast<size_t>(rank)];
  return NameOf("worker " + std::to_string(rank));
}

void TraceRecorder::Add(Lane& lane, const TraceEvent& event) {
  if (lane.events.size() >= kMostEvents) {
    ++lane.dropped;
  } else {
    lane.events.push_back(event);
  }
}

void TraceRecorder::Close(TraceEvent& open) {
  if (std::exchange(open.id, 0) == 0) return;
  open.length = Nanoseconds(Now()) - open.begin;
  Add(own_, open);
}

void TraceRecorder::BeginStep(uint64_t step) {
  Close(step_);
  step_ = {.kind = TraceEvent::Kind::kStep, .begin = Nanoseconds(Now()), .value = step, .id = 1};
  Memory();
}

void TraceRecorder::EndStep() {
  Close(step_);
  Memory();
}

void TraceRecorder::Enter(std::string_view phase) {
  Close(phase_);
  if (phase.empty()) return;
  phase_ = {.kind = TraceEvent::Kind::kPhase,
            .name = NameOf(phase),
            .begin = Nanoseconds(Now()),
            .id = 1};
}

void TraceRecorder::Wait(std::string_view what, int peer, Time begin, Time end) {
  Add(own_, {.kind = TraceEvent::Kind::kWait,
             .name = NameOf(what),
             .peer = PeerOf(peer),
             .begin = Nanoseconds(begin),
             .length = (end - begin).count()});
}

void TraceRecorder::Op(int lane, uint32_t name, Time begin, Time end) {
  if (lane >= kMostLanes) return;
  Add(lanes_[static_cast<size_t>(lane)], {.kind = TraceEvent::Kind::kOp,
                                          .lane = static_cast<uint16_t>(lane),
                                          .name = name,
                                          .begin = Nanoseconds(begin),
                                          .length = (end - begin).count()});
}

void TraceRecorder::Collective(std::string_view name, Time begin, Time end) {
  Add(own_, {.kind = TraceEvent::Kind::kCollective,
             .name = NameOf(name),
             .begin = Nanoseconds(begin),
             .length = (end - begin).count()});
}

void TraceRecorder::Message(TraceEvent::Kind kind, int peer, uint64_t bytes, uint64_t id) {
  Add(own_,
      {.kind = kind, .peer = PeerOf(peer), .begin = Nanoseconds(Now()), .value = bytes, .id = id});
}

void TraceRecorder::Memory() {
  Add(own_,
      {.kind = TraceEvent::Kind::kMemory, .begin = Nanoseconds(Now()), .value = ResidentBytes()});
}

Trace TraceRecorder::End(std::string task) {
  Close(phase_);
  Close(step_);
  Memory();
  if (current_ == this) current_ = nullptr;
  Trace trace{.task = std::move(task), .host = ClockHost(), .process = ::getpid()};
  trace.names = std::move(names_);
  trace.events = std::move(own_.events);
  trace.dropped = own_.dropped;
  for (Lane& lane : lanes_) {
    trace.events.insert(trace.events.end(), lane.events.begin(), lane.events.end());
    trace.dropped += lane.dropped;
  }
  for (TraceEvent& event : trace.events) {
    if (event.kind < TraceEvent::Kind::kSend) event.id = 0;
  }
  std::stable_sort(trace.events.begin(), trace.events.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.begin < b.begin; });
  return trace;
}

// Fields: 1 task, 2 host, 3 process, 4 a name, 5 dropped, 6 an event, whose fields are in order.
std::string Encode(const Trace& trace) {
  WireWriter writer;
  writer.Bytes(1, trace.task).Bytes(2, trace.host).Signed(3, trace.process);
  for (const std::string& name : trace.names) writer.Bytes(4, name);
  writer.Varint(5, trace.dropped);
  int64_t before = 0;
  for (const TraceEvent& event : trace.events) {
    WireWriter own;
    own.Varint(1, static_cast<uint64_t>(event.kind)).Varint(2, event.lane);
    own.Varint(3, (uint64_t{event.name} + 1) & 0xffffffff);
    own.Varint(4, (uint64_t{event.peer} + 1) & 0xffffffff);
    own.Signed(5, event.begin - before).Signed(6, event.length);
    own.Varint(7, event.value).Fixed64(8, event.id);
    before = event.begin;
    writer.Message(6, own);
  }
  return std::move(writer).bytes();
}

namespace {

Result<TraceEvent> DecodeEvent(std::string_view bytes, int64_t before) {
  TraceEvent event;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.type() == WireType::kBytes) continue;
    const uint64_t number = reader.number();
    switch (reader.field()) {
      case 1:
        if (number > static_cast<uint64_t>(TraceEvent::Kind::kMemory))
          return Status(Code::kDataLoss, "[trace] an event must be of a kind that is known; got " +
                                             std::to_string(number));
        event.kind = static_cast<TraceEvent::Kind>(number);
        break;
      case 2:
        event.lane = static_cast<uint16_t>(number);
        break;
      case 3:
        event.name = static_cast<uint32_t>(number) - 1;
        break;
      case 4:
        event.peer = static_cast<uint32_t>(number) - 1;
        break;
      case 5:
        event.begin = static_cast<int64_t>(static_cast<uint64_t>(before) + number);
        break;
      case 6:
        event.length = reader.integer();
        break;
      case 7:
        event.value = number;
        break;
      case 8:
        event.id = number;
        break;
      default:
        break;
    }
  }
  if (reader.broken()) return Status(Code::kDataLoss, "[trace] an event must be whole; got less");
  return event;
}

}  // namespace

Result<Trace> DecodeTrace(std::string_view bytes) {
  Trace trace;
  int64_t before = 0;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) trace.task = reader.bytes();
    if (reader.Is(2, WireType::kBytes)) trace.host = reader.bytes();
    if (reader.Is(3, WireType::kVarint)) trace.process = reader.integer();
    if (reader.Is(4, WireType::kBytes)) trace.names.emplace_back(reader.bytes());
    if (reader.Is(5, WireType::kVarint)) trace.dropped = reader.number();
    if (!reader.Is(6, WireType::kBytes)) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(const TraceEvent event, DecodeEvent(reader.bytes(), before));
    before = event.begin;
    trace.events.push_back(event);
  }
  if (reader.broken()) return Status(Code::kDataLoss, "[trace] a trace must be whole; got less");
  return trace;
}

}  // namespace lockstep::base
