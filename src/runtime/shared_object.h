#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/status.h"
#include "runtime/graph_builder.h"

namespace lockstep::runtime {

/// Something that clients of a task share beside variables, and whose ops may wait for what others
/// do with it: a queue, an accumulator of gradients. Threads: all members from any.
class SharedObject : public TensorObject {
 public:
  /// Called once, with no lock held: by `Start` itself, or by whoever ends the wait.
  using Done = std::function<void(Result<std::vector<Tensor>>)>;
  using Ticket = uint64_t;
  /// Begins an op of it; `inputs` are those behind the handle. Gives what `Cancel` takes; 0 where
  /// it is over.
  virtual Ticket Start(std::string_view op, const ops::Attributes& attributes,
                       const std::vector<Tensor>& inputs, Done done) = 0;
  /// Ends a wait, as if it had never been: what it has taken goes back. `done` gets Cancelled,
  /// unless it has been called.
  virtual void Cancel(Ticket ticket) = 0;

 protected:
  // What is told when no lock is held any more.
  struct Ended {
    Done done;
    Result<std::vector<Tensor>> result;
  };
  static void Tell(std::vector<Ended>* ended) {
    for (Ended& one : *ended) one.done(std::move(one.result));
  }
};

/// What makes one of what its handle says. Errors: InvalidArgument.
using SharedObjectMaker = std::shared_ptr<SharedObject> (*)(const std::string& name,
                                                            const ops::Attributes& spec);
/// At namespace scope: `const RegisterSharedObject kQueue("queue", MakeQueue);`
struct RegisterSharedObject {
  RegisterSharedObject(std::string_view kind, SharedObjectMaker maker);
};
/// Errors: InvalidArgument for a kind that is not known.
std::shared_ptr<SharedObject> MakeSharedObject(const std::string& kind, const std::string& name,
                                               const ops::Attributes& spec);

/// One as handles name it: eagerly it is `own`; one that was made in a graph is one of each session
/// of this process, which starts empty; and on another task it is what that one keeps under its
/// name. Source: each direct session of TensorFlow has resources of its own.
class NamedObject : public GraphResource {
 public:
  std::string kind;
  ops::Attributes spec;
  std::shared_ptr<SharedObject> own;
  bool of_graph = false;
};
/// A handle of a new one, whose ops are where the scopes say that are open. Errors:
/// InvalidArgument.
Tensor MakeNamedObject(const std::string& kind, const std::string& name,
                       const ops::Attributes& spec);
/// What ops with this handle act on, or nullptr where it is no handle of such an object.
SharedObject* SharedObjectOf(const Tensor& handle);

/// Shape rules of such ops: something to fetch where there is nothing to give, a count, and what
/// `ElementTypes` says.
std::vector<ops::TensorType> InferDone(const ops::InferenceContext& context);
std::vector<ops::TensorType> InferCount(const ops::InferenceContext& context);
std::vector<ops::TensorType> InferElements(const ops::InferenceContext& context);

/// Registers an op whose first input is such a handle. It is ordered among those that touch the
/// world outside, and a run with one that writes variables, too, is relaxed.
struct RegisterSharedOp {
  RegisterSharedOp(std::string_view name, ops::InferFunction infer);
};

/// Waits for the end of an op. Ends early, by throwing, when the run has to end, or a signal wants
/// it.
std::vector<Tensor> CarryOut(SharedObject& object, std::string_view op,
                             const ops::Attributes& attributes, const std::vector<Tensor>& inputs);
}  // namespace lockstep::runtime
