#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "graph/tracer.h"
#include "lockstep/runtime/function.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/body_tracer.h"

namespace lockstep::python {

namespace {

// A function that is traced once, for parameters of which some sizes are not known; what was traced
// is compiled anew for each size.
class SpecFunction {
 public:
  SpecFunction(nb::object body, const std::vector<std::pair<int, Shape>>& types,
               const std::string& name)
      : parameters_(types.size()) {
    const auto function = TensorFunction(std::move(body));
    graph::Tracer tracer;
    std::vector<Tensor> parameters;
    for (const auto& [dtype, shape] : types)
      parameters.push_back(tracer.AddParameter({static_cast<DType>(dtype), shape}));
    {
      const ops::RecordingPause pause;
      const ops::BuilderScope scope(&tracer);
      for (const Tensor& result : runtime::Strong(function(parameters), "function")) {
        tracer.graph()->results().push_back(tracer.EndpointOf(result));
        results_.emplace_back(static_cast<int>(result.dtype()), result.shape());
      }
    }
    tracer.RequireNoCaptures("function");
    const auto inlined = [graph = tracer.graph()](const std::vector<Tensor>& given) {
      return runtime::Inline(*graph, given);
    };
    function_ = Function(Function::Body(inlined), name);
  }
  const Function& function() const { return *function_; }
  /// The results' dtypes and shapes.
  const std::vector<std::pair<int, Shape>>& results() const { return results_; }
  std::vector<Tensor> Call(const std::vector<Tensor>& arguments) const {
    if (arguments.size() != parameters_) {
      throw Error(Code::kInvalidArgument, "[function] there must be " +
                                              std::to_string(parameters_) + " arguments; got " +
                                              std::to_string(arguments.size()));
    }
    return function_->Call(arguments);
  }

 private:
  const size_t parameters_;
  std::optional<Function> function_;
  std::vector<std::pair<int, Shape>> results_;
};

}  // namespace

void BindSpecFunction(nb::module_& m) {
  nb::class_<SpecFunction>(m, "SpecFunction")
      .def(nb::init<nb::object, const std::vector<std::pair<int, Shape>>&, const std::string&>(),
           nb::arg(), nb::arg(), nb::arg("name") = "function")
      .def_prop_ro("function", &SpecFunction::function, nb::rv_policy::copy)
      .def_prop_ro("results", &SpecFunction::results)
      .def("call", &SpecFunction::Call, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace lockstep::python
