#include "cluster/host_arbiter.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "net/address.h"

namespace lockstep::cluster {
namespace {

// In the job's directory.
constexpr char kEpochs[] = "/epochs";
constexpr char kEnded[] = "/ended";
constexpr char kServers[] = "/servers";
constexpr char kFinished[] = "/finished";

struct Process {
  char state = 0;
  uint64_t start = 0;
};

// From /proc/PID/stat: "PID (name) STATE ..." where the name may hold anything; the start is the
// 22nd field.
std::optional<Process> Find(int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  Process process;
  fields >> process.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> process.start;
  if (!fields) return std::nullopt;
  return process;
}

bool HasEnded(const Peer& peer) {
  const auto process = Find(peer.process);
  return !process || process->state == 'Z' || process->state == 'X' ||
         process->start != peer.process_start;
}

// Processes have one number on a machine only inside a namespace.
std::string ProcessNamespace() {
  char name[64] = "";
  const ssize_t size = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);
  return std::string(name, static_cast<size_t>(std::max<ssize_t>(size, 0)));
}

// In one piece: no two writers meet.
void AppendLine(const std::string& path, const std::string& line) {
  if (std::FILE* file = std::fopen(path.c_str(), "ae")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

// What a launcher has told; a line that is still being written is told later.
std::vector<EndedProcess> EndedElsewhere(const std::string& directory) {
  std::vector<EndedProcess> told;
  if (directory.empty()) return told;
  std::ifstream file(directory + kEnded);
  for (std::string line; std::getline(file, line) && !file.eof();) {
    if (const auto ended = EndedProcess::Parse(line)) told.push_back(*ended);
  }
  return told;
}

}  // namespace

void DescribeProcess(Peer* self) { DescribeProcess(getpid(), self); }

void DescribeProcess(int64_t number, Peer* peer) {
  peer->host = net::HostId() + "/" + ProcessNamespace();
  peer->process = number;
  const auto process = Find(number);
  peer->process_start = process ? process->start : 0;
}

std::string EndedProcess::ToString() const {
  return host + " " + std::to_string(process) + " " + std::to_string(process_start) + " " +
         std::to_string(newest_epoch);
}

std::optional<EndedProcess> EndedProcess::Parse(const std::string& line) {
  std::istringstream words(line);
  EndedProcess ended;
  words >> ended.host >> ended.process >> ended.process_start >> ended.newest_epoch;
  if (!words || ended.process <= 0 || ended.process_start == 0) return std::nullopt;
  return ended;
}

void NoteEnded(const std::string& job_directory, const EndedProcess& ended) {
  if (!job_directory.empty()) AppendLine(job_directory + kEnded, ended.ToString());
}

uint64_t NewestEpochIn(const std::string& job_directory) {
  uint64_t newest = 0;
  if (job_directory.empty()) return newest;
  std::ifstream file(job_directory + kEpochs);
  for (uint64_t epoch = 0; file >> epoch;) newest = std::max(newest, epoch);
  return newest;
}

void NoteServer(const std::string& job_directory) {
  if (!job_directory.empty()) AppendLine(job_directory + kServers, "1");
}

bool HasServers(const std::string& job_directory) {
  return !job_directory.empty() && access((job_directory + kServers).c_str(), F_OK) == 0;
}

bool HasFinished(const std::string& job_directory) {
  return !job_directory.empty() && access((job_directory + kFinished).c_str(), F_OK) == 0;
}

bool IsComingUp(const std::string& job_directory) {
  if (job_directory.empty() || access((job_directory + kEpochs).c_str(), F_OK) != 0) return false;
  return NewestEpochIn(job_directory) == 0;
}

HostArbiter::HostArbiter(std::string job_directory) : directory_(std::move(job_directory)) {
  DescribeProcess(&self_);
  if (directory_.empty()) return;
  // Empty: this task is here, and has not been in an epoch.
  if (std::FILE* file = std::fopen((directory_ + kEpochs).c_str(), "ae")) std::fclose(file);
}

void HostArbiter::Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) {
  Verdict verdict;
  verdict.newest_epoch = NewestEpochIn(directory_);
  verdict.has_finished = HasFinished(directory_);
  const std::vector<EndedProcess> told = EndedElsewhere(directory_);
  for (const EndedProcess& ended : told) {
    verdict.newest_epoch = std::max(verdict.newest_epoch, ended.newest_epoch);
  }
  for (const Peer& peer : peers) {
    if (peer.process == 0 || peer.process_start == 0) continue;
    const bool was_told = std::any_of(told.begin(), told.end(), [&](const EndedProcess& ended) {
      return ended.host == peer.host && ended.process == peer.process &&
             ended.process_start == peer.process_start;
    });
    if (was_told || (peer.host == self_.host && HasEnded(peer))) {
      verdict.ended.push_back(peer.incarnation);
    }
  }
  done(std::move(verdict));
}

void HostArbiter::NoteEpoch(uint64_t epoch) {
  if (!directory_.empty()) AppendLine(directory_ + kEpochs, std::to_string(epoch));
}

void HostArbiter::NoteFinished() {
  if (!directory_.empty()) AppendLine(directory_ + kFinished, "1");
}

}  // namespace lockstep::cluster
