#include "base/environment.h"

#include <unistd.h>

#include <string_view>

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

}  // namespace lockstep::base
