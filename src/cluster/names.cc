#include "cluster/names.h"

#include <algorithm>

#include "cluster/address.h"

namespace lockstep::cluster {

namespace {

// Small letters alone.
std::string SimpleName(std::string_view text) {
  std::string simple;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') simple += static_cast<char>(c + 32);
    if (c >= 'a' && c <= 'z') simple += c;
  }
  return simple;
}

}  // namespace

bool DifferByOne(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  if (a.size() < b.size()) return a.substr(i) == b.substr(i + 1);
  if (i == a.size()) return true;
  if (a.substr(i + 1) == b.substr(i + 1)) return true;
  return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] &&
         a.substr(i + 2) == b.substr(i + 2);
}

const std::vector<std::string>& JobNames() {
  static const std::vector<std::string> kNames = {"chief", "worker", "ps", "evaluator"};
  return kNames;
}

bool IsJob(std::string_view name) {
  return std::find(JobNames().begin(), JobNames().end(), name) != JobNames().end();
}

const Synonyms& JobSynonyms() {
  static const Synonyms kSynonyms = {{"master", "chief"},        {"coordinator", "chief"},
                                     {"chiefhosts", "chief"},    {"workerhosts", "worker"},
                                     {"slave", "worker"},        {"slaves", "worker"},
                                     {"node", "worker"},         {"nodes", "worker"},
                                     {"workerhost", "worker"},   {"pshosts", "ps"},
                                     {"server", "ps"},           {"servers", "ps"},
                                     {"parameterserver", "ps"},  {"pss", "ps"},
                                     {"parameterservers", "ps"}, {"evaluators", "evaluator"},
                                     {"eval", "evaluator"},      {"evaluatorhosts", "evaluator"}};
  return kSynonyms;
}

std::string MeantName(std::string_view text, const std::vector<std::string>& names,
                      const Synonyms& synonyms) {
  const std::string simple = SimpleName(text);
  if (const auto place = synonyms.find(simple); place != synonyms.end()) return place->second;
  for (const std::string& name : names) {
    if (simple == name || simple == name + "s") return name;
    if (name.size() > 3 && DifferByOne(simple, name)) return name;
  }
  return "";
}

std::optional<int> TrailingNumber(std::string_view text, int most) {
  const size_t last = text.find_last_not_of("0123456789");
  const std::string_view digits = last == std::string_view::npos ? text : text.substr(last + 1);
  return ReadNumber(digits, 0, most);
}

}  // namespace lockstep::cluster
