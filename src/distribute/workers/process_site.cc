#include "distribute/workers/process_site.h"

namespace lockstep::distribute {

namespace {

// A thread that can open nothing has nobody to tell it to, so that is found out before it begins.
std::unique_ptr<net::Port> OpenPort(base::EventLoop& loop, const net::PortOptions& options) {
  net::HasRoomForRpc().OrThrow();
  return net::Port::Open(loop, options).value();
}

}  // namespace

ProcessSite::ProcessSite(const net::PortOptions& data, const net::GrpcOptions& control)
    : port_(OpenPort(loop_, data)),
      control_(std::make_unique<base::EventThread>()),
      rpc_(net::MakeGrpcRpc(control_->executor(), control).value()) {}

}  // namespace lockstep::distribute
