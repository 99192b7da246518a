// lockstep_golden FILE [GROUP]: runs every case of a file of golden vectors through the public API
// and says per group how many passed, failed and were skipped and why. A group, a name or a
// parameter that this program does not know makes a case a skipped one. Exit status: 0 nothing
// failed, 1 something failed or the file is not one of golden vectors, 2 bad usage.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "case.h"
#include "lockstep/base/status.h"

namespace {

struct Count {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

// The lines that say what is wrong with a case; empty when it passed.
std::vector<std::string> Run(const golden::Case& golden) {
  const auto group = golden::Groups().find(golden.group());
  if (group == golden::Groups().end()) throw golden::Skip{"nothing here handles this group"};
  const golden::Handler* handler = golden::FindHandler(group->second, golden.name());
  if (handler == nullptr) throw golden::Skip{"nothing here handles a case called " + golden.name()};
  golden::Produced produced;
  std::vector<std::string> lines, unknown;
  try {
    (*handler)(golden, produced);
    lines = golden::Compare(golden, produced);
    unknown = golden.UnknownParams();
  } catch (const lockstep::Error& error) {  // perhaps before all parameters were asked for
    lines = {std::string("threw ") + error.what()};
    unknown = golden.StrangeParams();
  } catch (const std::exception& error) {  // the case itself is not as cases are
    return {std::string("threw ") + error.what()};
  }
  if (!lines.empty() && !unknown.empty())
    throw golden::Skip{"the parameter " + unknown.front() + " of " + golden.name() +
                       " is not known here"};
  return lines;
}

// The list of cases; empty, and `fault` says why, where the file is none of golden vectors.
const golden::Json* CasesOf(const golden::Json& content, std::string& fault) {
  if (content.is_discarded() || !content.is_object() || !content.contains("cases") ||
      !content["cases"].is_array()) {
    fault = "FILE must be JSON with a list \"cases\"";
    return nullptr;
  }
  for (const golden::Json& entry : content["cases"]) {
    fault = golden::FormFault(entry);
    if (!fault.empty()) return nullptr;
  }
  return &content["cases"];
}

int RunAll(const golden::Json& cases, const std::string& only) {
  std::vector<std::string> order;
  std::map<std::string, Count> counts;
  std::map<std::string, int> reasons;
  Count total;
  for (const golden::Json& entry : cases) {
    const golden::Case golden(entry);
    if (!only.empty() && golden.group() != only) continue;
    if (counts.find(golden.group()) == counts.end()) order.push_back(golden.group());
    Count& count = counts[golden.group()];
    try {
      const std::vector<std::string> lines = Run(golden);
      ++(lines.empty() ? count.passed : count.failed);
      for (const std::string& line : lines) {
        std::printf("FAILED %s %s: %s\n", golden.group().c_str(), golden.name().c_str(),
                    line.c_str());
      }
    } catch (const golden::Skip& skip) {
      ++count.skipped;
      ++reasons[golden.group() + ": " + skip.reason];
    }
  }
  for (const auto& [reason, times] : reasons)
    std::printf("skipped %d of %s\n", times, reason.c_str());
  for (const std::string& group : order) {
    const Count& count = counts[group];
    std::printf("%-14s %4d passed, %4d failed, %4d skipped\n", group.c_str(), count.passed,
                count.failed, count.skipped);
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
  }
  std::printf("%-14s %4d passed, %4d failed, %4d skipped\n", "total", total.passed, total.failed,
              total.skipped);
  return total.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: lockstep_golden FILE [GROUP]\n");
    return 2;
  }
  std::ifstream file(arguments[1]);
  if (!file) {
    std::fprintf(stderr, "lockstep_golden: FILE must be readable; got %s\n", arguments[1]);
    return 1;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const golden::Json content = golden::ParseKeepingZeros(text);
  std::string fault;
  const golden::Json* cases = CasesOf(content, fault);
  if (cases == nullptr) {
    std::fprintf(stderr, "lockstep_golden: %s: %s\n", arguments[1], fault.c_str());
    return 1;
  }
  return RunAll(*cases, count == 3 ? arguments[2] : "");
}
