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

}  // namespace

void DescribeProcess(Peer* self) {
  self->host = net::HostId() + "/" + ProcessNamespace();
  self->process = getpid();
  const auto process = Find(self->process);
  self->process_start = process ? process->start : 0;
}

HostArbiter::HostArbiter(std::string job_directory)
    : path_(job_directory.empty() ? "" : job_directory + "/epochs") {
  DescribeProcess(&self_);
}

void HostArbiter::Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) {
  Verdict verdict;
  verdict.newest_epoch = NewestEpoch();
  for (const Peer& peer : peers) {
    const bool is_here = peer.host == self_.host && peer.process != 0 && peer.process_start != 0;
    if (is_here && HasEnded(peer)) verdict.ended.push_back(peer.incarnation);
  }
  done(std::move(verdict));
}

// One line an epoch and task, appended whole: no two writers meet.
void HostArbiter::NoteEpoch(uint64_t epoch) {
  if (path_.empty()) return;
  if (std::FILE* file = std::fopen(path_.c_str(), "ae")) {
    std::fprintf(file, "%llu\n", static_cast<unsigned long long>(epoch));
    std::fclose(file);
  }
}

uint64_t HostArbiter::NewestEpoch() const {
  uint64_t newest = 0;
  if (path_.empty()) return newest;
  std::ifstream file(path_);
  for (uint64_t epoch = 0; file >> epoch;) newest = std::max(newest, epoch);
  return newest;
}

}  // namespace lockstep::cluster
