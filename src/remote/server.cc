#include "lockstep/remote/server.h"

#include "base/event_loop.h"
#include "base/randomness.h"
#include "remote/grpc_options.h"
#include "remote/roads.h"
#include "remote/worker.h"
#include "runtime/await.h"

namespace lockstep {

struct Server::Serving {
  base::EventThread thread;
  base::SystemRandomness randomness;
  std::unique_ptr<net::Rpc> rpc;
  std::unique_ptr<remote::Roads> to_others;
  std::unique_ptr<remote::Worker> worker;
  std::unique_ptr<remote::RoadServer> roads;
  std::string target;
  bool stopped = false;
};

Server::Server(const ClusterSpec& cluster, const std::string& job, int task,
               const ServerOptions& options)
    : serving_(std::make_unique<Serving>()) {
  net::GrpcOptions grpc =
      remote::OptionsFor(cluster.task_address(job, task), options.trusted_network, options.token);
  grpc.insecure = options.insecure;
  Status status;
  runtime::RunOn(serving_->thread.executor(), [&] {
    auto rpc = net::MakeGrpcRpc(serving_->thread.executor(), grpc);
    status = rpc.status();
    if (!rpc.ok()) return;
    serving_->rpc = std::move(*rpc);
    remote::WorkerOptions own{.job = job, .index = task};
    for (const auto& [name, tasks] : cluster.as_dict()) {
      for (const auto& [index, address] : tasks) {
        const bool self = name == job && index == task;
        own.tasks.push_back({name, index, self ? serving_->rpc->address() : address});
      }
    }
    serving_->to_others = std::make_unique<remote::Roads>(*serving_->rpc, serving_->thread.loop(),
                                                          serving_->randomness, /*attaches=*/true);
    serving_->worker = std::make_unique<remote::Worker>(*serving_->to_others, serving_->randomness,
                                                        std::move(own));
    serving_->roads = std::make_unique<remote::RoadServer>(
        *serving_->rpc, serving_->thread.loop(),
        [worker = serving_->worker.get()](net::Rpc& road) { worker->Serve(road); });
  });
  status.OrThrow();
  serving_->target = "lockstep://" + serving_->rpc->address();
}

Server Server::Local(const ServerOptions& options) {
  return Server(ClusterSpec({{"localhost", {"127.0.0.1:0"}}}), "localhost", 0, options);
}

Server::Server(Server&&) noexcept = default;

Server::~Server() {
  if (serving_ != nullptr) Stop();
}

const std::string& Server::target() const { return serving_->target; }

void Server::Join() { serving_->thread.Join(); }

void Server::Stop() {
  if (std::exchange(serving_->stopped, true)) return;
  runtime::RunOn(serving_->thread.executor(), [this] {
    serving_->roads.reset();
    serving_->worker.reset();
    serving_->to_others.reset();
    serving_->rpc.reset();
  });
  serving_->thread.loop().Stop();
}

}  // namespace lockstep
