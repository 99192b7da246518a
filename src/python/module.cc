#include <unistd.h>

#include <exception>
#include <thread>

#include "base/end_task.h"
#include "python/bind.h"
#include "runtime/waiting.h"

namespace {

const std::thread::id main_thread = std::this_thread::get_id();  // that which loads the module
std::terminate_handler outer_handler = nullptr;

bool IsFinalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

// At the interpreter's end Python 3.11 ends daemon threads that come back to it by unwinding their
// stacks, which C++ refuses: such a thread waits for the end of the process instead.
void EndOrWait() {
  if (IsFinalizing() && std::this_thread::get_id() != main_thread) {
    while (true) pause();
  }
  const std::exception_ptr error = std::current_exception();
  if (error != nullptr && lockstep::base::IsExhaustion(error)) lockstep::base::EndTask(error);
  outer_handler();
}

// Ctrl-C, for the thread that gets it.
void LookForSignals() {
  if (std::this_thread::get_id() != main_thread) return;
  const nanobind::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
}

}  // namespace

NB_MODULE(_native, m) {
  using namespace lockstep::python;
  outer_handler = std::set_terminate(&EndOrWait);
  lockstep::runtime::SetLookWhileWaiting(&LookForSignals);
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
  BindGraphBytes(m);
  BindSessions(m);
  BindCoordinator(m);
}
