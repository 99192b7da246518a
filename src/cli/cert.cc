#include "cli/cert.h"

#include <cstdio>

#include "cli/options.h"
#include "net/certificates.h"

namespace lockstep::cli {

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
