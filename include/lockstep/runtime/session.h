#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/runtime/graph.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

namespace runtime {
class SessionState;
struct PreparedRun;
}  // namespace runtime

/// A value for a tensor of the graph, for one run; any tensor may be fed, not placeholders alone.
struct Feed {
  Fetch what;
  Tensor value;
};
using Feeds = std::vector<Feed>;

/// What other runs may see of a run, and it of them.
enum class Consistency {
  /// As if runs took place one after another: values of variables that a run only reads are those
  /// of one moment, and those that it writes belong to it from begin to end.
  kSerializable,
  /// The same, for a run that writes nothing: it never keeps another one waiting.
  /// FailedPrecondition
  /// for a run that writes.
  kSnapshot,
  /// TensorFlow's rules: each op is atomic, other runs may come in between two ops.
  kRelaxed,
};

/// Ends runs from outside: give it to them, and call `Cancel` from any thread.
class Cancellation {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_release); }
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> cancelled_{false};
};

struct RunOptions {
  /// DeadlineExceeded after this; 0: never. Looked at before the run, while it waits for variables,
  /// and between the steps of control flow; a kernel that runs is not torn out of its work.
  std::chrono::nanoseconds timeout{0};
  /// Cancelled when it says so, at the same places.
  std::shared_ptr<Cancellation> cancellation = {};
  Consistency consistency = Consistency::kSerializable;
  /// Carries ops out one by one, and fills the metadata's `ops`, in this process; the same bits.
  bool trace = false;
  /// Fills the metadata's `partition_graphs`.
  bool partition_graphs = false;
};

/// What a run tells of itself.
struct RunMetadata {
  struct Op {
    std::string name;
    std::string op;
    std::string device;
    int64_t start_nanoseconds = 0;  // since the run began
    int64_t nanoseconds = 0;
    int64_t output_bytes = 0;
  };
  std::vector<Op> ops;
  /// The most bytes of values made by ops that were there at a time; of a run with `trace`.
  int64_t peak_bytes = 0;
  /// By device: what it ran, in the language of Graphviz, and as a binary GraphDef.
  struct PartitionGraph {
    std::string device;
    std::string dot;
    std::string graph_def;
  };
  std::vector<PartitionGraph> partition_graphs;
  /// Of each variable that the run only read: which version it saw.
  struct VersionRead {
    std::string variable;
    uint64_t version = 0;
  };
  std::vector<VersionRead> versions_read;
  /// `ops` as events for chrome://tracing.
  std::string TimelineJson() const;
};

struct SessionOptions {
  /// The thread's default graph where it is not given.
  std::shared_ptr<Graph> graph = {};
  /// How many devices this process has: /device:CPU:0, ...; for placement, as they share a memory.
  int devices = 1;
  /// An op may be on another device of the task that it asks for, where the one is not there.
  bool soft_placement = true;
  /// Plain connections to servers beyond this machine, in a network that is private.
  bool trusted_network = false;
  /// Logs where each op is put, and why, when it is first run.
  bool log_placement = false;
  /// How long a server of the cluster that has not been heard of yet is waited for, as its tasks
  /// start in any order; then Unavailable. One that was there and is not any more is told at once.
  std::chrono::nanoseconds patience = std::chrono::seconds(60);
  /// Of a cluster's devices only those that match one of these names ("/job:ps", parts may be
  /// missing) are used, and those of the target's own task; empty: all.
  std::vector<std::string> device_filters = {};
  /// How many threads of this process compute for a run; 0: those of the calling thread's strategy,
  /// or one for each core that the process may use.
  int threads = 0;
};

/// Runs parts of a graph. Variables of the graph have a value in each session, and none before
/// their initializer has run. Copying copies the reference.
///
/// A run computes what its fetches and targets need, each op at most once, and nothing else. It is
/// compiled the first time that the same is asked for with feeds of the same types, and kept. A run
/// that fails leaves all variables as they were.
/// Errors: FailedPrecondition (a closed session, a variable without a value, a run that writes
/// under kSnapshot), InvalidArgument (a tensor of another graph, a feed that does not fit, a
/// placeholder without one), NotFound (a name), DeadlineExceeded, Cancelled, and what ops throw;
/// texts name the op. Threads: all members may be called from any thread. Source:
/// tf.compat.v1.Session.
class Session {
 public:
  /// Targets: "" for this process; "lockstep://host:port" for the cluster of the server there, with
  /// the variables that its tasks keep. LOCKSTEP_TOKEN and LOCKSTEP_CREDENTIALS are as those of the
  /// servers.
  explicit Session(const std::string& target = "", const SessionOptions& options = {});
  explicit Session(const Graph& graph) : Session("", {std::make_shared<Graph>(graph)}) {}

  /// Forgets all variables, queues and graphs that the servers of a cluster keep, whose they are;
  /// their sessions find variables without values. Nothing for this process, whose sessions have
  /// variables of their own. Errors: Unavailable. Source: tf.compat.v1.Session.reset.
  static void Reset(const std::string& target, const SessionOptions& options = {});

  /// One tensor a fetch, undefined for an op.
  std::vector<Tensor> Run(const std::vector<Fetch>& fetches, const Feeds& feeds = {},
                          const std::vector<Fetch>& targets = {}, const RunOptions& options = {},
                          RunMetadata* metadata = nullptr, Place place = Place::Current()) const;
  /// The value of one tensor.
  Tensor Eval(const Fetch& fetch, const Feeds& feeds = {}, Place place = Place::Current()) const {
    return Run({fetch}, feeds, {}, {}, nullptr, place)[0];
  }

  /// A run that is prepared: nothing is looked up when it is called. Its arguments are the values
  /// of `feeds`, in their order.
  class Callable {
   public:
    std::vector<Tensor> operator()(std::span<const Tensor> values = {},
                                   const RunOptions& options = {}, RunMetadata* metadata = nullptr,
                                   Place place = Place::Current()) const;

   private:
    friend class Session;
    std::shared_ptr<runtime::SessionState> session_;
    std::shared_ptr<runtime::PreparedRun> prepared_;
  };
  Callable MakeCallable(const std::vector<Fetch>& fetches, const std::vector<Fetch>& feeds = {},
                        const std::vector<Fetch>& targets = {}) const;

  /// Later runs are refused, and those under way end with Cancelled where they can.
  void Close(Place place = Place::Current()) const;
  bool closed() const;
  Graph graph() const;
  /// Full names of all devices that ops may be on.
  std::vector<std::string> devices() const;
  const std::string& target() const;
  /// The graph's variables that have no value in this session, by name. Source:
  /// tf.compat.v1.report_uninitialized_variables.
  std::vector<std::string> UninitializedVariables() const;
  /// Where each op is that has been run, and why: "v (VarHandleOp) on /job:ps/replica:0/task:0/
  /// device:CPU:0: its device scope says /job:ps".
  std::vector<std::string> PlacementLog() const;
  /// How many different runs have been compiled.
  int num_compiled() const;

 private:
  std::shared_ptr<runtime::SessionState> state_;
};

}  // namespace lockstep
