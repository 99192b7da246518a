#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/cluster/cluster_spec.h"
#include "lockstep/data/dataset.h"
#include "lockstep/distribute/dataset.h"
#include "lockstep/distribute/parameter_server_mode.h"
#include "lockstep/distribute/partitioners.h"
#include "lockstep/distribute/sharded_variable.h"
#include "lockstep/runtime/function.h"

namespace lockstep {

namespace distribute {
class CoordinatorState;
class RemoteState;
class PerWorkerState;
struct PerWorkerFunction;
}  // namespace distribute

/// When what a scheduled function writes takes place.
enum class Effects {
  /// At its end, all or nothing, and once, however often workers die.
  kExactlyOnce,
  /// Op by op; what a worker has done before it died is done again by the next one. TensorFlow's.
  kImmediate
};

enum class ServerChoice { kRoundRobin, kBySize };

struct CoordinatorOptions {
  /// On which server the next variable of the scope is: each in turn, or that with the fewest
  /// bytes.
  ServerChoice servers = ServerChoice::kRoundRobin;
  /// Cuts `ShardedVariable`s of the scope.
  Partitioner partitioner = {};
  Effects effects = Effects::kExactlyOnce;
  /// Of `Fit`, for models that are made in the scope: how many steps are under way at a time.
  ParameterServerMode mode = ParameterServerMode::Asynchronous();
  /// How many functions may wait; `Schedule` waits when there are more. 0: any number.
  size_t queue_bound = 0;
  /// How long functions wait while no worker is there.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  /// How long the constructor waits for the servers of variables.
  std::chrono::milliseconds connecting = std::chrono::seconds(60);
  /// As `ServerOptions::trusted_network`.
  bool trusted_network = false;
};

/// What a scheduled function will give. Copying copies the reference. Threads: any. Source:
/// tf.distribute.experimental.coordinator.RemoteValue.
class RemoteValue {
 public:
  enum class State { kNotReady, kReady, kAborted };
  State state() const;
  /// Waits for the results. Errors: what the function has thrown, with the worker and the line that
  /// has scheduled it; Cancelled where another one failed first.
  std::vector<Tensor> Fetch() const;
  /// The only result. InvalidArgument for none or several.
  Tensor Get() const;

 private:
  friend class ClusterCoordinator;
  std::shared_ptr<distribute::RemoteState> state_;
};

/// Values that each worker has of its own. Source: tf.distribute.experimental.coordinator's
/// PerWorkerValues.
class PerWorkerValues {
 public:
  size_t size() const;

 private:
  friend class ClusterCoordinator;
  std::shared_ptr<distribute::PerWorkerFunction> function_;
};

/// A place in a dataset for each worker. The chief reads the elements, and sends them along with
/// the functions that take them.
class PerWorkerIterator {
 public:
  /// In a function that is scheduled: the next element of the worker that carries it out. Errors:
  /// FailedPrecondition elsewhere, and inside of a branch or loop of the graph. At the end of the
  /// data the function fails: OutOfRange.
  Element Next() const;

 private:
  friend class PerWorkerDataset;
  std::shared_ptr<distribute::PerWorkerState> state_;
};

/// The whole dataset for each worker. Source: ClusterCoordinator.create_per_worker_dataset.
class PerWorkerDataset {
 public:
  PerWorkerIterator Iterator() const;

 private:
  friend class ClusterCoordinator;
  std::function<Dataset(const InputContext&)> make_;
};

/// The chief of a cluster whose other tasks run `lockstep serve` (or `Server::Join`): variables
/// made in its scope live on the servers of job "ps", and functions that it schedules are carried
/// out by the tasks of job "worker". Each worker that is free takes the next function; a function
/// whose worker dies goes to another one, and workers may come back. Functions that overwrite a
/// variable that they read follow one another; what others write is added whole, each function's
/// together, and what they have read may be older then. Errors: InvalidArgument (a cluster without
/// servers or workers), Unavailable (a server of variables that does not answer in time; named).
/// Threads: all members from any thread. Source: tf.distribute.coordinator.ClusterCoordinator.
class ClusterCoordinator {
 public:
  explicit ClusterCoordinator(const ClusterSpec& cluster, const CoordinatorOptions& options = {});
  /// "lockstep://host:port" of any task.
  explicit ClusterCoordinator(const std::string& target, const CoordinatorOptions& options = {});
  /// Ends functions that run, and frees the variables that were made in the scope.
  ~ClusterCoordinator();
  ClusterCoordinator(ClusterCoordinator&&) noexcept;

  /// While it lives, variables that the calling thread makes are on the servers, where `Device`
  /// scopes do not say on which. The chief may read and assign them, too: each op, `Update` and
  /// function that it calls is a run of its own on the servers.
  class Scope {
   public:
    explicit Scope(const ClusterCoordinator& coordinator);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    struct Scopes;
    std::unique_ptr<Scopes> scopes_;
  };
  [[nodiscard]] Scope scope() const { return Scope(*this); }

  /// A tensor, or what each worker has of its own.
  class Argument {
   public:
    Argument(const Tensor& value) : value_(value) {}                          // NOLINT
    Argument(const Variable& variable) : value_(variable.value()) {}          // NOLINT
    Argument(const PerWorkerValues& values) : function_(values.function_) {}  // NOLINT

   private:
    friend class distribute::CoordinatorState;
    Tensor value_;
    std::shared_ptr<distribute::PerWorkerFunction> function_;
  };
  /// Lets the next free worker carry out `function`, which is traced here, in the scope, once for
  /// each signature. Does not wait, but for room in the queue. Errors: that of an earlier function;
  /// what tracing throws.
  RemoteValue Schedule(const Function& function, const std::vector<Argument>& arguments = {},
                       Place place = Place::Current()) const;
  /// Waits until nothing is left to do. Throws the first error since the last call that has thrown
  /// one, when all else is cancelled; the coordinator may be used again then. Unavailable, naming
  /// them, when all workers were gone for longer than the patience.
  void Join() const;
  /// Whether nothing is left to do. Throws as `Join`.
  bool Done() const;
  static std::vector<std::vector<Tensor>> Fetch(const std::vector<RemoteValue>& values);

  /// `make` is called here once for each worker, and again for one that was started again.
  PerWorkerDataset CreatePerWorkerDataset(std::function<Dataset(const InputContext&)> make) const;
  PerWorkerDataset CreatePerWorkerDataset(const Dataset& dataset) const;
  /// What `function` gives on each worker, made there before the first function that takes it.
  PerWorkerValues CreatePerWorkerValues(const Function& function,
                                        Place place = Place::Current()) const;

  int num_workers() const;
  int num_servers() const;
  const CoordinatorOptions& options() const;

 private:
  friend class Scope;
  std::shared_ptr<distribute::CoordinatorState> state_;
};

}  // namespace lockstep
