#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

struct EventsArguments {
  std::string command;  // ls, merge, tail
  std::string directory;
  std::string out;
  std::string tag;
  int lines = 20;
  bool json = false;
};
CLI::App* AddEvents(CLI::App& app, EventsArguments& arguments);

/// `lockstep events`. Returns the exit status.
int Events(const EventsArguments& arguments);

}  // namespace lockstep::cli
