#include "cli/serve.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/options.h"
#include "lockstep/cluster/cluster_resolver.h"
#include "lockstep/remote/server.h"

namespace lockstep::cli {

CLI::App* AddServe(CLI::App& app, ServeOptions& options) {
  CLI::App* serve = app.add_subcommand(
      "serve", "keep variables and run parts of graphs for sessions, as a task of the cluster");
  serve->add_option("--job", options.job, "[as what describes the cluster says]");
  serve->add_option("--task", options.task, "[the same]")->check(CLI::Range(0, 1 << 20));
  serve->add_flag("--trusted-network", options.trusted_network,
                  "plain connections beyond this machine");
  serve->add_flag("--insecure", options.insecure,
                  "admit every user of this machine; otherwise only processes of this user (they "
                  "find its token by themselves) and those with the same LOCKSTEP_TOKEN");
  return serve;
}

int Serve(const ServeOptions& options) {
  const EnvironmentClusterResolver resolver;
  const ServerOptions serving{.trusted_network = options.trusted_network,
                              .insecure = options.insecure};
  const bool described = resolver.source() != "none";
  if (!described && (!options.job.empty() || options.task >= 0)) {
    throw Error(
        Code::kFailedPrecondition,
        "[serve] --job and --task choose a task of a cluster; got nobody who describes one; "
        "set TF_CONFIG, start it by `lockstep launch`, or leave the flags out");
  }
  const std::string job = options.job.empty() ? resolver.task_type() : options.job;
  const int task = options.task < 0 ? resolver.task_id() : options.task;
  Server server =
      described ? Server(resolver.cluster_spec(), job, task, serving) : Server::Local(serving);
  std::printf("%s %d serves at %s\n", described ? job.c_str() : "localhost", described ? task : 0,
              server.target().c_str());
  std::fflush(stdout);
  server.Join();
  return kDone;
}

}  // namespace lockstep::cli
