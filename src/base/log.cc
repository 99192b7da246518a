#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string>

namespace lockstep::base {

namespace {

spdlog::level::level_enum LevelOf(Severity severity) {
  switch (severity) {
    case Severity::kDebug:
      return spdlog::level::debug;
    case Severity::kInfo:
      return spdlog::level::info;
    case Severity::kWarning:
      return spdlog::level::warn;
    case Severity::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>(
        "lockstep", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%^[%H:%M:%S.%e %l]%$ %v");
    const char* given = std::getenv("LOCKSTEP_LOG");
    const std::string wanted = given == nullptr || *given == '\0' ? "info" : given;
    auto level = spdlog::level::from_str(wanted);
    // spdlog takes every other word for "off", and would be silent about it.
    const bool unknown = level == spdlog::level::off && wanted != "off";
    if (unknown) level = spdlog::level::info;
    made->set_level(level);
    if (unknown) {
      made->warn(
          "[LOCKSTEP_LOG] it must be debug, info, warning, error or off; got '{}'; info is "
          "taken",
          wanted);
    }
    return made;
  }();
  return *logger;
}

}  // namespace

void Log(Severity severity, std::string_view text) { Logger().log(LevelOf(severity), "{}", text); }

}  // namespace lockstep::base
