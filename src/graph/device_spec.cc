#include <algorithm>
#include <memory>

#include "lockstep/graph/device.h"
#include "lockstep/tensor/dtype.h"

namespace lockstep {

namespace {

Status NoName(std::string_view text, std::string_view part) {
  return Status(Code::kInvalidArgument,
                "[device] a device's name is made of /job:NAME, /replica:N, /task:N and "
                "/device:TYPE:N; got \"" +
                    std::string(part) + "\" in \"" + std::string(text) +
                    "\"; write for example /job:ps/task:0 or /device:CPU:0");
}

bool ParseNumber(std::string_view text, std::optional<int>* number) {
  if (text.empty() || text.size() > 9 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  *number = std::stoi(std::string(text));
  return true;
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string Capitals(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

// "CPU", "CPU:0", "CPU:*"
bool ParseDevice(std::string_view text, DeviceSpec* spec) {
  const size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (!IsName(type)) return false;
  spec->type = Capitals(type);
  if (colon == std::string_view::npos) return true;
  const std::string_view index = text.substr(colon + 1);
  return index == "*" || ParseNumber(index, &spec->index);
}

bool ParsePart(std::string_view part, DeviceSpec* spec) {
  const size_t colon = part.find(':');
  const std::string_view key = part.substr(0, colon);
  const std::string_view value =
      colon == std::string_view::npos ? std::string_view() : part.substr(colon + 1);
  if (key == "job") {
    if (!IsName(value)) return false;
    spec->job = std::string(value);
    return true;
  }
  if (key == "replica") return value == "*" || ParseNumber(value, &spec->replica);
  if (key == "task") return value == "*" || ParseNumber(value, &spec->task);
  if (key == "device") return value == "*" || ParseDevice(value, spec);
  const std::string type = Capitals(key);
  return (type == "CPU" || type == "GPU") && ParseDevice(part, spec);
}

}  // namespace

Result<DeviceSpec> DeviceSpec::Parse(std::string_view text) {
  DeviceSpec spec;
  size_t begin = 0;
  while (begin < text.size()) {
    if (text[begin] == '/') ++begin;
    const size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (!ParsePart(part, &spec)) return NoName(text, part);
    begin = end;
  }
  return spec;
}

std::string DeviceSpec::ToString() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += "/replica:" + std::to_string(*replica);
  if (task) text += "/task:" + std::to_string(*task);
  if (type || index) text += "/device:" + type.value_or("CPU");
  if (type || index) text += ":" + (index ? std::to_string(*index) : std::string("*"));
  return text;
}

DeviceSpec DeviceSpec::Within(const DeviceSpec& outer) const {
  DeviceSpec merged = *this;
  if (!merged.job) merged.job = outer.job;
  if (!merged.replica) merged.replica = outer.replica;
  if (!merged.task) merged.task = outer.task;
  // An index belongs to its type.
  if (!merged.type) {
    merged.type = outer.type;
    if (!merged.index) merged.index = outer.index;
  } else if (!merged.index && merged.type == outer.type) {
    merged.index = outer.index;
  }
  return merged;
}

bool DeviceSpec::Matches(const DeviceSpec& other) const {
  const auto agree = [](const auto& a, const auto& b) { return !a || !b || *a == *b; };
  return agree(job, other.job) && agree(replica, other.replica) && agree(task, other.task) &&
         agree(type, other.type) && agree(index, other.index);
}

namespace {

// On the task, but for what scopes inside have said.
std::string OnTask(const OpToPlace& op, const std::string& job, int task) {
  const DeviceSpec said = DeviceSpec::Parse(op.device).OrThrow();
  return said.Within({.job = job, .task = task}).ToString();
}

void RequireTasks(int tasks, const char* where) {
  if (tasks > 0) return;
  throw Error(Code::kInvalidArgument, std::string("[") + where +
                                          "] variables need one task at least; got " +
                                          std::to_string(tasks));
}

}  // namespace

DeviceFunction RoundRobinVariables(int tasks, const std::string& job) {
  RequireTasks(tasks, "RoundRobinVariables");
  return [tasks, job, next = std::make_shared<int>(0)](const OpToPlace& op) {
    return op.is_variable() ? OnTask(op, job, (*next)++ % tasks) : std::string(op.device);
  };
}

DeviceFunction VariablesBySize(int tasks, const std::string& job) {
  RequireTasks(tasks, "VariablesBySize");
  auto load = std::make_shared<std::vector<int64_t>>(tasks, 0);
  return [load, job](const OpToPlace& op) {
    if (!op.is_variable()) return std::string(op.device);
    const auto least = std::min_element(load->begin(), load->end());
    *least += op.shape.num_elements() * static_cast<int64_t>(DTypeSize(op.dtype));
    return OnTask(op, job, static_cast<int>(least - load->begin()));
  };
}

}  // namespace lockstep
