#include "cluster/doctor.h"

#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "cluster/address.h"

namespace lockstep::cluster {

namespace {

using Level = Finding::Level;

void ExamineSources(const Survey& survey, std::vector<Finding>& findings) {
  for (size_t i = 0; i < survey.found.size(); ++i) {
    const auto& [resolver, resolution] = survey.found[i];
    // Only what counts can hurt.
    const Level level = i == 0 ? Level::kProblem : Level::kDoubt;
    for (const Mistake& mistake : resolution.mistakes) {
      findings.push_back({level, "cluster", mistake.ToString(), resolution.corrected});
    }
    for (const Mistake& doubt : resolution.doubts) {
      findings.push_back({Level::kDoubt, "cluster", doubt.ToString(), ""});
    }
  }
  for (const Mistake& contradiction : survey.contradictions) {
    findings.push_back({Level::kProblem, "cluster", contradiction.ToString(), ""});
  }
}

// Where nobody describes a cluster: what is wrong in variables of our own, and launchers that were
// probably meant, but say too little.
void ExamineAlone(const Survey& survey, std::vector<Finding>& findings) {
  if (!survey.found.empty()) return;
  for (const Mistake& mistake : survey.alone.mistakes) {
    findings.push_back({Level::kProblem, "cluster", mistake.ToString(), survey.alone.corrected});
  }
  for (const Mistake& doubt : survey.alone.doubts) {
    findings.push_back({Level::kDoubt, "cluster", doubt.ToString(), ""});
  }
  for (Mistake hint : survey.hints) {
    const std::string cure = std::exchange(hint.cure, "");
    findings.push_back({Level::kDoubt, "cluster", hint.ToString(), cure});
  }
}

void ExamineNames(const Description& description, Machine& machine,
                  std::vector<Finding>& findings) {
  std::map<std::string, std::string> hosts;  // host → who names it
  const auto note = [&](const std::string& text, const std::string& who) {
    Address address;
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) return;
    if (ReadAddress(text.substr(0, colon) + ":1", address)) return;
    hosts.emplace(address.host, who);
  };
  for (const TaskName& name : description.Tasks()) {
    note(description.AddressOf(name), name.ToString());
  }
  std::istringstream coordinators(description.coordinator);
  for (std::string text; std::getline(coordinators, text, ',');) note(text, "the coordinator");
  for (const auto& [host, who] : hosts) {
    std::string why;
    const auto addresses = machine.Resolve(host, &why);
    if (addresses.empty()) {
      findings.push_back({Level::kProblem, "names",
                          "the host '" + host + "' of " + who + " has no address: " + why,
                          "correct the name, or add it to the name service or /etc/hosts"});
      continue;
    }
    std::string listed;
    for (const std::string& address : std::set<std::string>(addresses.begin(), addresses.end())) {
      listed += (listed.empty() ? "" : ", ") + address;
    }
    findings.push_back({Level::kFine, "names", host + " is " + listed, ""});
  }
}

void ExamineOwnAddress(const Description& description, Machine& machine,
                       std::vector<Finding>& findings) {
  Address own;
  const std::string text = description.AddressOf(description.task);
  if (text.empty() || ReadAddress(text, own)) return;  // unknown, or its port is
  std::string why;
  if (machine.CanListen(own.host, own.port, &why)) {
    findings.push_back(
        {Level::kFine, "ports", description.task.ToString() + " can listen at " + text, ""});
  } else {
    findings.push_back({Level::kProblem, "ports",
                        description.task.ToString() + " cannot listen at " + text + ": " + why,
                        "end who has the port, or give the task another address"});
  }
}

}  // namespace

std::vector<Finding> ExamineCluster(const Survey& survey, Machine& machine) {
  std::vector<Finding> findings;
  ExamineSources(survey, findings);
  ExamineAlone(survey, findings);
  if (survey.found.empty() || !survey.found.front().resolution.description) return findings;
  const Description& description = *survey.found.front().resolution.description;
  if (!description.SaysWhereToMeet()) {
    findings.push_back({Level::kProblem, "cluster", NoMeetingPlace(description).ToString(),
                        CorrectedMeetingPlace(description)});
  }
  ExamineNames(description, machine, findings);
  ExamineOwnAddress(description, machine, findings);
  return findings;
}

}  // namespace lockstep::cluster
