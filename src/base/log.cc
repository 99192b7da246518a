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
    const char* wanted = std::getenv("LOCKSTEP_LOG");
    made->set_level(wanted == nullptr ? spdlog::level::info : spdlog::level::from_str(wanted));
    return made;
  }();
  return *logger;
}

}  // namespace

void Log(Severity severity, std::string_view text) { Logger().log(LevelOf(severity), "{}", text); }

}  // namespace lockstep::base
