#include "lockstep/check/races.h"

#include <atomic>
#include <mutex>

#include "base/environment.h"
#include "base/log.h"
#include "check/race_count.h"
#include "lockstep/base/status.h"
#include "runtime/access_log.h"
#include "runtime/actor.h"

namespace lockstep {

namespace {

constinit std::atomic<RaceCheck> current{RaceCheck::kIgnore};
constinit std::atomic<uint64_t> reports_ever{0};

// What has been found.
struct Found {
  static constexpr size_t kMost = 1000;
  std::mutex mutex;
  std::vector<RaceReport> reports;  // since somebody asked
  std::vector<RaceReport> logged;
};
Found& AllFound() {
  static auto* found = new Found;
  return *found;
}

bool SamePlace(const RaceAccess& a, const RaceAccess& b) {
  return a.file == b.file && a.line == b.line;
}

bool Same(const RaceReport& a, const RaceReport& b) {
  return a.kind == b.kind && a.certain == b.certain && a.variable == b.variable &&
         SamePlace(a.read, b.read) && SamePlace(a.written, b.written) &&
         SamePlace(a.assigned, b.assigned);
}

// Whether one at the same places was there already, and one more is counted.
bool Count(const RaceReport& report, std::vector<RaceReport>* reports) {
  for (RaceReport& known : *reports) {
    if (!Same(known, report)) continue;
    ++known.count;
    return true;
  }
  if (reports->size() < Found::kMost) reports->push_back(report);
  return false;
}

void Keep(const RaceReport& report) {
  reports_ever.fetch_add(1, std::memory_order_relaxed);
  Found& found = AllFound();
  const std::lock_guard lock(found.mutex);
  Count(report, &found.reports);
}

bool IsLogged(const RaceReport& report) {
  Found& found = AllFound();
  const std::lock_guard lock(found.mutex);
  return Count(report, &found.logged);
}

RaceAccess AccessOf(const runtime::AccessPlace& place) {
  const std::string path = place.site.file;
  return {place.version, place.thread, path.substr(path.find_last_of('/') + 1), place.site.line,
          place.who};
}

std::string LineOf(const RaceAccess& access) {
  return access.file.empty() ? "" : " in " + access.file + ":" + std::to_string(access.line);
}

std::string ThreadOf(const RaceAccess& access) {
  if (!access.who.empty()) return " by " + access.who;
  return access.thread == 0 ? "" : " by thread " + std::to_string(access.thread);
}

void ReportFinding(const runtime::RaceFinding& finding) {
  const RaceCheck check = CurrentRaceCheck();
  if (check == RaceCheck::kIgnore) return;
  const RaceReport report{.kind = finding.kind == runtime::RaceFinding::Kind::kLostUpdate
                                      ? RaceReport::Kind::kLostUpdate
                                      : RaceReport::Kind::kMixedGradient,
                          .certain = finding.certain,
                          .on_server = finding.on_server,
                          .variable = finding.variable,
                          .read = AccessOf(finding.read),
                          .written = AccessOf(finding.written),
                          .assigned = AccessOf(finding.assigned)};
  Keep(report);
  const std::string text = "[race] " + report.ToString();
  if (check == RaceCheck::kRaise) throw Error(Code::kFailedPrecondition, text);
  if (!IsLogged(report)) base::Log(base::Severity::kWarning, text);
}

RaceCheck FromEnvironment() {
  const std::string text = base::EnvironmentText("LOCKSTEP_RACES").value_or("warn");
  if (text == "ignore") return RaceCheck::kIgnore;
  if (text == "raise") return RaceCheck::kRaise;
  if (text != "warn") {
    base::Log(base::Severity::kWarning,
              "[race] LOCKSTEP_RACES must be ignore, warn or raise; got '" + text +
                  "'; races are warned of");
  }
  return RaceCheck::kWarn;
}

// The library's own registration: races are looked for from the beginning.
const bool kRegistered = (SetRaceCheck(FromEnvironment()), true);

}  // namespace

uint64_t check::NumRaceReports() { return reports_ever.load(std::memory_order_relaxed); }

std::string RaceReport::ToString() const {
  const std::string name = "`" + variable + "`";
  if (kind == Kind::kMixedGradient) {
    return "mixed gradient: " + name + ", read at version " + std::to_string(read.version) +
           LineOf(read) + ThreadOf(read) + " and at version " + std::to_string(assigned.version) +
           LineOf(assigned) + ThreadOf(assigned) + ", with version " +
           std::to_string(written.version) + " written in between" + LineOf(written) +
           ThreadOf(written) + "; read it once, differentiate a Function, or hold a Lock";
  }
  return std::string(certain ? "" : "possible ") + "lost update: " + name + ", read at version " +
         std::to_string(read.version) + LineOf(read) + ThreadOf(read) + ", overwrites version " +
         std::to_string(written.version) + " written" + LineOf(written) + ThreadOf(written) +
         (assigned.file.empty() || SamePlace(assigned, written)
              ? ""
              : " (assigned" + LineOf(assigned) + ")") +
         (on_server ? "; use AssignAdd, or read and assign in one run"
                    : "; use AssignAdd or Update, or a Lock around the read and the assignment");
}

void SetRaceCheck(RaceCheck check) {
  current.store(check);
  runtime::SetRaceHook(check == RaceCheck::kIgnore ? nullptr : &ReportFinding,
                       check == RaceCheck::kRaise);
}

RaceCheck CurrentRaceCheck() { return current.load(); }

std::vector<RaceReport> TakeRaceReports() {
  Found& found = AllFound();
  const std::lock_guard lock(found.mutex);
  return std::exchange(found.reports, {});
}

struct HappensBefore::State {
  runtime::HandOver told;
};

HappensBefore::HappensBefore() : state_(std::make_unique<State>()) {}
HappensBefore::~HappensBefore() = default;
void HappensBefore::Signal() { state_->told.Give(); }
void HappensBefore::Wait() { state_->told.Take(runtime::Order::kCertain); }

}  // namespace lockstep
