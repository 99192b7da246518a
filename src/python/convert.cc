#include "python/convert.h"

#include <limits>

#include "python/site.h"

namespace lockstep::python {

Hooks& TheHooks() {
  // Never destroyed: the interpreter may be gone by then.
  static Hooks* hooks = new Hooks;
  return *hooks;
}

namespace {

Tensor CallConverter(nb::handle object, DType hint) {
  return nb::cast<Tensor>(TheHooks().convert(object, static_cast<int>(hint)));
}

// A number with the dtype that TensorFlow gives it.
std::optional<Tensor> StrongNumber(PyObject* object) {
  if (PyBool_Check(object)) return Scalar<bool>(object == Py_True);
  if (PyFloat_CheckExact(object))
    return Scalar<float>(static_cast<float>(PyFloat_AS_DOUBLE(object)));
  if (!PyLong_CheckExact(object)) return std::nullopt;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0)
    throw nb::value_error(
        "Can't convert Python sequence with out-of-range integer to Tensor: it is beyond int64.");
  if (value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max())
    return Scalar<int32_t>(static_cast<int32_t>(value));
  return Scalar<int64_t>(value);
}

// A number that takes the dtype of what it meets.
std::optional<Tensor> WeakNumber(PyObject* object, const Tensor* other) {
  if (PyBool_Check(object)) {
    if (other == nullptr || other->dtype() == DType::kBool) return Scalar<bool>(object == Py_True);
    if (!IsFloating(other->dtype()) && !IsInteger(other->dtype())) return std::nullopt;
    return Tensor(static_cast<int64_t>(object == Py_True));
  }
  if (PyFloat_Check(object)) {
    if (other != nullptr && !IsFloating(other->dtype())) return std::nullopt;
    return Tensor(PyFloat_AS_DOUBLE(object));
  }
  if (!PyLong_CheckExact(object)) return std::nullopt;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return std::nullopt;
  return Tensor(static_cast<int64_t>(value));
}

}  // namespace

std::optional<Tensor> Arg::Ready() const {
  if (nb::isinstance<Tensor>(object)) return *nb::inst_ptr<Tensor>(object);
  if (TheHooks().variable_type.is_valid() && nb::isinstance(object, TheHooks().variable_type)) {
    const nb::object native = object.attr("_v");
    // One that is read when an assignment is done, or one of open shape.
    if (nb::cast<bool>(object.attr("_after_assignment")) || !nb::isinstance<Variable>(native))
      return nb::cast<Tensor>(object.attr("value")());
    const Variable variable = nb::cast<Variable>(native);
    const ops::KnownSite site(PythonSite());
    return Unlocked([&] { return variable.value(); });
  }
  return std::nullopt;
}

Tensor Arg::Strong() const {
  if (std::optional<Tensor> ready = Ready()) return *ready;
  if (std::optional<Tensor> number = StrongNumber(object.ptr())) return *number;
  return CallConverter(object, DType::kInvalid);
}

Tensor Arg::Beside(const Tensor* other) const {
  if (std::optional<Tensor> ready = Ready()) return *ready;
  if (std::optional<Tensor> number = WeakNumber(object.ptr(), other)) return *number;
  return CallConverter(object, other == nullptr ? DType::kInvalid : other->dtype());
}

std::pair<Tensor, Tensor> Operands(Arg a, Arg b) {
  const std::optional<Tensor> ready_a = a.Ready();
  const std::optional<Tensor> ready_b = b.Ready();
  if (ready_b) return {ready_a ? *ready_a : a.Beside(&*ready_b), *ready_b};
  if (ready_a) return {*ready_a, b.Beside(&*ready_a)};
  const std::optional<Tensor> number_a = WeakNumber(a.object.ptr(), nullptr);
  if (number_a && WeakNumber(b.object.ptr(), nullptr)) return {*number_a, b.Beside(nullptr)};
  const Tensor first = a.Strong();
  return {first, b.Beside(&first)};
}

std::vector<Tensor> Strong(const std::vector<Arg>& arguments) {
  std::vector<Tensor> tensors;
  tensors.reserve(arguments.size());
  for (const Arg& argument : arguments) tensors.push_back(argument.Strong());
  return tensors;
}

std::vector<Tensor> TensorsOf(nb::handle list) {
  std::vector<Tensor> tensors;
  for (nb::handle item : list) tensors.push_back(Arg{item}.Optional());
  return tensors;
}

Held::Held(nb::object object)
    : object_(new nb::object(std::move(object)), [](nb::object* kept) {
        if (!Py_IsInitialized()) return;  // too late to give anything back
        const nb::gil_scoped_acquire lock;
        delete kept;
      }) {}

}  // namespace lockstep::python
