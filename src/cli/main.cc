#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/end_task.h"
#include "cli/cert.h"
#include "cli/checkpoint.h"
#include "cli/doctor.h"
#include "cli/events.h"
#include "cli/flight.h"
#include "cli/launch.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/race.h"
#include "cli/serve.h"
#include "cli/top.h"
#include "cli/train_flags.h"
#include "cli/verify.h"
#include "cluster/launch/keeper.h"
#include "lockstep/base/status.h"

namespace {

namespace base = lockstep::base;
namespace cli = lockstep::cli;

const CLI::App& CommandOf(const CLI::App& app, const std::string& name) {
  std::string names;
  std::vector<std::string> all;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == name) return *one;
    if (one->get_group().empty()) continue;
    names += (names.empty() ? "" : ",") + one->get_name();
    all.push_back(one->get_name());
  }
  throw CLI::ValidationError("command",
                             name + " not in {" + names + "}" + cli::DidYouMean(name, all));
}

bool HasCommands(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Names a command that there is not, before the parser misses one.
void RequireCommands(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc && argv[i][0] != '-' && HasCommands(*command); ++i)
    command = &CommandOf(*command, argv[i]);
}

// Of "checkpoint", "ls".
std::string HelpOf(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  std::string before;
  for (const std::string& name : names) {
    before += (before.empty() ? "" : " ") + command->get_name();
    command = &CommandOf(*command, name);
  }
  return command->help(before);
}

// CLI11 takes what follows a flag that it does not know for the program, and then blames the rest.
// The flag, and what was probably meant; empty if all are known.
std::string UnknownFlag(const CLI::App& app, int argc, char** argv) {
  const auto parsed = app.get_subcommands();
  for (int i = 2; !parsed.empty() && i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    const std::string flag = word.substr(0, word.find('='));
    if (!flag.starts_with("--") || parsed.front()->get_option_no_throw(flag) != nullptr) continue;
    std::vector<std::string> flags;
    for (const CLI::Option* option : parsed.front()->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    return flag + cli::DidYouMean(flag, flags);
  }
  return "";
}

// A result that nobody could read is a failure.
int WithOutputWritten(int status) {
  std::cout.flush();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return status;
  const char* why = flushed || errno == 0 ? "an earlier fault" : std::strerror(errno);
  std::fprintf(stderr, "lockstep: the output could not be written (stdout): %s\n", why);
  return status == cli::kDone ? cli::kFailed : status;
}

// The commands: what parses each one's flags, and what it does then.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {
    Add(cli::AddTrain, cli::Train);
    Add(cli::AddCert, cli::Cert);
    Add(cli::AddLaunch, cli::Launch);
    Add(cli::AddDoctor, cli::Doctor);
    Add(cli::AddVerify, cli::Verify);
    Add(cli::AddCheckpoint, cli::Checkpoint);
    Add(cli::AddRace, cli::Race);
    Add(cli::AddServe, cli::Serve);
    Add(cli::AddFlight, cli::Flight);
    Add(cli::AddTop, cli::Top);
    Add(cli::AddEvents, cli::Events);
    Add(AddKeep, lockstep::cluster::RunKeeper);
    Add(AddHelp, Print);
  }

  /// Carries out the one that was parsed; returns the exit status.
  int CarryOut() const {
    const auto parsed = std::find_if(all_.begin(), all_.end(),
                                     [](const Command& one) { return one.parser->parsed(); });
    return parsed->carry_out();
  }

 private:
  struct Command {
    const CLI::App* parser;
    std::function<int()> carry_out;
  };

  template <typename Arguments, typename CarryOut>
  void Add(CLI::App* (*add)(CLI::App&, Arguments&), CarryOut carry_out) {
    const auto arguments = std::make_shared<Arguments>();
    const CLI::App* parser = add(app_, *arguments);
    all_.push_back({parser, [arguments, carry_out] { return carry_out(*arguments); }});
  }

  static CLI::App* AddKeep(CLI::App& app, std::string& host) {
    CLI::App* keep = app.add_subcommand("keep", "what `launch` runs beside each task")->group("");
    keep->add_option("--host", host)->required();
    return keep;
  }

  struct Help {
    std::vector<std::string> names;
    std::string text;
  };

  static CLI::App* AddHelp(CLI::App& app, Help& help) {
    CLI::App* command = app.add_subcommand("help", "print this, or what a command takes");
    command->add_option("command", help.names, "train, launch, checkpoint ls, ...");
    command->callback([&app, &help] {
      // The program's own help() is that of the command that was parsed: of `help`.
      help.text = help.names.empty()
                      ? app.get_formatter()->make_help(&app, "lockstep", CLI::AppFormatMode::Normal)
                      : HelpOf(app, help.names);
    });
    return command;
  }

  static int Print(const Help& help) {
    std::printf("%s", help.text.c_str());
    return cli::kDone;
  }

  CLI::App& app_;
  std::vector<Command> all_;
};

}  // namespace

int main(int argc, char** argv) {
  // A file that grows over its limit (ulimit -f) then fails to be written, with its name. Not
  // SIG_IGN, which programs that are started would inherit.
  std::signal(SIGXFSZ, [](int) {});
  base::EndTaskOnTerminate();
  CLI::App app("Lockstep: the same bits on any number of devices", "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  const Commands commands(app);
  try {
    RequireCommands(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    const std::string flag = UnknownFlag(app, argc, argv);
    if (flag.empty()) return app.exit(error), cli::kBadUsage;
    std::fprintf(stderr, "there is no flag %s\nRun with --help for more information.\n",
                 flag.c_str());
    return cli::kBadUsage;
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return WithOutputWritten(status == 0 ? cli::kDone : cli::kBadUsage);
  }
  try {
    return WithOutputWritten(commands.CarryOut());
  } catch (const std::exception& error) {
    // Static objects wait for threads, which may need memory.
    if (base::IsExhaustion(std::current_exception())) {
      std::fflush(stdout);
      base::EndTask(std::current_exception());
    }
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return cli::kFailed;
  }
}
