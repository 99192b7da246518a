#include "lockstep/checkpoint/checkpoint.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "base/event_loop.h"
#include "base/file.h"
#include "checkpoint/bundle_file.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/flat_graph.h"

namespace lockstep {

using checkpoint::GraphNode;
using checkpoint::ObjectGraph;

namespace {

constexpr char kSaveCounter[] = "save_counter";

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > 5) text += " and " + std::to_string(names.size() - 5) + " more";
  return text;
}

[[noreturn]] void Unmatched(const std::string& rule, const std::string& got,
                            const std::string& path) {
  throw Error(Code::kFailedPrecondition,
              "[checkpoint] " + rule + "; got " + got + " (" + path + ")");
}

// Goes through the saved graph and the objects side by side.
class Matcher {
 public:
  Matcher(const TensorBundle& bundle, const ObjectGraph& graph, std::string path)
      : bundle_(bundle), graph_(graph) {
    status_.path = std::move(path);
  }

  Result<RestoreStatus> Run(const Trackable& root) {
    Meet(0, root, "");
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Pair pair = pairs_[i];
      for (const TrackedPart& part : pair.object.parts()) {
        const std::string path =
            (pair.path.empty() ? "" : pair.path + "/") + checkpoint::EscapeName(part.name);
        const int node = pair.node < 0 ? -1 : ChildOf(graph_[pair.node], part.name);
        Meet(node, part.object, path);
      }
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadValues());
    NoteTheRest();
    for (const auto& [variable, value] : assignments_) variable.Assign(value);
    status_.restored = static_cast<int64_t>(assignments_.size());
    return std::move(status_);
  }

 private:
  // An object, and its node in the saved graph or -1.
  struct Pair {
    int node;
    Trackable object;
    std::string path;
  };

  static int ChildOf(const GraphNode& node, const std::string& name) {
    for (const auto& child : node.children) {
      if (child.name == name) return child.node;
    }
    return -1;
  }

  // An object that was reached without a node may be reached with one later.
  void Meet(int node, const Trackable& object, const std::string& path) {
    const auto [met, first] = met_.try_emplace(object.identity(), node);
    if (!first && (node < 0 || met->second >= 0)) return;
    met->second = node;
    pairs_.push_back({node, object, path});
  }

  Status ReadValues() {
    std::set<const void*> done;
    for (const Pair& pair : pairs_) {
      const Variable& variable = pair.object.variable();
      if (!variable.defined()) continue;
      const int node = met_.at(pair.object.identity());
      if (!done.insert(pair.object.identity()).second) continue;
      const GraphNode::Value* value =
          node < 0 ? nullptr : graph_[node].Find(checkpoint::kVariableValue);
      if (value == nullptr) {
        status_.missing.push_back(pair.path);
        continue;
      }
      LOCKSTEP_RETURN_IF_ERROR(Take(variable, *value));
    }
    return Status::Ok();
  }

  Status Take(const Variable& variable, const GraphNode::Value& value) {
    LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, bundle_.Read(value.key));
    if (tensor.dtype() != variable.dtype() || !(tensor.shape() == variable.shape())) {
      return Status(Code::kInvalidArgument,
                    "[checkpoint] a saved value has the dtype and shape of its variable; got " +
                        std::string(DTypeName(tensor.dtype())) + tensor.shape().ToString() +
                        " for " + std::string(DTypeName(variable.dtype())) +
                        variable.shape().ToString() + " (" + value.key + " of " + status_.path +
                        "); make the objects as they were saved");
    }
    taken_.insert(value.key);
    assignments_.emplace_back(variable, std::move(tensor));
    return Status::Ok();
  }

  void NoteTheRest() {
    for (const GraphNode& node : graph_) {
      for (const GraphNode::Value& value : node.values) {
        if (taken_.count(value.key) == 0) status_.unused.push_back(value.key);
      }
    }
  }

  const TensorBundle& bundle_;
  const ObjectGraph& graph_;
  RestoreStatus status_;
  std::vector<Pair> pairs_;
  std::map<const void*, int> met_;
  std::set<std::string> taken_;
  std::vector<std::pair<Variable, Tensor>> assignments_;
};

Result<ObjectGraph> ReadGraph(const TensorBundle& bundle, const std::string& path) {
  if (bundle.Find(checkpoint::kObjectGraphName) == nullptr) {
    return Status(Code::kNotFound,
                  "[checkpoint] the checkpoint must hold a graph of objects; got names alone (" +
                      path + "); read them by TensorBundle");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const Tensor bytes, bundle.Read(checkpoint::kObjectGraphName));
  std::optional<ObjectGraph> graph;
  if (bytes.dtype() == DType::kString && bytes.num_elements() == 1)
    graph = checkpoint::DecodeObjectGraph(bytes.data<std::string>()[0]);
  if (!graph) {
    return Status(Code::kDataLoss,
                  "[checkpoint] the graph of objects must be whole; got a damaged "
                  "one (" +
                      path + "); take an earlier checkpoint");
  }
  return *graph;
}

}  // namespace

// Writes bundles on a thread of its own, one at a time.
class Checkpoint::Writer {
 public:
  void Start(std::function<Status()> work) {
    done_ = false;
    thread_.executor().Post([this, work = std::move(work)] {
      const Status status = work();
      std::lock_guard lock(mutex_);
      if (status_.ok()) status_ = status;
      done_ = true;
      finished_.notify_all();
    });
  }
  // The status of what was written since the last call.
  Status Wait() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return done_; });
    return std::exchange(status_, Status::Ok());
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = true;  // guarded by mutex_
  Status status_;     // guarded by mutex_
  base::EventThread thread_;
};

const RestoreStatus& RestoreStatus::AssertConsumed() const {
  AssertExistingObjectsMatched();
  if (!unused.empty())
    Unmatched("every saved value must have been taken", "none for " + Listed(unused), path);
  return *this;
}

const RestoreStatus& RestoreStatus::AssertExistingObjectsMatched() const {
  if (!missing.empty())
    Unmatched("every variable must have a saved value", "none for " + Listed(missing), path);
  return AssertNontrivialMatch();
}

const RestoreStatus& RestoreStatus::AssertNontrivialMatch() const {
  if (restored == 0) Unmatched("a variable must have taken a saved value", "none", path);
  return *this;
}

Checkpoint::Checkpoint(std::vector<TrackedPart> objects)
    : save_counter_(Scalar<int64_t>(0), {.name = kSaveCounter, .trainable = false}) {
  std::sort(objects.begin(), objects.end(),
            [](const TrackedPart& a, const TrackedPart& b) { return a.name < b.name; });
  for (const TrackedPart& part : objects) root_.Add(part.name, part.object);
}

Checkpoint::~Checkpoint() {
  if (writer_) (void)writer_->Wait();
}

std::vector<TrackedPart> Checkpoint::Objects(bool with_counter) const {
  std::vector<TrackedPart> objects = root_.parts();
  const bool there = std::any_of(objects.begin(), objects.end(),
                                 [](const TrackedPart& part) { return part.name == kSaveCounter; });
  if (with_counter && !there) objects.push_back({kSaveCounter, save_counter_});
  return objects;
}

Status Checkpoint::Sync() { return writer_ ? writer_->Wait() : Status::Ok(); }

Status Checkpoint::WriteAnd(const std::string& prefix, const CheckpointOptions& options,
                            bool with_counter, std::function<Status()> then) {
  LOCKSTEP_RETURN_IF_ERROR(Sync());
  const std::vector<TrackedPart> objects = Objects(with_counter);
  const auto flat = checkpoint::Flatten(Trackable([&] { return objects; }));
  std::vector<BundleTensor> tensors;
  for (const auto& [key, variable] : flat.variables) tensors.push_back({key, variable.value(), ""});
  tensors.push_back({checkpoint::kObjectGraphName,
                     Tensor::FromStrings({checkpoint::EncodeObjectGraph(flat.graph)}, Shape{}),
                     ""});
  auto work = [prefix, tensors = std::move(tensors), then = std::move(then)]() -> Status {
    base::FileSystem& files = base::LocalFiles();
    LOCKSTEP_RETURN_IF_ERROR(files.CreateDirectories(checkpoint::DirectoryOf(prefix)));
    LOCKSTEP_RETURN_IF_ERROR(checkpoint::WriteBundle(files, prefix, tensors));
    return then ? then() : Status::Ok();
  };
  const auto write = [&]() -> Status {
    if (!options.enable_async) return work();
    if (!writer_) writer_ = std::make_unique<Writer>();
    writer_->Start([files = base::LocalFiles().ForThread(), work = std::move(work)] {
      const base::FilesScope scope(*files);
      return work();
    });
    return Status::Ok();
  };
  if (!options.on_one) return write();
  try {
    options.on_one(prefix, write);
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

Status Checkpoint::Write(const std::string& prefix, const CheckpointOptions& options) {
  return WriteAnd(prefix, options, /*with_counter=*/false, {});
}

Result<std::string> Checkpoint::Save(const std::string& prefix, const CheckpointOptions& options) {
  save_counter_.AssignAdd(Scalar<int64_t>(1));
  const std::string path = prefix + "-" + std::to_string(save_counter_.value().scalar<int64_t>());
  LOCKSTEP_RETURN_IF_ERROR(WriteAnd(path, options, /*with_counter=*/true, [path] {
    return checkpoint::WriteCheckpointState(
        base::LocalFiles(), checkpoint::DirectoryOf(path),
        {.latest = checkpoint::NameOf(path), .all = {checkpoint::NameOf(path)}});
  }));
  return path;
}

Result<RestoreStatus> Checkpoint::RestoreObjects(const std::string& path, bool with_counter) {
  LOCKSTEP_RETURN_IF_ERROR(Sync());
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::Open(path));
  LOCKSTEP_ASSIGN_OR_RETURN(const ObjectGraph graph, ReadGraph(bundle, path));
  const auto& top = graph[0].children;
  const bool counted = std::any_of(top.begin(), top.end(), [](const GraphNode::Child& child) {
    return child.name == kSaveCounter;
  });
  const std::vector<TrackedPart> objects = Objects(with_counter && counted);
  return Matcher(bundle, graph, path).Run(Trackable([&] { return objects; }));
}

Result<RestoreStatus> Checkpoint::Restore(const std::string& path) {
  return RestoreObjects(path, /*with_counter=*/true);
}

Result<RestoreStatus> Checkpoint::Read(const std::string& path) {
  return RestoreObjects(path, /*with_counter=*/false);
}

}  // namespace lockstep
