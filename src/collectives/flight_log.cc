#include "collectives/flight_log.h"

#include <charconv>
#include <sstream>

namespace lockstep::collectives {
namespace {

constexpr const char* kHead = "lockstep-flight 1";
constexpr const char* kPhases[] = {"program", "input",      "step",  "callback",
                                   "save",    "evaluation", "start", "end"};
constexpr const char* kPlaces[] = {"in code of its own", "in the input pipeline",
                                   "computing a step",   "in a callback",
                                   "writing a save",     "evaluating",
                                   "starting",           "at the end of its program"};
constexpr const char* kWhats[] = {"call", "phase", "abort"};
constexpr const char* kStates[] = {"running", "done", "failed"};

std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> fields;
  size_t begin = 0;
  while (true) {
    const size_t tab = line.find('\t', begin);
    fields.push_back(line.substr(begin, tab - begin));
    if (tab == std::string::npos) return fields;
    begin = tab + 1;
  }
}

// Reads fields one after another, and remembers whether all were right.
class Fields {
 public:
  explicit Fields(const std::string& line) : fields_(Split(line)) {}
  std::string Text() {
    if (next_ == fields_.size()) {
      good_ = false;
      return "";
    }
    return fields_[next_++];
  }
  template <typename T>
  void Number(T* number) {
    const std::string text = Text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    good_ = good_ && !text.empty() && error == std::errc() && end == text.data() + text.size();
  }
  template <typename T, size_t kCount>
  void Name(const char* const (&names)[kCount], T* value) {
    const std::string text = Text();
    for (size_t i = 0; i < kCount; ++i) {
      if (text != names[i]) continue;
      *value = static_cast<T>(i);
      return;
    }
    good_ = false;
  }
  bool good() const { return good_ && next_ == fields_.size(); }

 private:
  const std::vector<std::string> fields_;
  size_t next_ = 0;
  bool good_ = true;
};

// What is text in a file has neither tabs nor ends of lines in it.
std::string Plain(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ') letter = '?';
  return text;
}

bool ParseRecord(const std::string& line, FlightRecord* record) {
  Fields fields(line);
  int64_t age = 0;
  fields.Number(&record->number);
  fields.Number(&age);
  record->age = base::Duration(age);
  fields.Name(kWhats, &record->what);
  fields.Number(&record->epoch);
  if (record->what == FlightRecord::What::kPhase) fields.Name(kPhases, &record->phase);
  if (record->what == FlightRecord::What::kCall) {
    int kind = 0, dtype = 0;
    fields.Name(kStates, &record->state);
    fields.Number(&record->op.step);
    fields.Number(&record->op.bucket);
    fields.Number(&kind);
    fields.Text();  // its name, for people
    fields.Number(&dtype);
    fields.Number(&record->count);
    record->label = fields.Text();
    record->file = fields.Text();
    fields.Number(&record->line);
    record->kind = static_cast<OpKind>(kind);
    record->dtype = static_cast<DType>(dtype);
  }
  return fields.good();
}

}  // namespace

const char* PhaseName(Phase phase) {
  return static_cast<size_t>(phase) < std::size(kPhases) ? kPhases[static_cast<size_t>(phase)]
                                                         : "unknown";
}

const char* PhasePlace(Phase phase) {
  return static_cast<size_t>(phase) < std::size(kPlaces) ? kPlaces[static_cast<size_t>(phase)]
                                                         : "somewhere";
}

std::string NameOf(const FlightRecord& record) {
  std::string name = OpKindName(record.kind);
  name += " " + std::to_string(record.op.step);
  if (record.op.bucket != 0) name += "." + std::to_string(record.op.bucket);
  if (!record.label.empty()) name += " of " + record.label;
  return name;
}

std::string ToText(const FlightLog& log) {
  std::ostringstream text;
  text << kHead << '\t' << log.rank << '\t' << log.num_ranks << '\t' << log.epoch << '\n';
  for (const FlightRecord& record : log.records) {
    text << record.number << '\t' << record.age.count() << '\t'
         << kWhats[static_cast<size_t>(record.what)] << '\t' << record.epoch;
    if (record.what == FlightRecord::What::kPhase) text << '\t' << PhaseName(record.phase);
    if (record.what == FlightRecord::What::kCall) {
      text << '\t' << kStates[static_cast<size_t>(record.state)] << '\t' << record.op.step << '\t'
           << record.op.bucket << '\t' << static_cast<int>(record.kind) << '\t'
           << OpKindName(record.kind) << '\t' << static_cast<int>(record.dtype) << '\t'
           << record.count << '\t' << Plain(record.label) << '\t' << Plain(record.file) << '\t'
           << record.line;
    }
    text << '\n';
  }
  return text.str();
}

Result<FlightLog> ParseFlightLog(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  FlightLog log;
  bool has_head = false;
  const auto fault = [&](int number) {
    return Status(Code::kInvalidArgument, "[flight] line " + std::to_string(number) +
                                              " must be one of a flight recorder's file; got \"" +
                                              Plain(line) + "\"");
  };
  for (int number = 1; std::getline(stream, line) || number == 1; ++number) {
    if (line.starts_with('#')) continue;
    if (!has_head) {
      Fields head(line);
      has_head = head.Text() == kHead;
      head.Number(&log.rank);
      head.Number(&log.num_ranks);
      head.Number(&log.epoch);
      has_head = has_head && head.good() && log.rank >= 0 && log.rank < log.num_ranks;
      if (!has_head) return fault(number);
      continue;
    }
    FlightRecord record;
    if (!ParseRecord(line, &record)) return fault(number);
    log.records.push_back(std::move(record));
  }
  if (!has_head) return fault(1);
  return log;
}

}  // namespace lockstep::collectives
