#pragma once

#include <string>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep::net {

/// What a task needs to prove that it belongs to a job and to check that others do, as PEM texts.
struct Credentials {
  std::string authority;  // the certificate of the job's own authority
  std::string server_certificate;
  std::string server_key;
  std::string client_certificate;
  std::string client_key;
  std::string token;
};

/// The name that every certificate of a job carries and that callers ask for: who holds a key of
/// the job is trusted wherever it runs.
inline constexpr char kJobName[] = "lockstep.job";

struct CertificateOptions {
  /// Names and addresses of machines, for other programs that check them.
  std::vector<std::string> hosts;
  int days = 365;
};

/// Makes an authority and, signed by it, a key for serving and one for calling, and a random token.
Result<Credentials> MakeCredentials(const CertificateOptions& options = {});
/// Writes ca.pem, server.pem, server.key, client.pem, client.key and token; the keys and the token
/// can be read by their owner only. The authority's key is not kept. AlreadyExists: never replaces.
Status WriteCredentials(const Credentials& credentials, const std::string& directory);
/// Errors: NotFound naming the missing file, PermissionDenied for a key that others can read,
/// InvalidArgument for files that do not belong together, certificates that are not valid now, and
/// an empty token.
Result<Credentials> ReadCredentials(const std::string& directory);

}  // namespace lockstep::net
