#include "lockstep/runtime/control_flow.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "graph/tracer.h"
#include "lockstep/graph/device.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/branches.h"
#include "runtime/graph_builder.h"
#include "runtime/loop.h"

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

// The branches as calls that give nothing; `join`, and `give` of the number of a branch.
Tensors CallJoined(const Tensor& predicate, nb::object then, nb::object otherwise, nb::object join,
                   nb::object give) {
  const auto part = [](nb::object function) {
    return [held = Held(std::move(function))] {
      const nb::gil_scoped_acquire lock;
      held.get()();
    };
  };
  const auto results = [held = Held(std::move(give))](int branch) {
    const nb::gil_scoped_acquire lock;
    return TensorsOf(held.get()(branch));
  };
  const auto yes = part(std::move(then)), no = part(std::move(otherwise));
  const auto both = part(std::move(join));
  return Unlocked([&] { return runtime::JoinBranches(predicate, yes, no, both, results); });
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

// Its last variables, then all values of each (`EmitRecordedLoop`).
Tensors CallRecorded(nb::object condition, nb::object body, const Tensors& variables,
                     std::vector<Shape> invariants) {
  const auto holds = TensorFunction(std::move(condition));
  const auto step = TensorFunction(std::move(body));
  const WhileOptions options{.shape_invariants = std::move(invariants)};
  return Unlocked([&] {
    return runtime::EmitRecordedLoop([&](const Tensors& values) { return holds(values).at(0); },
                                     step, variables, options);
  });
}

Tensors CallRows(const Tensor& rows, nb::object function) {
  const auto row = TensorFunction(std::move(function));
  return Unlocked(
      [&] { return runtime::EmitRows(rows, [&](const Tensor& i) { return row({i}); }); });
}

// A Python context: opened by __enter__, closed by __exit__.
class Control {
 public:
  Control(Tensors tensors, std::vector<Operation> operations)
      : tensors_(std::move(tensors)), operations_(std::move(operations)) {}
  void Enter() {
    scope_ = std::make_unique<ControlDependencies>(tensors_);
    of_operations_ = std::make_unique<ControlDependencies>(operations_);
  }
  void Exit() {
    of_operations_.reset();
    scope_.reset();
  }

 private:
  Tensors tensors_;
  std::vector<Operation> operations_;
  std::unique_ptr<ControlDependencies> scope_, of_operations_;
};

// What a Python function of devices is asked about.
struct AskedOp {
  std::string type;
  std::string device;
  std::optional<std::pair<DType, Shape>> variable;
};

DeviceFunction DeviceFunctionOf(nb::object function) {
  return [held = Held(std::move(function))](const OpToPlace& op) {
    const nb::gil_scoped_acquire lock;
    AskedOp asked{std::string(op.op), std::string(op.device), {}};
    if (op.is_variable()) asked.variable = {op.dtype, op.shape};
    return nb::cast<std::string>(held.get()(std::move(asked)));
  };
}

// A device's name, a function that gives one, or None.
class Device {
 public:
  explicit Device(nb::object of) : of_(std::move(of)) {}
  void Enter() {
    if (of_.is_none()) {
      scope_ = std::make_unique<lockstep::Device>(nullptr);
    } else if (nb::isinstance<nb::str>(of_)) {
      scope_ = std::make_unique<lockstep::Device>(nb::cast<std::string>(of_));
    } else {
      scope_ = std::make_unique<lockstep::Device>(DeviceFunctionOf(of_));
    }
  }
  void Exit() { scope_.reset(); }

 private:
  nb::object of_;
  std::unique_ptr<lockstep::Device> scope_;
};

}  // namespace

void BindControlFlow(nb::module_& m) {
  m.def("cond", &CallCond);
  m.def("join_branches", &CallJoined);
  m.def("while_loop", &CallWhile);
  m.def("recorded_loop", &CallRecorded);
  m.def("row_loop", &CallRows);
  m.def("group", &Group, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<Control>(m, "Control")
      .def(nb::init<Tensors, std::vector<Operation>>(), nb::arg(),
           nb::arg() = std::vector<Operation>())
      .def("enter", &Control::Enter)
      .def("exit", &Control::Exit);
  nb::class_<AskedOp>(m, "AskedOp")
      .def_ro("type", &AskedOp::type)
      .def_ro("device", &AskedOp::device)
      .def_ro("variable", &AskedOp::variable);
  nb::class_<Device>(m, "Device")
      .def(nb::init<nb::object>(), nb::arg().none())
      .def("enter", &Device::Enter)
      .def("exit", &Device::Exit);
}

}  // namespace lockstep::python
