#include "python/bind.h"

NB_MODULE(_native, m) {
  using namespace lockstep::python;
  // Functions and classes of the package outlive the module at the interpreter's end.
  nb::set_leak_warnings(false);
  BindHooks(m);
  BindTensor(m);
  BindVariable(m);
  BindFunction(m);
  BindControlFlow(m);
  BindHostCalls(m);
  BindMathOps(m);
  BindArrayOps(m);
  BindValueOps(m);
  BindNnOps(m);
  BindStringOps(m);
  BindRandomOps(m);
  BindData(m);
  BindDistribute(m);
  BindCluster(m);
  BindLayers(m);
  BindTrainingParts(m);
  BindOptimizers(m);
  BindModel(m);
  BindFiles(m);
  BindProfile(m);
  BindRaces(m);
  BindSpecFunction(m);
  BindSessions(m);
  BindCoordinator(m);
}
