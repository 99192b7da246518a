#pragma once

#include <string>

#include "net/grpc_rpc.h"

namespace lockstep::remote {

/// Who listens at `listen`, with what LOCKSTEP_CREDENTIALS and LOCKSTEP_TOKEN say; `token`, where
/// it is given, comes before the latter. Errors: those of net::ReadCredentials.
net::GrpcOptions OptionsFor(const std::string& listen, bool trusted_network,
                            const std::string& token);

}  // namespace lockstep::remote
