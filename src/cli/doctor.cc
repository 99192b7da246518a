#include "cli/doctor.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/cores.h"
#include "base/environment.h"
#include "base/first_line.h"
#include "base/printf.h"
#include "base/process.h"
#include "cli/doctor_pairs.h"
#include "cli/options.h"
#include "cluster/address.h"
#include "cluster/doctor.h"
#include "kernels/isa.h"
#include "net/certificates.h"
#include "net/grpc_rpc.h"
#include "net/ports.h"

namespace lockstep::cli {

namespace {

using cluster::Finding;
using nlohmann::ordered_json;
using Level = Finding::Level;

class ThisMachine final : public cluster::Machine {
 public:
  std::vector<std::string> Resolve(const std::string& host, std::string* why) override {
    const auto addresses = net::ResolveHost(host);
    if (addresses.ok()) return *addresses;
    *why = addresses.status().message();
    return {};
  }
  bool CanListen(const std::string& host, int port, std::string* why) override {
    const auto reserved = net::ReservedPort::Reserve(host, port);
    if (reserved.ok()) return true;
    *why = reserved.status().message();
    std::string who;
    for (const std::string& name : net::ListenersAt(port)) who += (who.empty() ? "" : ", ") + name;
    if (!who.empty()) *why += ", it is taken by " + who;
    if (reserved.status().code() == Code::kInvalidArgument) *why += "; it is not this machine's";
    return false;
  }
};

Finding ExamineCores() {
  const double allowed = base::CoresOfControlGroup();
  const std::string limit = allowed > 0
                                ? base::Printf("a control group allows the time of %.1f", allowed)
                                : "no limit by a control group";
  return {Level::kFine, "cores",
          base::Printf("%d of %u cores; %s", base::Cores(), std::thread::hardware_concurrency(),
                       limit.c_str()),
          ""};
}

Finding ExamineIsa() {
  std::string found;
  for (const char* name : {"avx2", "fma", "avx512f"}) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("flags")) continue;
      if ((line + " ").find(std::string(" ") + name + " ") != std::string::npos) {
        found += (found.empty() ? "" : ", ") + std::string(name);
      }
      break;
    }
  }
  const std::string text = "kernels use " + std::string(kernels::IsaName()) +
                           "; the processor has " + (found.empty() ? "none" : found);
  if (found.find("avx2") != std::string::npos) return {Level::kFine, "isa", text, ""};
  return {Level::kProblem, "isa", text, "a processor with AVX2 and FMA is needed"};
}

// Those that are loaded, by their files' names.
Finding ExamineLibraries() {
  std::set<std::string> names;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(line.rfind('/') + 1);
    for (const char* wanted : {"liblockstep.", "libc.so", "libstdc++.", "libssl.", "libgrpc++.",
                               "libprotobuf.", "libz.", "libxxhash."}) {
      if (name.starts_with(wanted)) names.insert(name);
    }
  }
  std::string text = "compiler " __VERSION__;
  for (const std::string& name : names) text += ", " + name;
  return {Level::kFine, "libraries", text, ""};
}

Finding ExamineSharedMemory() {
  struct statvfs found {};
  if (statvfs("/dev/shm", &found) != 0) {
    return {Level::kDoubt, "shared memory", "/dev/shm cannot be read", ""};
  }
  const auto megabytes = [&](auto blocks) {
    return std::to_string(static_cast<uint64_t>(blocks) * found.f_frsize >> 20) + " MiB";
  };
  const std::string limit = base::FirstLine("/sys/fs/cgroup/memory.max");
  return {Level::kFine, "shared memory",
          "/dev/shm has " + megabytes(found.f_bavail) + " of " + megabytes(found.f_blocks) +
              " free; memory of the control group: " + (limit.empty() ? "unknown" : limit),
          ""};
}

Finding ExamineOpenFiles(int ranks) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = 64 + 8 * static_cast<rlim_t>(ranks);
  const std::string text = "a process may open " + std::to_string(limit.rlim_cur) + " files, " +
                           std::to_string(needed) + " are needed";
  if (limit.rlim_cur >= needed) return {Level::kFine, "open files", text, ""};
  return {Level::kProblem, "open files", text, "ulimit -n " + std::to_string(needed)};
}

std::vector<Finding> ExamineInterfaces() {
  std::vector<Finding> findings;
  for (const auto& interface : net::Interfaces()) {
    findings.push_back({Level::kFine, "interfaces",
                        interface.name + " " + interface.address +
                            (interface.loopback ? ", loopback" : "") +
                            (interface.up ? "" : ", down"),
                        ""});
  }
  const auto port = net::ReservedPort::Reserve("127.0.0.1");
  if (!port.ok()) {
    findings.push_back({Level::kProblem, "ports", port.status().message(), "give it a port"});
  }
  return findings;
}

bool Matches(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// The variables that a resolver may read and that are set.
ordered_json VariablesOf(const cluster::Resolver& resolver,
                         const cluster::Environment& environment) {
  ordered_json variables = ordered_json::object();
  const auto patterns = resolver.variables();
  for (const auto& [name, value] : environment) {
    for (const std::string& pattern : patterns) {
      if (Matches(name, pattern)) variables[name] = value;
    }
  }
  return variables;
}

const char* LevelName(Level level) {
  constexpr const char* kNames[] = {"fine", "doubt", "problem"};
  return kNames[static_cast<int>(level)];
}

bool HasProblem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.level == Level::kProblem; });
}

// Who this task is and what its cluster is made of.
ordered_json ReportOf(const cluster::Description& found) {
  ordered_json report = {{"resolver", found.resolver},
                         {"task", found.task.ToString()},
                         {"rank", found.rank()},
                         {"num_ranks", found.num_ranks()},
                         {"coordinator", found.coordinator},
                         {"local_index", found.local_index},
                         {"local_size", found.local_size},
                         {"devices", found.devices},
                         {"cluster", ordered_json::parse(found.cluster.ToJson())},
                         {"facts", ordered_json::array()}};
  for (const auto& fact : found.facts) {
    report["facts"].push_back(
        {{"what", fact.what}, {"value", fact.value}, {"from", fact.variable}});
  }
  return report;
}

// Tasks on several machines need certificates; and what is named must be there.
std::vector<Finding> ExamineCredentials(const cluster::Environment& environment,
                                        const cluster::Description& job) {
  if (const auto folder = cluster::Lookup(environment, "LOCKSTEP_CREDENTIALS")) {
    const auto read = net::ReadCredentials(*folder);
    if (read.ok()) return {{Level::kFine, "credentials", "those in " + *folder, ""}};
    return {{Level::kProblem, "credentials", read.status().message(), ""}};
  }
  for (const cluster::TaskName& task : job.Tasks()) {
    const std::string address = job.AddressOf(task);
    if (job.RankOf(task) < 0 || address.empty() || net::IsLocalAddress(address)) continue;
    return {{Level::kProblem, "credentials",
             "tasks on other machines must be known by certificates; " + task.ToString() +
                 " is at " + address,
             "lockstep cert --out DIR, DIR on every machine, and there\n"
             "export LOCKSTEP_CREDENTIALS=DIR"}};
  }
  return {};
}

std::vector<Finding> ExamineMachine(int ranks) {
  std::vector<Finding> findings = ExamineInterfaces();
  for (Finding finding : {ExamineCores(), ExamineIsa(), ExamineLibraries(), ExamineSharedMemory(),
                          ExamineOpenFiles(ranks)}) {
    findings.push_back(std::move(finding));
  }
  return findings;
}

// Who could describe a cluster here, and by which variables.
ordered_json SourcesIn(const cluster::Environment& environment) {
  ordered_json sources = ordered_json::array();
  for (const auto& resolver : cluster::Resolvers()) {
    const ordered_json variables = VariablesOf(*resolver, environment);
    if (variables.empty()) continue;
    sources.push_back({{"name", resolver->name()},
                       {"found", resolver->Finds(environment)},
                       {"variables", variables}});
  }
  return sources;
}

void AddChecks(const std::vector<Finding>& findings, ordered_json& report) {
  report["checks"] = ordered_json::array();
  int problems = 0, doubts = 0;
  for (const Finding& finding : findings) {
    problems += finding.level == Level::kProblem;
    doubts += finding.level == Level::kDoubt;
    report["checks"].push_back({{"topic", finding.topic},
                                {"level", LevelName(finding.level)},
                                {"text", finding.text},
                                {"cure", finding.cure}});
  }
  report["problems"] = problems;
  report["doubts"] = doubts;
}

ordered_json MakeReport(const cluster::Environment& environment, double wait_seconds) {
  const cluster::Survey survey = cluster::SurveyCluster(environment);
  ThisMachine machine;
  std::vector<Finding> findings = cluster::ExamineCluster(survey, machine);
  const auto add = [&findings](std::vector<Finding> more) {
    for (Finding& finding : more) findings.push_back(std::move(finding));
  };
  ordered_json report = {{"resolver", "none"}, {"task", "worker 0"}, {"rank", 0}, {"num_ranks", 1}};
  const cluster::Description* job = nullptr;
  if (!survey.found.empty()) {
    report["resolver"] = survey.found.front().resolver->name();
    const auto& description = survey.found.front().resolution.description;
    if (description) report = ReportOf(*(job = &*description));
  }
  const int ranks = job == nullptr ? 1 : job->num_ranks();
  if (job != nullptr && ranks > 1) add(ExamineCredentials(environment, *job));
  add(ExamineMachine(ranks));
  if (ranks > 1 && job->rank() >= 0 && wait_seconds > 0 && !HasProblem(findings)) {
    auto meeting = MeetOtherDoctors(
        *job, environment,
        std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(wait_seconds)));
    add(std::move(meeting.findings));
    if (job->rank() == 0) {  // all have the same
      report["tasks"] = std::move(meeting.tasks);
      report["pairs"] = std::move(meeting.pairs);
    }
  }
  report["sources"] = SourcesIn(environment);
  AddChecks(findings, report);
  return report;
}

std::string Indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

void PrintPairs(const ordered_json& report) {
  constexpr size_t kMost = 64;
  const ordered_json pairs = report.value("pairs", ordered_json::array());
  if (pairs.size() > kMost) {
    std::printf("%zu ways between tasks: --json lists them\n", pairs.size());
    return;
  }
  for (const auto& pair : pairs) {
    std::printf("  %s to %s: %s, %.1f us, %.0f MiB/s\n", pair["from"].get<std::string>().c_str(),
                pair["to"].get<std::string>().c_str(), pair["road"].get<std::string>().c_str(),
                pair["latency_us"].get<double>(), pair["mebibytes_per_second"].get<double>());
  }
}

void Print(const ordered_json& report) {
  const auto text = [](const ordered_json& value) { return value.get<std::string>(); };
  if (report["resolver"] != "none" && !report.contains("cluster")) {
    std::printf("%s does not describe a cluster that can be used\n",
                text(report["resolver"]).c_str());
  } else {
    const int rank = report["rank"].get<int>();  // -1: of those who train, it is none
    std::printf("%s%s, as %s says\n", text(report["task"]).c_str(),
                rank < 0
                    ? ""
                    : base::Printf(", rank %d of %d", rank, report["num_ranks"].get<int>()).c_str(),
                report["resolver"] == "none" ? "nobody" : text(report["resolver"]).c_str());
  }
  for (const auto& fact : report.value("facts", ordered_json::array())) {
    std::printf("  %s: %s (%s)\n", text(fact["what"]).c_str(), text(fact["value"]).c_str(),
                text(fact["from"]).c_str());
  }
  for (const auto& source : report["sources"]) {
    std::printf("%s%s\n", text(source["name"]).c_str(),
                source["found"].get<bool>() ? "" : " (not enough to name a cluster)");
    for (const auto& [name, value] : source["variables"].items()) {
      std::printf("  %s=%s\n", name.c_str(), text(value).c_str());
    }
  }
  for (const auto& check : report["checks"]) {
    std::printf("%-8s %s: %s\n", check["level"] == "fine" ? "" : text(check["level"]).c_str(),
                text(check["topic"]).c_str(), text(check["text"]).c_str());
    if (!check["cure"].empty() && check["cure"] != "") {
      std::printf("%s\n", Indented(text(check["cure"])).c_str());
    }
  }
  PrintPairs(report);
  const auto count = [&](const char* key, const std::string& one) {
    const int number = report[key].get<int>();
    return number == 0 ? "" : std::to_string(number) + " " + one + (number == 1 ? "" : "s");
  };
  const std::string problems = count("problems", "problem"), doubts = count("doubts", "doubt");
  const std::string divider = problems.empty() || doubts.empty() ? "" : ", ";
  const std::string sum = problems + divider + doubts;
  std::printf("%s\n", sum.empty() ? "all is fine" : sum.c_str());
}

}  // namespace

CLI::App* AddDoctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* doctor = app.add_subcommand(
      "doctor", "say what describes the cluster, what is wrong with it, and what to paste instead");
  doctor->add_flag("--json", options.json, "print one JSON object");
  doctor
      ->add_option("--wait", options.wait_seconds,
                   "seconds for all tasks to come and measure their ways; 0: do not meet")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  return doctor;
}

int Doctor(const DoctorOptions& options) {
  const ordered_json report = MakeReport(base::ProcessEnvironment(), options.wait_seconds);
  if (options.json) {
    // In one piece, as other tasks write to the same place.
    const std::string line =
        report.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    if (!base::WriteAll(STDOUT_FILENO, line)) {
      std::fprintf(stderr, "lockstep doctor: the report could not be written (stdout)\n");
      return kFailed;
    }
  } else {
    Print(report);
  }
  return report["problems"] == 0 ? kDone : kFailed;
}

}  // namespace lockstep::cli
