#include "lockstep/runtime/variable.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <source_location>

#include "distribute/distributed_variable.h"
#include "python/bind.h"
#include "python/convert.h"
#include "python/site.h"
#include "runtime/variable_state.h"

namespace lockstep::python {

namespace {

Variable MakeVariable(nb::object initial, std::string name, std::optional<bool> trainable,
                      int synchronization, int aggregation, bool copies) {
  const VariableOptions options{.name = std::move(name),
                                .trainable = trainable,
                                .synchronization = VariableSynchronization(synchronization),
                                .aggregation = VariableAggregation(aggregation),
                                .copies = copies};
  if (nb::isinstance<Tensor>(initial)) {
    const Tensor value = nb::cast<Tensor>(initial);
    return Unlocked([&] { return Variable(value, options); });
  }
  const Held held(initial);
  const std::function<Tensor()> make = [held] {
    const nb::gil_scoped_acquire lock;
    return Arg{held.get()()}.Strong();
  };
  return Unlocked([&] { return Variable(make, options); });
}

template <auto kMethod>
Tensor Assign(const Variable& variable, const Tensor& value) {
  const ops::KnownSite site(PythonSite());
  return Unlocked([&] { return (variable.*kMethod)(value, std::source_location::current()); });
}

// The values of a strategy's replicas in this process, one each; one for other variables.
std::vector<Tensor> Copies(const Variable& variable) {
  const auto* own = dynamic_cast<const distribute::DistributedVariable*>(&variable.state());
  if (own == nullptr || own->cells().size() == 1) return {variable.value()};
  std::vector<Tensor> values;
  for (size_t r = 0; r < own->cells().size(); ++r) {
    values.push_back(own->CopyOf(static_cast<int>(r)).value());
  }
  return values;
}

}  // namespace

void BindVariable(nb::module_& m) {
  nb::class_<Variable>(m, "Variable")
      .def_static("make", &MakeVariable, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
                  nb::arg(),
                  nb::arg() = false)
      .def_static("apart",  // of this process alone, whatever scope is open
                  [](const Tensor& value, std::string name) {
                    return Unlocked([&] {
                      const runtime::VariableCreatorScope plain(nullptr);
                      return Variable(value, {.name = std::move(name), .trainable = false});
                    });
                  })
      .def_prop_ro("key", [](const Variable& v) { return reinterpret_cast<intptr_t>(&v.state()); })
      .def_prop_ro("name", &Variable::name)
      .def_prop_ro("dtype", [](const Variable& v) { return static_cast<int>(v.dtype()); })
      .def_prop_ro("shape", &Variable::shape)
      .def_prop_ro("trainable", &Variable::trainable)
      .def_prop_ro("synchronization",
                   [](const Variable& v) { return static_cast<int>(v.options().synchronization); })
      .def_prop_ro("aggregation",
                   [](const Variable& v) { return static_cast<int>(v.options().aggregation); })
      .def_prop_ro("version", &Variable::version)
      .def_prop_ro("handle", [](const Variable& v) { return v.handle(); })
      .def("value",
           [](const Variable& v) {
             const ops::KnownSite site(PythonSite());
             return Unlocked([&] { return v.value(); });
           })
      .def("assign", &Assign<&Variable::Assign>)
      .def("assign_add", &Assign<&Variable::AssignAdd>)
      .def("assign_sub", &Assign<&Variable::AssignSub>)
      .def(
          "compare_and_assign",
          [](const Variable& v, const Tensor& expected, const Tensor& desired) {
            return v.CompareAndAssign(expected, desired);
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "scatter",
          [](const Variable& v, int kind, const Tensor& indices, const Tensor& updates) {
            return v.Scatter(static_cast<ScatterKind>(kind), indices, updates);
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("strategy_id",  // None for a variable of no strategy
                   [](const Variable& v) -> std::optional<uint64_t> {
                     const auto* own =
                         dynamic_cast<const distribute::DistributedVariable*>(&v.state());
                     if (own == nullptr) return std::nullopt;
                     return own->strategy_id();
                   })
      .def("copies", [](const Variable& v) { return Unlocked([&] { return Copies(v); }); })
      .def("describe", &Variable::ToString);
}

}  // namespace lockstep::python
