#include "cli/cert.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/options.h"
#include "net/certificates.h"

namespace lockstep::cli {

CLI::App* AddCert(CLI::App& app, CertOptions& options) {
  CLI::App* cert = app.add_subcommand(
      "cert", "make the keys by which the tasks of a job on several machines know each other");
  cert->add_option("--out", options.out, "a directory for the keys; none is ever replaced")
      ->required();
  cert->add_option("--hosts", options.hosts,
                   "names and addresses of the machines, for other programs that check them")
      ->delimiter(',');
  cert->add_option("--days", options.days, "how long the keys are valid")
      ->check(CLI::Range(1, 36500))
      ->capture_default_str();
  return cert;
}

int Cert(const CertOptions& options) {
  const net::Credentials made =
      net::MakeCredentials({.hosts = options.hosts, .days = options.days}).OrThrow();
  net::WriteCredentials(made, options.out).OrThrow();
  std::printf(
      "%s: ca.pem, server.pem, server.key, client.pem, client.key, token; for %d days.\n"
      "Every task of the job needs this folder; who has it can join the job.\n",
      options.out.c_str(), options.days);
  return 0;
}

}  // namespace lockstep::cli
