#include "python/guard.h"

#include <frameobject.h>
#include <structmember.h>
#include <cstddef>

namespace lockstep::python {

namespace {

struct Guard {
  PyObject_HEAD PyObject* function;
  vectorcallfunc vectorcall;
};

// Whoever asks for them gets whole tracebacks.
bool keep_frames = false;
PyObject* folder = nullptr;

bool IsOurs(PyTracebackObject* entry) {
  PyCodeObject* code = PyFrame_GetCode(entry->tb_frame);
  const int ours = PyUnicode_Tailmatch(code->co_filename, folder, 0, PY_SSIZE_T_MAX, -1);
  Py_DECREF(code);
  return ours == 1;
}

// The entries that are not the package's, in their order.
PyObject* WithoutOurs(PyObject* traceback) {
  if (traceback == nullptr || traceback == Py_None) return Py_NewRef(Py_None);
  auto* entry = reinterpret_cast<PyTracebackObject*>(traceback);
  PyObject* rest = WithoutOurs(reinterpret_cast<PyObject*>(entry->tb_next));
  if (IsOurs(entry)) return rest;
  PyObject* made = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyTraceBack_Type), "OOii",
                                         rest, entry->tb_frame, entry->tb_lasti, entry->tb_lineno);
  Py_DECREF(rest);
  return made;
}

void HideFrames() {
  if (keep_frames || folder == nullptr) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* shown = WithoutOurs(traceback);
  if (shown == nullptr) PyErr_Clear();
  if (shown == Py_None) Py_CLEAR(shown);
  if (value != nullptr) PyException_SetTraceback(value, shown == nullptr ? Py_None : shown);
  Py_XDECREF(traceback);
  PyErr_Restore(type, value, shown);
}

PyObject* Call(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  auto* guard = reinterpret_cast<Guard*>(self);
  PyObject* result = PyObject_Vectorcall(guard->function, arguments, count, names);
  if (result == nullptr) HideFrames();
  return result;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  auto* guard = reinterpret_cast<Guard*>(self);
  Py_VISIT(guard->function);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Guard*>(self)->function);
  return 0;
}

void Deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Like a function, it becomes a method when it is looked up on an object.
PyObject* Bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* GetAttribute(PyObject* self, PyObject* name) {
  auto* guard = reinterpret_cast<Guard*>(self);
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) return Py_NewRef(guard->function);
  if (PyUnicode_CompareWithASCIIString(name, "__class__") != 0) {
    if (PyObject* found = PyObject_GetAttr(guard->function, name)) return found;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(self, name);
}

PyObject* Represent(PyObject* self) {
  return PyObject_Repr(reinterpret_cast<Guard*>(self)->function);
}

PyMemberDef guard_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Guard, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot guard_slots[] = {{Py_tp_members, guard_members},
                             {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                             {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                             {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
                             {Py_tp_descr_get, reinterpret_cast<void*>(Bind)},
                             {Py_tp_getattro, reinterpret_cast<void*>(GetAttribute)},
                             {Py_tp_repr, reinterpret_cast<void*>(Represent)},
                             {0, nullptr}};
PyType_Spec guard_spec = {"lockstep.function", sizeof(Guard), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                              Py_TPFLAGS_METHOD_DESCRIPTOR,
                          guard_slots};
PyTypeObject* guard_type = nullptr;

nb::object MakeGuard(nb::object function) {
  if (Py_TYPE(function.ptr()) == guard_type) return function;
  auto* guard = PyObject_GC_New(Guard, guard_type);
  if (guard == nullptr) nb::raise_python_error();
  guard->function = function.release().ptr();
  guard->vectorcall = Call;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(guard));
  return nb::steal(reinterpret_cast<PyObject*>(guard));
}

}  // namespace

bool IsPackageFile(PyObject* name) {
  return folder != nullptr && PyUnicode_Tailmatch(name, folder, 0, PY_SSIZE_T_MAX, -1) == 1;
}

void BindGuard(nb::module_& m) {
  guard_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&guard_spec));
  if (guard_type == nullptr) nb::raise_python_error();
  m.attr("Guard") = nb::borrow(reinterpret_cast<PyObject*>(guard_type));
  m.def("guard", &MakeGuard);
  m.def("hide_frames_of", [](nb::str path) {
    Py_XDECREF(folder);
    folder = path.release().ptr();
  });
  m.def("keep_frames", [](bool keep) { keep_frames = keep; });
}

}  // namespace lockstep::python
