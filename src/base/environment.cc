#include "base/environment.h"

#include <unistd.h>

#include <charconv>
#include <string_view>

#include "lockstep/base/status.h"

namespace lockstep::base {

std::map<std::string, std::string> ProcessEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t sign = text.find('=');
    if (sign == std::string_view::npos) continue;
    variables.emplace(text.substr(0, sign), text.substr(sign + 1));
  }
  return variables;
}

std::optional<std::string> EnvironmentText(const std::string& name) {
  const auto variables = ProcessEnvironment();
  const auto place = variables.find(name);
  if (place == variables.end() || place->second.empty()) return {};
  return place->second;
}

std::optional<int64_t> EnvironmentNumber(const std::string& name, int64_t low, int64_t high) {
  const auto text = EnvironmentText(name);
  if (!text) return {};
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < low || number > high) {
    throw Error(Code::kInvalidArgument, "[" + name + "] it must be a number from " +
                                            std::to_string(low) + " to " + std::to_string(high) +
                                            "; got '" + *text + "'");
  }
  return number;
}

}  // namespace lockstep::base
