#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep flight` was asked for.
struct FlightArguments {
  std::vector<std::string> files;
  int records = 20;  // to print of each task
};

/// `lockstep flight FILE...`: its flags, and what it does.
CLI::App* AddFlight(CLI::App& app, FlightArguments& arguments);
/// Prints what flight recorders have written, and where their tasks part. Throws InvalidArgument or
/// NotFound, naming the file.
int Flight(const FlightArguments& arguments);

/// What it prints. The files of one job, one of each task.
std::string DescribeFlights(const std::vector<std::string>& texts, int records);

}  // namespace lockstep::cli
