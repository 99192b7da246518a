#include <nanobind/stl/string.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "base/end_task.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "distribute/workers/roster.h"
#include "graph/tracer.h"
#include "lockstep/base/status.h"
#include "ops/builder.h"
#include "python/bind.h"
#include "python/convert.h"
#include "python/guard.h"
#include "runtime/eager.h"
#include "runtime/graph_builder.h"

namespace lockstep::python {

namespace {

// A worker that has left its job, or was not in it at its end, has nothing more to do.
void EndProgram(const distribute::Left& left, int status) {
  base::Log(base::Severity::kInfo, left.status().message());
  PyErr_SetObject(PyExc_SystemExit, nb::int_(status).ptr());
}

// A text that may quote bytes of a user that are no UTF-8.
nb::object TextOf(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

// The package's exception for a code and a text.
void RaiseAs(Code code, const std::string& text) {
  const nb::object& raise = TheHooks().raise_error;
  if (!raise.is_valid()) {
    PyErr_SetObject(PyExc_RuntimeError, TextOf(text).ptr());
    return;
  }
  const nb::object exception = raise(static_cast<int>(code), TextOf(text));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

// Errors of C++ become the package's exceptions, which it makes of code and text.
void Translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const graph::OutOfScopeError& error) {
    PyErr_SetString(PyExc_TypeError, error.status().message().c_str());
  } catch (const runtime::FinalizedGraphError&) {
    PyErr_SetString(PyExc_RuntimeError, "Graph is finalized and cannot be modified.");
  } catch (const distribute::AllLeft& left) {
    EndProgram(left, 128 + SIGTERM);
  } catch (const distribute::Left& left) {
    EndProgram(left, 0);
  } catch (const std::bad_alloc&) {
    RaiseAs(Code::kResourceExhausted, base::StatusOf(pointer).message());
  } catch (const std::length_error&) {
    RaiseAs(Code::kResourceExhausted, base::StatusOf(pointer).message());
  } catch (const std::out_of_range& error) {
    RaiseAs(Code::kInvalidArgument,
            std::string("[python] a list is shorter than what it must hold: ") + error.what());
  } catch (const Error& error) {
    RaiseAs(error.code(), error.status().message());
  }
}

bool IsTracing() { return &ops::CurrentBuilder() != &runtime::EagerBuilder::Instance(); }

// A Python context in which ops happen at once.
class EagerScope {
 public:
  void Enter() {
    pause_ = std::make_unique<ops::RecordingPause>();
    scope_ = std::make_unique<ops::BuilderScope>(&runtime::EagerBuilder::Instance());
  }
  void Exit() {
    scope_.reset();
    pause_.reset();
  }

 private:
  std::unique_ptr<ops::RecordingPause> pause_;
  std::unique_ptr<ops::BuilderScope> scope_;
};

}  // namespace

void BindHooks(nb::module_& m) {
  nb::register_exception_translator(Translate);
  BindGuard(m);
  m.def("set_hooks", [](nb::object convert, nb::object variable_type, nb::object raise_error) {
    TheHooks() = {std::move(convert), std::move(variable_type), std::move(raise_error)};
  });
  m.def("is_tracing", &IsTracing);
  m.def("most_memory", [] { return std::min(base::MemoryLimit(), base::FreeMemory()); });
  m.def("is_recording", &ops::IsRecording);
  nb::class_<EagerScope>(m, "EagerScope")
      .def(nb::init<>())
      .def("enter", &EagerScope::Enter)
      .def("exit", &EagerScope::Exit);
}

}  // namespace lockstep::python
