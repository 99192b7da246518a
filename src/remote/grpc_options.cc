#include "remote/grpc_options.h"

#include "base/environment.h"

namespace lockstep::remote {

net::GrpcOptions OptionsFor(const std::string& listen, bool trusted_network,
                            const std::string& token) {
  net::GrpcOptions options{.listen = listen, .trusted_network = trusted_network, .token = token};
  if (const auto folder = base::EnvironmentText("LOCKSTEP_CREDENTIALS")) {
    options.credentials = net::ReadCredentials(*folder).OrThrow();
    if (options.token.empty()) options.token = options.credentials->token;
  }
  if (options.token.empty()) {
    options.token = base::EnvironmentText("LOCKSTEP_TOKEN").value_or("");
  }
  // Feeds and results are whole tensors.
  options.longest_message = size_t{2000} << 20;
  return options;
}

}  // namespace lockstep::remote
