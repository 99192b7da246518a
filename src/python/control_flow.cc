#include "lockstep/runtime/control_flow.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "graph/tracer.h"
#include "lockstep/graph/device.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/graph_builder.h"

namespace lockstep::python {

namespace {

std::function<Tensors()> Branch(nb::object function) {
  return [held = Held(std::move(function))] {
    const nb::gil_scoped_acquire lock;
    return TensorsOf(held.get()());
  };
}

Tensors CallCond(const Tensor& predicate, nb::object then, nb::object otherwise) {
  const auto yes = Branch(std::move(then)), no = Branch(std::move(otherwise));
  return Unlocked([&] { return Cond(predicate, yes, no); });
}

Tensors CallWhile(nb::object condition, nb::object body, const Tensors& variables,
                  int64_t maximum_iterations, std::vector<Shape> invariants) {
  const auto holds = TensorFunction(std::move(condition));
  const auto step = TensorFunction(std::move(body));
  const WhileOptions options{.maximum_iterations = maximum_iterations,
                             .shape_invariants = std::move(invariants)};
  return Unlocked([&] {
    return WhileLoop([&](const Tensors& values) { return holds(values).at(0); }, step, variables,
                     options);
  });
}

// A Python context: opened by __enter__, closed by __exit__.
class Control {
 public:
  explicit Control(Tensors tensors) : tensors_(std::move(tensors)) {}
  void Enter() { scope_ = std::make_unique<ControlDependencies>(tensors_); }
  void Exit() { scope_.reset(); }

 private:
  Tensors tensors_;
  std::unique_ptr<ControlDependencies> scope_;
};

// The device of the ops that are traced inside; without effect eagerly.
class Device {
 public:
  explicit Device(std::string name) : name_(std::move(name)) {}
  void Enter() {
    tracer_ = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
    if (tracer_ != nullptr) tracer_->PushDevice(name_);
    // Variables of a graph ask the scopes of the thread. Names that are none are the processor.
    if (dynamic_cast<runtime::GraphTracer*>(tracer_) == nullptr) return;
    if (DeviceSpec::Parse(name_).ok()) scope_ = std::make_unique<lockstep::Device>(name_);
  }
  void Exit() {
    scope_.reset();
    if (tracer_ != nullptr) tracer_->PopDevice();
    tracer_ = nullptr;
  }

 private:
  std::string name_;
  graph::Tracer* tracer_ = nullptr;
  std::unique_ptr<lockstep::Device> scope_;
};

}  // namespace

void BindControlFlow(nb::module_& m) {
  m.def("cond", &CallCond);
  m.def("while_loop", &CallWhile);
  m.def("group", &Group, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<Control>(m, "Control")
      .def(nb::init<Tensors>())
      .def("enter", &Control::Enter)
      .def("exit", &Control::Exit);
  nb::class_<Device>(m, "Device")
      .def(nb::init<std::string>())
      .def("enter", &Device::Enter)
      .def("exit", &Device::Exit);
}

}  // namespace lockstep::python
