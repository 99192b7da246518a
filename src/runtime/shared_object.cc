#include "runtime/shared_object.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "graph/device_scope.h"
#include "runtime/element_types.h"
#include "runtime/host_ops.h"
#include "runtime/run_control.h"
#include "runtime/waiting.h"

namespace lockstep::runtime {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

// Filled while the library is loaded.
std::map<std::string, SharedObjectMaker, std::less<>>& Makers() {
  static std::map<std::string, SharedObjectMaker, std::less<>> makers;
  return makers;
}

struct Ending {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<std::vector<Tensor>>> result;
};

// Throws when the wait has to end.
void Look() {
  if (const RunControl* control = RunControl::Current()) control->Check().OrThrow();
  LookWhileWaiting();
}

}  // namespace

RegisterSharedObject::RegisterSharedObject(std::string_view kind, SharedObjectMaker maker) {
  const bool fresh = Makers().emplace(std::string(kind), maker).second;
  LOCKSTEP_CHECK(fresh);
}

std::shared_ptr<SharedObject> MakeSharedObject(const std::string& kind, const std::string& name,
                                               const ops::Attributes& spec) {
  const auto maker = Makers().find(kind);
  if (maker == Makers().end()) {
    throw Error(Code::kInvalidArgument,
                "[session] a task keeps queues and accumulators; got '" + name + "', a " + kind);
  }
  return maker->second(name, spec);
}

Tensor MakeNamedObject(const std::string& kind, const std::string& name,
                       const ops::Attributes& spec) {
  auto object = std::make_shared<NamedObject>();
  object->name = name;
  object->device = graph::DeviceForObject(kind);
  object->kind = kind;
  object->spec = spec;
  object->own = MakeSharedObject(kind, name, spec);
  object->of_graph = GraphState::Current() != nullptr;
  return Tensor::FromObject(std::move(object), DType::kResource, Shape(), DType::kBool);
}

namespace {

std::vector<Tensor> RunSharedOp(const ops::OpSpec& spec, const ops::Attributes& attributes,
                                const std::vector<Tensor>& inputs) {
  SharedObject* object = SharedObjectOf(inputs[0]);
  if (object == nullptr) {
    throw Error(Code::kInvalidArgument,
                "[" + spec.name +
                    "] the first input is the handle of a queue or an accumulator; "
                    "got another resource");
  }
  return CarryOut(*object, spec.name, attributes, {inputs.begin() + 1, inputs.end()});
}

}  // namespace

std::vector<ops::TensorType> InferDone(const ops::InferenceContext&) {
  return {{DType::kBool, Shape(), DType::kBool}};
}

std::vector<ops::TensorType> InferCount(const ops::InferenceContext&) {
  return {{DType::kInt32, Shape(), DType::kInt32}};
}

std::vector<ops::TensorType> InferElements(const ops::InferenceContext& context) {
  return ElementTypes(context.attributes);
}

RegisterSharedOp::RegisterSharedOp(std::string_view name, ops::InferFunction infer) {
  ops::OpRegistry::Global().Register(
      {.name = std::string(name), .infer = infer, .effects = {.external = true}});
  RegisterHostOp(name, {.function = RunSharedOp, .outside = true, .waits = true});
}

SharedObject* SharedObjectOf(const Tensor& handle) {
  if (!handle.defined() || handle.dtype() != DType::kResource) return nullptr;
  if (const auto* named = dynamic_cast<const NamedObject*>(handle.object().get())) {
    return named->own.get();
  }
  return dynamic_cast<SharedObject*>(handle.object().get());
}

std::vector<Tensor> CarryOut(SharedObject& object, std::string_view op,
                             const ops::Attributes& attributes, const std::vector<Tensor>& inputs) {
  const auto ending = std::make_shared<Ending>();
  const SharedObject::Ticket ticket =
      object.Start(op, attributes, inputs, [ending](Result<std::vector<Tensor>> result) {
        const std::lock_guard lock(ending->mutex);
        ending->result = std::move(result);
        ending->changed.notify_all();
      });
  std::unique_lock lock(ending->mutex);
  while (!ending->result) {
    if (ending->changed.wait_for(lock, kBetweenLooks, [&] { return ending->result.has_value(); }))
      break;
    lock.unlock();
    try {
      Look();
    } catch (...) {
      object.Cancel(ticket);
      throw;
    }
    lock.lock();
  }
  return std::move(*ending->result).OrThrow();
}

}  // namespace lockstep::runtime
