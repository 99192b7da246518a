#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/distribute/dataset.h"
#include "lockstep/distribute/replica_context.h"
#include "lockstep/distribute/values.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

namespace base {
class Team;
}
namespace distribute {
class Communicator;
}

/// A replica's program: gets the replica's arguments, gives its results.
using ReplicaFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct TrainOptions {
  /// Shards a replica; 0: as `Fit` chooses them from the batch.
  int shards = 0;
  /// Called after each step with the number of steps done and what the body gave.
  std::function<void(int64_t, const std::vector<Tensor>&)> on_step = {};
};

/// What `Strategy::Train` did.
struct TrainResult {
  int64_t steps = 0;
  /// What the body gave in the last step.
  std::vector<Tensor> last;
};

/// Who computes: how many replicas a program has, which is part of its meaning, and how many
/// devices and threads carry them out, which changes nothing but the time. Source:
/// tf.distribute.Strategy.
class Strategy {
 public:
  virtual ~Strategy();
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// R: over how many replicas a global batch is divided. Never depends on the machine.
  int num_replicas_in_sync() const { return replicas_; }
  /// Over how many devices the work is spread.
  int num_devices() const { return devices_; }
  /// How many processes compute together, and which of them this is; 1 and 0 where there is one.
  /// A parameter server is none of them: its `worker()` is -1.
  int num_workers() const;
  int worker() const;
  /// Lets worker 0 alone do `work`, such as writing a file; the others wait for it, and all throw
  /// its error. All call it alike.
  void OnChief(const std::function<Status()>& work);
  /// Lets one of the workers that come here with one `path` do `work`, which writes it; the others
  /// wait until it stands. Not all need to come: each worker may have a path of its own, or one
  /// alone has any. Errors: of `work`, thrown on whom they befall.
  void OnOne(const std::string& path, const std::function<Status()>& work);
  const std::string& name() const { return name_; }
  /// Expires when the strategy ends, for who refers to it.
  std::weak_ptr<const void> lifetime() const { return lifetime_; }
  /// What programs that are traced for the strategy keep, so that it does not end before them, is
  /// what `owner` gives. Without it the caller sees to that.
  void set_owner(std::function<std::shared_ptr<const void>()> owner) { owner_ = std::move(owner); }
  std::shared_ptr<const void> owner() const { return owner_ ? owner_() : nullptr; }
  /// Where the only copy of each variable is, for a strategy that keeps one in any case; else "".
  const std::string& parameter_device() const { return parameter_device_; }

  /// While it lives, models and variables made by this thread belong to the strategy, and ops run
  /// on its devices. FailedPrecondition when another strategy's scope is open.
  class Scope {
   public:
    explicit Scope(Strategy& strategy);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    struct State;
    std::unique_ptr<State> state_;
  };
  [[nodiscard]] Scope scope() { return Scope(*this); }

  /// Calls `function` once for each replica, with the replica's entry of each argument; gives each
  /// replica's results. Eagerly the replicas run one at a time, in their order between meetings;
  /// while a function is traced, the replica's program is traced once and devices run it for their
  /// replicas side by side: the same bits. `function` takes tensors and gives a tensor, or nothing;
  /// or takes and gives vectors of them. An eager tape around `Run` sees what all replicas do, and
  /// what their meetings are made of; one around a traced `Run` is refused when it is asked.
  /// Errors: what a replica throws; FailedPrecondition when replicas do not meet alike, or inside
  /// of a replica.
  template <typename F, typename... Arguments>
  auto Run(const F& function, const Arguments&... arguments) {
    if constexpr (std::is_invocable_v<F, std::vector<Tensor>> && sizeof...(Arguments) == 1) {
      return RunWith(function, arguments...);
    } else {
      return RunTensors(function, std::index_sequence_for<Arguments...>(),
                        {static_cast<PerReplica>(arguments)...});
    }
  }
  std::vector<PerReplica> RunAll(const ReplicaFunction& function,
                                 const std::vector<PerReplica>& arguments);

  /// One value from all replicas: with `axis`, elements along it are added inside each replica
  /// first; MEAN divides by the number of contributions, with `axis` by the number of elements, so
  /// that uneven batches weigh by their size. A value that is the same for all: MEAN gives it back.
  /// Empty entries are skipped. Errors: FailedPrecondition in replica context; InvalidArgument
  /// when shapes differ, or for the SUM of one value over several replicas.
  Tensor Reduce(ReduceOp op, const PerReplica& value, std::optional<int> axis);
  /// The replicas' values one after another along `axis`. Errors: as `Reduce`; InvalidArgument for
  /// scalars; Unimplemented for indexed slices.
  Tensor Gather(const PerReplica& value, int axis);
  /// Which replicas this process computes, [first, last): all of them where it is alone. They
  /// change with the workers.
  std::pair<int, int> LocalReplicas() const;
  /// The values of this process's replicas; of a value that is the same for all, that one.
  std::vector<Tensor> LocalResults(const PerReplica& value) const;
  /// The value for every replica. Source: extended.broadcast_to.
  PerReplica BroadcastTo(const Tensor& value) const;
  /// Calls `function` on each copy of `variable`, whose handle it names then: once for a variable
  /// with one value. Arguments per replica are picked by copy. Source: extended.update.
  void Update(const Variable& variable,
              const std::function<void(const Variable&, const std::vector<Tensor>&)>& function,
              const std::vector<PerReplica>& arguments = {});

  /// The shares of the replicas of a global batch of n examples: each takes the next ceil(n / R)
  /// rows of each tensor, so that the last ones have fewer or none. Source:
  /// experimental_distribute_dataset.
  std::vector<PerReplica> Split(const std::vector<Tensor>& batch) const;
  /// Global batches, each divided by `Split`.
  DistributedDataset DistributeDataset(BatchSourceFactory batches) const;
  /// The parts that the input is asked for, each of which feeds as many replicas, in their order.
  /// One for all replicas of a process; over several processes one a replica, which no change of
  /// the workers touches (TensorFlow: one a worker), and all workers know all of them; where each
  /// worker takes steps of its own, the worker's.
  std::vector<InputContext> InputPipelines() const;
  /// Batches that are a replica's already: `function` is asked for each of the `InputPipelines`,
  /// and a step takes one batch for each replica from its pipeline; replicas for which none is left
  /// get batches without examples.
  DistributedDataset DistributeDatasetsFromFunction(
      const std::function<BatchSourceFactory(const InputContext&)>& function) const;
  PerReplica DistributeValuesFromFunction(
      const std::function<Tensor(const ValueContext&)>& function) const;

  /// Takes `steps` batches (-1: all) and runs `body` on each, traced once for each shape of a
  /// batch, in cross-replica context. The batch is cut into replicas and shards as `Fit` cuts it
  /// when the body can be followed along axis 0. The end of the batches begins the next pass.
  /// Under an asynchronous ParameterServerStrategy each worker takes batches for itself; then
  /// `on_step` is called on the worker that has computed a step, and passes must be alike.
  /// Errors: what the body throws; InvalidArgument when tensors of a batch disagree on axis 0.
  TrainResult Train(const BatchSourceFactory& batches, int64_t steps,
                    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                    const TrainOptions& options = {});

  /// The lanes of all devices; strategies of one process with equally many share them.
  base::Team& team();
  /// Different for every strategy of a process.
  uint64_t id() const { return id_; }
  /// The other workers; nullptr where there are none.
  distribute::Communicator* ranks() const { return ranks_.get(); }

 protected:
  enum class Pipelines { kOne, kEachReplica, kThisWorker };
  /// `threads_per_device`: 0 for the devices' shares of all cores, at least 1 each.
  Strategy(std::string name, int replicas, int devices, int threads_per_device);
  Pipelines pipelines_ = Pipelines::kOne;
  std::shared_ptr<distribute::Communicator> ranks_;
  std::string parameter_device_;

 private:
  template <typename F, size_t... kIndex>
  auto RunTensors(const F& function, std::index_sequence<kIndex...>,
                  const std::vector<PerReplica>& arguments) {
    return RunWith([&](const std::vector<Tensor>& own) { return function(own[kIndex]...); },
                   arguments);
  }
  template <typename F>
  auto RunWith(const F& function, const std::vector<PerReplica>& arguments) {
    using R = std::invoke_result_t<const F&, const std::vector<Tensor>&>;
    if constexpr (std::is_void_v<R>) {
      RunAll(
          [&](const std::vector<Tensor>& own) {
            function(own);
            return std::vector<Tensor>();
          },
          arguments);
    } else if constexpr (std::is_convertible_v<R, Tensor>) {
      return RunAll(
          [&](const std::vector<Tensor>& own) {
            return std::vector<Tensor>{static_cast<Tensor>(function(own))};
          },
          arguments)[0];
    } else {
      return RunAll(function, arguments);
    }
  }

  const uint64_t id_;
  std::string name_;
  std::shared_ptr<const char> lifetime_ = std::make_shared<char>();
  int replicas_;
  int devices_;
  std::function<std::shared_ptr<const void>()> owner_;
  std::shared_ptr<base::Team> team_;  // null: the default team
};

struct MirroredOptions {
  /// Devices of this process; 0: the number of cores, or of names.
  int devices = 0;
  /// R; see `Strategy::num_replicas_in_sync`. 0: one a name, 1 without names.
  int replicas = 0;
  /// 0: 1 if `devices` is given; else the device's share of the cores, at least 1.
  int threads_per_device = 0;
  /// "CPU:0", "CPU:1", ...: each one a device, and a replica on it. InvalidArgument when one occurs
  /// twice.
  std::vector<std::string> device_names = {};
};

/// Replicas of one process that stay equal: every weight has one value, gradients are summed over
/// replicas by the canonical tree. Source: tf.distribute.MirroredStrategy; without accelerators it
/// has one replica by default there too.
class MirroredStrategy : public Strategy {
 public:
  explicit MirroredStrategy(const MirroredOptions& options = {});
};

struct CentralStorageOptions {
  /// Devices of this process that compute; 0: the number of cores, or of names.
  int devices = 0;
  /// R; see `Strategy::num_replicas_in_sync`. 0: one a name, 1 without names.
  int replicas = 0;
  /// As `MirroredOptions::threads_per_device`.
  int threads_per_device = 0;
  /// As `MirroredOptions::device_names`.
  std::vector<std::string> compute_devices = {};
  /// "": the compute device if one is named, else CPU:0.
  std::string parameter_device = {};
};

/// Variables on one device, compute on others. Every variable has one copy whatever its
/// synchronization, so a replica can't hold a value of its own: assigning in a replica needs an
/// aggregation (InvalidArgument without), and is applied once. Sums follow the canonical tree, so
/// the bits are those of `MirroredStrategy`. Source: tf.distribute.experimental
/// .CentralStorageStrategy.
class CentralStorageStrategy : public Strategy {
 public:
  explicit CentralStorageStrategy(const CentralStorageOptions& options = {});
};

struct MultiWorkerOptions {
  /// Devices of each worker; 0: LOCKSTEP_DEVICES, else its share of the cores of its host.
  int devices = 0;
  /// R; see `Strategy::num_replicas_in_sync`. 0: one a worker, as in TensorFlow without
  /// accelerators.
  int replicas = 0;
  /// 0: 1, because there are as many devices as cores.
  int threads_per_device = 0;
};

/// Mirrored over several processes: all run the same program, each computes some of the leaves of
/// each batch and some rows of each update, and all end with the same bits, which are those of one
/// process. Source: tf.distribute.MultiWorkerMirroredStrategy.
class MultiWorkerMirroredStrategy : public Strategy {
 public:
  /// The workers that the environment describes (TF_CONFIG, `lockstep launch`, Slurm, MPI, ...),
  /// once all of them are there. Errors: InvalidArgument with all mistakes of the description and
  /// the corrected form; DeadlineExceeded with who is missing; what transports and membership say.
  explicit MultiWorkerMirroredStrategy(const MultiWorkerOptions& options = {});
  /// For transports that are connected already.
  MultiWorkerMirroredStrategy(std::shared_ptr<distribute::Communicator> workers,
                              const MultiWorkerOptions& options = {});
};

/// One replica on one device, which has all cores that the process may use, or `threads` lanes.
/// Source: tf.distribute.OneDeviceStrategy.
class OneDeviceStrategy : public Strategy {
 public:
  explicit OneDeviceStrategy(int threads = 0);
};

/// The strategy whose scope is open on this thread, else the default one (one replica, this
/// thread).
Strategy& GetStrategy();
/// Whether a scope is open on this thread.
bool HasStrategy();

}  // namespace lockstep
