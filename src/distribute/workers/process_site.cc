#include "distribute/workers/process_site.h"

namespace lockstep::distribute {

ProcessSite::ProcessSite(const net::PortOptions& data, const net::GrpcOptions& control)
    : port_(net::Port::Open(loop_, data).value()),
      control_(std::make_unique<base::EventThread>()),
      rpc_(net::MakeGrpcRpc(control_->executor(), control).value()) {}

}  // namespace lockstep::distribute
