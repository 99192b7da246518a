#include "cluster/variables.h"

#include "cluster/address.h"

namespace lockstep::cluster {

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
        "'" + *text + "'", "write " + std::to_string(otherwise));
  return otherwise;
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
