#include "cli/flight.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "base/printf.h"
#include "cli/options.h"
#include "collectives/flight_log.h"

namespace lockstep::cli {
namespace {

using collectives::FlightLog;
using collectives::FlightRecord;

constexpr const char* kStates[] = {"running", "done", "failed"};

bool IsControl(char letter) {
  return static_cast<unsigned char>(letter) < ' ' && letter != '\n' && letter != '\t';
}

std::string LineOf(const FlightRecord& record) {
  std::string line = base::Printf("%12.6f s  ", std::chrono::duration<double>(record.age).count());
  switch (record.what) {
    case FlightRecord::What::kPhase:
      return line + collectives::PhasePlace(record.phase);
    case FlightRecord::What::kAbort:
      return line + "epoch " + std::to_string(record.epoch) + " was aborted";
    case FlightRecord::What::kCall:
      break;
  }
  line += NameOf(record);
  if (record.dtype != DType::kInvalid)
    line += ", " + std::string(DTypeName(record.dtype)) + "[" + std::to_string(record.count) + "]";
  return line + ", at " + record.file + ":" + std::to_string(record.line) + ": " +
         kStates[static_cast<size_t>(record.state)];
}

}  // namespace

std::string DescribeFlights(const std::vector<std::string>& texts, int records) {
  std::vector<std::optional<FlightLog>> logs;
  uint64_t epoch = 0;
  for (const std::string& text : texts) {
    FlightLog log = collectives::ParseFlightLog(text).OrThrow();
    // The last epoch in which anything was called: a task may have entered the next one.
    for (const FlightRecord& record : log.records)
      if (record.what == FlightRecord::What::kCall) epoch = std::max(epoch, record.epoch);
    const auto rank = static_cast<size_t>(log.rank);
    logs.resize(std::max(logs.size(), static_cast<size_t>(log.num_ranks)));
    if (logs[rank])
      throw Error(Code::kInvalidArgument,
                  "[flight] there must be one file of each task; got two of worker " +
                      std::to_string(rank));
    logs[rank] = std::move(log);
  }
  const std::string difference = FirstDifference(logs, epoch);
  std::string text = (difference.empty() ? "nobody waits for anybody" : difference) + "\n";
  for (const auto& log : logs) {
    if (!log) continue;
    text += "worker " + std::to_string(log->rank) + " of " + std::to_string(log->num_ranks) +
            ", epoch " + std::to_string(log->epoch) + ", the newest last:\n";
    const auto count = std::min(log->records.size(), static_cast<size_t>(records));
    for (size_t i = log->records.size() - count; i < log->records.size(); ++i)
      text += LineOf(log->records[i]) + "\n";
  }
  return text;
}

CLI::App* AddFlight(CLI::App& app, FlightArguments& arguments) {
  CLI::App* flight = app.add_subcommand(
      "flight", "print what flight recorders have written, and where their tasks part");
  flight->add_option("files", arguments.files, "FILE.RANK of each task of the job")
      ->required()
      ->check(CLI::ExistingFile);
  flight->add_option("--records", arguments.records, "how many of each task")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  return flight;
}

int Flight(const FlightArguments& arguments) {
  std::vector<std::string> texts;
  for (const std::string& file : arguments.files) {
    texts.push_back(base::ReadWholeFile(base::LocalFiles(), file).OrThrow());
    // A message about a line of another file would bring its bytes to the terminal.
    if (std::any_of(texts.back().begin(), texts.back().end(), IsControl))
      throw Error(Code::kInvalidArgument,
                  "[flight] a flight recorder's file is a text; got other bytes (" + file +
                      "); name FILE.RANK of LOCKSTEP_FLIGHT_RECORDER=FILE");
  }
  std::printf("%s", DescribeFlights(texts, arguments.records).c_str());
  return kDone;
}

}  // namespace lockstep::cli
