#include "runtime/session_target.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/partition.h"
#include "runtime/graph_builder.h"
#include "runtime/graph_dot.h"
#include "runtime/random_streams.h"
#include "runtime/session_callable.h"
#include "runtime/shared_object.h"

namespace lockstep::runtime {

namespace {

std::string LocalDevice(int index) {
  return "/job:localhost/replica:0/task:0/device:CPU:" + std::to_string(index);
}

// This process: its devices share one memory, so that a run is one plan.
class LocalTarget : public SessionTarget {
 public:
  explicit LocalTarget(const SessionOptions& options) : options_(options) {}

  graph::PlacementOptions devices() const override {
    graph::PlacementOptions placement{.default_device = LocalDevice(0),
                                      .soft = options_.soft_placement};
    for (int i = 0; i < options_.devices; ++i) placement.devices.push_back(LocalDevice(i));
    return placement;
  }

  std::shared_ptr<SessionRun> Compile(const graph::Graph& part, size_t num_fetches,
                                      SessionMode mode, const RunControl&) override {
    const graph::Graph bound =
        WithResources(part, [this](const Tensor& handle) { return OwnOf(handle); });
    return std::make_shared<SessionCallable>(bound, num_fetches, mode);
  }

 private:
  // What the session has for a handle of the graph; nothing where it is the handle's own.
  Tensor OwnOf(const Tensor& handle) {
    const auto* object = dynamic_cast<const NamedObject*>(handle.object().get());
    return object != nullptr ? ObjectFor(*object) : CellFor(handle);
  }

  // The session's queue or accumulator of a name.
  Tensor ObjectFor(const NamedObject& named) {
    if (!named.of_graph) return Tensor();
    const std::lock_guard lock(mutex_);
    Tensor& own = objects_[{named.kind, named.name}];
    if (!own.defined()) {
      own = Tensor::FromObject(MakeSharedObject(named.kind, named.name, named.spec),
                               DType::kResource, Shape(), DType::kBool);
    }
    return own;
  }

  // The cell of a graph's variable, made when it is first named.
  Tensor CellFor(const Tensor& handle) {
    const GraphVariable* variable = AsGraphVariable(handle);
    if (variable == nullptr) return StreamFor(handle);
    const std::lock_guard lock(mutex_);
    Tensor& cell = cells_[variable];
    if (!cell.defined()) {
      auto made = std::make_shared<VariableCell>(variable->name, handle.element_dtype(),
                                                 handle.shape(), variable->trainable);
      cell = Tensor::FromObject(std::move(made), DType::kResource, handle.shape(),
                                handle.element_dtype());
    }
    return cell;
  }

  // The session's copy of a random op's stream; nothing for other resources.
  Tensor StreamFor(const Tensor& handle) {
    auto* stream = dynamic_cast<VariableCell*>(handle.object().get());
    if (stream == nullptr || !IsRandomStream(*stream)) return Tensor();
    const std::lock_guard lock(mutex_);
    Tensor& cell = cells_[stream];
    if (!cell.defined()) {
      kept_.push_back(handle);
      auto made = std::make_shared<VariableCell>(stream->name(), stream->Read(), false);
      cell = Tensor::FromObject(std::move(made), DType::kResource, handle.shape(),
                                handle.element_dtype());
    }
    return cell;
  }

  const SessionOptions options_;
  std::mutex mutex_;
  std::vector<Tensor> kept_;  // so that the addresses of their objects stay theirs
  std::unordered_map<const TensorObject*, Tensor> cells_;
  std::map<std::pair<std::string, std::string>, Tensor> objects_;  // by kind and name
};

// Filled while the library is loaded.
std::map<std::string, SessionOpener, std::less<>>& Openers() {
  static std::map<std::string, SessionOpener, std::less<>> openers;
  return openers;
}

}  // namespace

RegisterSessionOpener::RegisterSessionOpener(std::string_view scheme, SessionOpener opener) {
  Openers().emplace(std::string(scheme), opener);
}

std::unique_ptr<SessionTarget> OpenSessionTarget(const std::string& target,
                                                 const SessionOptions& options) {
  if (target.empty()) return std::make_unique<LocalTarget>(options);
  const size_t colon = target.find("://");
  const auto opener = Openers().find(target.substr(0, std::min(colon, target.size())));
  if (colon == std::string::npos || opener == Openers().end()) {
    throw Error(Code::kInvalidArgument,
                "[session] a target is \"\", for this process, or lockstep://HOST:PORT; got \"" +
                    target + "\"");
  }
  return opener->second(target, options);
}

}  // namespace lockstep::runtime
