#pragma once

#include <nanobind/nanobind.h>

namespace lockstep::python {

namespace nb = nanobind;

// Each adds its part to the module.
void BindHooks(nb::module_& m);
void BindTensor(nb::module_& m);
void BindVariable(nb::module_& m);
void BindFunction(nb::module_& m);
void BindControlFlow(nb::module_& m);
void BindHostCalls(nb::module_& m);
void BindMathOps(nb::module_& m);
void BindArrayOps(nb::module_& m);
void BindValueOps(nb::module_& m);
void BindNnOps(nb::module_& m);
void BindStringOps(nb::module_& m);
void BindRandomOps(nb::module_& m);
void BindData(nb::module_& m);
void BindDistribute(nb::module_& m);
void BindCluster(nb::module_& m);
void BindLayers(nb::module_& m);
void BindTrainingParts(nb::module_& m);
void BindOptimizers(nb::module_& m);
void BindModel(nb::module_& m);
void BindFiles(nb::module_& m);
void BindProfile(nb::module_& m);
void BindRaces(nb::module_& m);
void BindSpecFunction(nb::module_& m);
void BindGraphBytes(nb::module_& m);
void BindSessions(nb::module_& m);
void BindCoordinator(nb::module_& m);

}  // namespace lockstep::python
