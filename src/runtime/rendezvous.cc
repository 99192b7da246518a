#include "runtime/rendezvous.h"

namespace lockstep::runtime {

Rendezvous::~Rendezvous() { Abort(Status(Code::kCancelled, "[rendezvous] the step is over")); }

Status Rendezvous::Send(const std::string& key, const Tensor& value) {
  std::unique_lock lock(mutex_);
  if (!aborted_.ok()) return aborted_;
  Queue& queue = queues_[key];
  if (queue.waiters.empty()) {
    queue.values.push_back(value);
    return Status::Ok();
  }
  const Waiter waiter = std::move(queue.waiters.front());
  queue.waiters.pop_front();
  lock.unlock();
  waiter.executor->Post([done = waiter.done, value] { done(value); });
  return Status::Ok();
}

void Rendezvous::Receive(const std::string& key, base::Executor& executor, OnValue done) {
  std::unique_lock lock(mutex_);
  if (!aborted_.ok()) {
    executor.Post([done = std::move(done), status = aborted_] { done(status); });
    return;
  }
  Queue& queue = queues_[key];
  if (queue.values.empty()) {
    queue.waiters.push_back({&executor, std::move(done)});
    return;
  }
  const Tensor value = queue.values.front();
  queue.values.pop_front();
  lock.unlock();
  executor.Post([done = std::move(done), value] { done(value); });
}

void Rendezvous::Abort(const Status& status) {
  std::map<std::string, Queue> dropped;
  {
    std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = status;
    dropped.swap(queues_);
  }
  for (auto& [key, queue] : dropped) {
    for (Waiter& waiter : queue.waiters) {
      waiter.executor->Post([done = std::move(waiter.done), status] { done(status); });
    }
  }
}

AsynchronousOp Rendezvous::SendOp(base::Executor& executor) {
  return [this, &executor](const graph::Node& node, const std::vector<Tensor>& inputs,
                           OnTensors done) {
    const Status status = Send(node.attributes.Get<std::string>("key"), inputs[0]);
    executor.Post([status, done = std::move(done)] {
      done(status.ok() ? Result<std::vector<Tensor>>(std::vector<Tensor>{})
                       : Result<std::vector<Tensor>>(status));
    });
  };
}

AsynchronousOp Rendezvous::ReceiveOp(base::Executor& executor) {
  return [this, &executor](const graph::Node& node, const std::vector<Tensor>&, OnTensors done) {
    Receive(node.attributes.Get<std::string>("key"), executor,
            [done = std::move(done)](Result<Tensor> value) {
              done(value.ok() ? Result<std::vector<Tensor>>(std::vector<Tensor>{*value})
                              : Result<std::vector<Tensor>>(value.status()));
            });
  };
}

}  // namespace lockstep::runtime
