#pragma once

#include <string>

#include "lockstep/base/status.h"

namespace lockstep::net {

/// The secret of this user on this machine, with which processes of one user recognize each other
/// on loopback if no job's token is set: 64 hexadecimal digits in a file that only the user can
/// read. The first caller writes it. The places, of which the first that is usable counts:
///   HOME/.local/state/lockstep/token, where HOME belongs to this user, else the home directory in
///   the system's list of users; XDG_RUNTIME_DIR/lockstep/token; TMPDIR (or
///   /tmp)/lockstep-UID/token.
/// The directory must be this user's with mode 0700, the file with mode 0600, and neither may be a
/// link; so other users can neither read nor plant a token.
/// Errors: PermissionDenied (a directory or file with another owner or mode), Unavailable (no place
/// can be written).
Result<std::string> UserToken();

/// A token for calls to one address, derived from `token` by HMAC-SHA256: a program that listens
/// there and receives it learns nothing about the tokens of other addresses. Of "host:port" only
/// the port counts, because a host has several names.
std::string TokenFor(const std::string& token, const std::string& address);

}  // namespace lockstep::net
