#include "cluster/variables.h"

#include <algorithm>

#include "cluster/address.h"

namespace lockstep::cluster {

namespace {

constexpr std::string_view kDigits = "0123456789";

// The only number in a text, or the only one behind its last colon.
std::optional<int> OnlyNumber(std::string_view text, int low, int high) {
  text = text.substr(text.rfind(':') + 1);
  const size_t begin = text.find_first_of(kDigits);
  if (begin == std::string_view::npos || text.substr(0, begin) == "-") return std::nullopt;
  const size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
  const std::string_view rest = text.substr(end);
  const bool whole =
      rest.starts_with('.') && rest.find_first_not_of(".0") == std::string_view::npos;
  if (!whole && rest.find_first_of(kDigits) != std::string_view::npos) return std::nullopt;
  return ReadNumber(text.substr(begin, end - begin), low, high);
}

}  // namespace

std::optional<int> Variables::Meant(const std::string& name, int low, int high) const {
  const auto text = Text(name);
  return text ? OnlyNumber(*text, low, high) : std::nullopt;
}

int Variables::Size(const std::string& name, const std::string& what, const std::string& rank_name,
                    int at_least) {
  const int rank = Meant(rank_name, 0, kMostTasks - 1).value_or(0);
  return Number(name, what, 1, kMostTasks, std::max(at_least, rank + 1));
}

int Variables::Number(const std::string& name, const std::string& what, int low, int high,
                      int otherwise) {
  if (!Has(name)) {
    Wrong(name, "it must say the " + what, "nothing", "set it");
    return otherwise;
  }
  return NumberOr(name, what, low, high, otherwise);
}

int Variables::NumberOr(const std::string& name, const std::string& what, int low, int high,
                        int otherwise) {
  const auto text = Text(name);
  if (!text) return otherwise;
  if (const auto number = ReadNumber(*text, low, high)) {
    Note(what, *text, name);
    return *number;
  }
  Wrong(name,
        "the " + what + " must be a number from " + std::to_string(low) + " to " +
            std::to_string(high),
        "'" + *text + "'",
        "write " + std::to_string(Meant(name, low, high).value_or(std::max(otherwise, low))));
  return Meant(name, low, high).value_or(otherwise);
}

void Variables::Wrong(const std::string& variable, std::string expected, std::string got,
                      std::string cure) {
  resolution_.mistakes.push_back(
      {variable, "", std::move(expected), std::move(got), std::move(cure)});
}

void Variables::Doubt(const std::string& variable, std::string expected, std::string got,
                      std::string cure) {
  resolution_.doubts.push_back(
      {variable, "", std::move(expected), std::move(got), std::move(cure)});
}

void Variables::Note(const std::string& what, const std::string& value,
                     const std::string& variable) {
  facts_.push_back({what, value, variable});
}

void Variables::Correct(const std::string& name, const std::string& value) {
  corrected_ += (corrected_.empty() ? "" : "\n") + ExportLine(name, value);
}

void Variables::Finish(Description description) {
  if (!resolution_.mistakes.empty()) {
    if (resolution_.corrected.empty()) resolution_.corrected = std::move(corrected_);
    return;
  }
  description.facts = std::move(facts_);
  resolution_.description = std::move(description);
}

}  // namespace lockstep::cluster
