#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/ops/random.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::python {

namespace nb = nanobind;

/// A Python object of which a tensor is to be made: a tensor, a variable, a number, or whatever the
/// package's `convert_to_tensor` takes. Conversions need the interpreter's lock.
struct Arg {
  nb::handle object;

  bool is_none() const { return object.is_none(); }
  /// A tensor with a dtype of its own.
  Tensor Strong() const;
  /// The same, but an empty tensor for None.
  Tensor Optional() const { return is_none() ? Tensor() : Strong(); }
  /// An operand beside `other` (or nullptr): a number takes its dtype.
  Tensor Beside(const Tensor* other) const;
  /// The tensor or the variable's value; nullopt for anything else.
  std::optional<Tensor> Ready() const;
};

/// What the package gives the module when it is imported; see hooks.cc.
struct Hooks {
  nb::object convert;        // (object, dtype number or 0) -> Tensor
  nb::object variable_type;  // the class whose attribute `_v` is a native variable
  nb::object raise_error;    // (code, text) -> an exception
};
Hooks& TheHooks();

std::vector<Tensor> Strong(const std::vector<Arg>& arguments);

/// Two operands of one dtype: a tensor or a variable gives its dtype to the other operand. Where
/// neither is one, the first operand gives it, as in TensorFlow: `maximum(0., [1, -1])` is a
/// float32. Two Python numbers are left to the op.
std::pair<Tensor, Tensor> Operands(Arg a, Arg b);

/// Runs `work` without the interpreter's lock.
template <typename F>
auto Unlocked(const F& work) {
  const nb::gil_scoped_release release;
  return work();
}

/// A Python object that C++ may copy and drop on any thread, with or without the lock.
class Held {
 public:
  explicit Held(nb::object object);
  nb::handle get() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

/// What Python gives as a list of tensors; None entries are empty tensors.
std::vector<Tensor> TensorsOf(nb::handle list);

}  // namespace lockstep::python

namespace nanobind::detail {

template <>
struct type_caster<lockstep::python::Arg> {
  NB_TYPE_CASTER(lockstep::python::Arg, const_name("object"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value.object = source;
    return true;
  }
  static handle from_cpp(const lockstep::python::Arg& source, rv_policy, cleanup_list*) noexcept {
    return source.object.inc_ref();
  }
};

/// A list of sizes; None is unknown.
template <>
struct type_caster<lockstep::Shape> {
  NB_TYPE_CASTER(lockstep::Shape, const_name("collections.abc.Sequence[int | None]"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (source.is_none()) {
      value = lockstep::Shape::Unranked();
      return true;
    }
    PyObject* items = PySequence_Fast(source.ptr(), "");
    if (items == nullptr) {
      PyErr_Clear();
      return false;
    }
    bool good = PySequence_Fast_GET_SIZE(items) <= lockstep::Shape::kMaxRank;
    value = lockstep::Shape();
    for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(items); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items, i);
      const long long size = item == Py_None ? lockstep::Shape::kUnknown : PyLong_AsLongLong(item);
      good = size >= lockstep::Shape::kUnknown && !(size == -1 && PyErr_Occurred());
      if (good) value.Append(size);
    }
    Py_DECREF(items);
    PyErr_Clear();
    return good;
  }
  static handle from_cpp(const lockstep::Shape& shape, rv_policy, cleanup_list*) noexcept {
    if (!shape.ranked()) return none().release();
    PyObject* result = PyTuple_New(shape.rank());
    for (int i = 0; i < shape.rank(); ++i) {
      PyObject* size = Py_None;
      if (shape[i] != lockstep::Shape::kUnknown) {
        size = PyLong_FromLongLong(shape[i]);
      } else {
        Py_INCREF(size);
      }
      PyTuple_SET_ITEM(result, i, size);
    }
    return result;
  }
};

// Sizes, or (what is known of them, a vector of int64 that holds them).
template <>
struct type_caster<lockstep::RandomSizes> {
  NB_TYPE_CASTER(lockstep::RandomSizes, const_name("collections.abc.Sequence[int | None]"))
  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<lockstep::Shape> known;
    if (PyTuple_Check(source.ptr()) && PyTuple_GET_SIZE(source.ptr()) == 2 &&
        isinstance<lockstep::Tensor>(PyTuple_GET_ITEM(source.ptr(), 1))) {
      if (!known.from_python(PyTuple_GET_ITEM(source.ptr(), 0), flags, cleanup)) return false;
      value = lockstep::RandomSizes(
          known.value, *inst_ptr<lockstep::Tensor>(handle(PyTuple_GET_ITEM(source.ptr(), 1))));
      return true;
    }
    if (!known.from_python(source, flags, cleanup)) return false;
    value = known.value;
    return true;
  }
};

/// The number of a dtype, which Python's DType is, too.
template <>
struct type_caster<lockstep::DType> {
  NB_TYPE_CASTER(lockstep::DType, const_name("int"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    const long number = PyLong_AsLong(source.ptr());
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    value = static_cast<lockstep::DType>(number);
    return true;
  }
  static handle from_cpp(lockstep::DType dtype, rv_policy, cleanup_list*) noexcept {
    return PyLong_FromLong(static_cast<long>(dtype));
  }
};

}  // namespace nanobind::detail
