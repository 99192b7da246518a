#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/quickest_way.h"
#include "distribute/servers/coordinator_state.h"
#include "lockstep/runtime/variable.h"

namespace lockstep::distribute {

/// A traced step as workers carry it out. What it only adds to some variables, such as the sums of
/// metrics, it gives back instead: whoever takes it adds it, in an order of his own.
class ScheduledStep {
 public:
  using Function = std::shared_ptr<const remote::DispatchedFunction>;

  /// `graph` names variables of the coordinator's servers, and `sums`. Errors: InvalidArgument,
  /// naming it, for another variable.
  ScheduledStep(const CoordinatorState& state, const graph::Graph& graph, const std::string& name,
                const std::vector<Variable>& sums);

  const Function& function() const { return function_; }
  /// Adds what a call has given for the sums, and takes it off `results`.
  void AddTo(class HeldSums* sums, std::vector<Tensor>* results) const;

  /// Lets several workers compute the step together, where it can be divided over leaves of the
  /// batch that begin at `offsets`.
  void Divide(const CoordinatorState& state, const std::vector<int64_t>& offsets);
  struct Part {
    Function function;
    int64_t first = 0;  // example of the batch
    int64_t examples = 0;
    std::vector<size_t> gives;  // by result: which of the rest's arguments it is
  };
  /// Several; or none, where it is not divided.
  const std::vector<Part>& parts() const { return parts_; }
  const Function& rest() const { return rest_; }
  /// The whole by one worker first, the parts and the rest second.
  base::QuickestWay& ways() { return ways_; }

 private:
  std::vector<size_t> added_;  // which sum each of the last results is for, in the step's order
  graph::Graph graph_;
  std::string name_;
  Function function_, rest_;
  std::vector<Part> parts_;
  base::QuickestWay ways_{2, {base::QuickestWay::kTries, 200, 200}};
};

/// The values of some variables while this process adds to them, so that none is a call of a
/// server.
class HeldSums {
 public:
  explicit HeldSums(const std::vector<Variable>& variables);
  void Add(size_t variable, const Tensor& delta);
  /// Gives the variables their values.
  void Write();

 private:
  const std::vector<Variable> variables_;
  std::vector<Tensor> values_;
  std::vector<char> changed_;
};

/// Calls of steps that are under way on a coordinator's workers, seen from one thread.
class StepQueue {
 public:
  struct Options {
    /// How many may be under way; 0: enough for all workers to be busy.
    int64_t most = 0;
    /// So many others may take place at most between the beginning of a call and its end; -1: any
    /// number.
    int64_t staleness = -1;
    /// Results are taken in the order of the calls; else as they come.
    bool in_order = false;
  };
  using Take = std::function<void(std::vector<Tensor>)>;

  StepQueue(CoordinatorState& state, const Options& options);
  /// Waits for what is under way, whatever it gives.
  ~StepQueue();
  StepQueue(const StepQueue&) = delete;
  StepQueue& operator=(const StepQueue&) = delete;

  int64_t under_way() const { return static_cast<int64_t>(calls_.size()); }
  /// Until there is room for another call, waits for those under way, and calls their `take`s.
  /// Errors: what a call has thrown, when no other one is under way any more.
  void WaitForRoom();
  /// Gives `step` to the next free worker, once there is room; a step that is divided to several,
  /// where that takes less time.
  void Add(const std::shared_ptr<ScheduledStep>& step, std::vector<Tensor> arguments, Take take);
  /// Waits for all. Errors: as `WaitForRoom`.
  void Finish();

 private:
  struct Arrived {
    runtime::Arrivals numbers;
    std::mutex mutex;
    std::map<uint64_t, remote::Dispatcher::Results> results;  // guarded by mutex
  };
  struct Call {
    Take take;
    int64_t others = 0;  // that may take place while it is under way
  };
  bool HasRoom() const;
  void Send(const ScheduledStep::Function& function, std::vector<Tensor> arguments, Take take);
  void SendParts(const std::shared_ptr<ScheduledStep>& step, const std::vector<Tensor>& arguments,
                 Take take);
  void TakeNext();
  void Deliver();

  CoordinatorState& state_;
  const Options options_;
  const int64_t most_;
  const std::shared_ptr<Arrived> arrived_ = std::make_shared<Arrived>();
  uint64_t next_ = 0;
  std::map<uint64_t, Call> calls_;                           // that have not been taken
  std::map<uint64_t, remote::Dispatcher::Results> waiting_;  // that have come before their turn
  bool failed_ = false;
};

}  // namespace lockstep::distribute
