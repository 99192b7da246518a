#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "base/executor.h"
#include "runtime/segmented_program.h"

namespace lockstep::runtime {

/// Where the parts of one step meet: a value is put under a key by its sender and taken by its
/// receiver, whichever comes first; values and receivers of one key are served in order. A value is
/// a reference to an immutable tensor, so nothing assigned after the send shows in it. Source: TF
/// core/framework/rendezvous.h. Threads: all members may be called from any thread; receivers are
/// called on their executor.
class Rendezvous {
 public:
  using OnValue = std::function<void(Result<Tensor>)>;
  ~Rendezvous();

  /// Never waits. The status of an abort when there was one.
  Status Send(const std::string& key, const Tensor& value);
  void Receive(const std::string& key, base::Executor& executor, OnValue done);
  /// Ends the step: all who wait, and all who come later, get `status`; values not taken are
  /// dropped. Only the first abort counts.
  void Abort(const Status& status);

  /// Carry out the ops _Send and _Recv of a partitioned graph.
  AsynchronousOp SendOp(base::Executor& executor);
  AsynchronousOp ReceiveOp(base::Executor& executor);

 private:
  struct Waiter {
    base::Executor* executor;
    OnValue done;
  };
  struct Queue {
    std::deque<Tensor> values;
    std::deque<Waiter> waiters;
  };
  std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  Status aborted_;
};

}  // namespace lockstep::runtime
