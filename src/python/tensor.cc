#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>

#include "lockstep/ops/indexed_slices.h"
#include "python/bind.h"
#include "python/convert.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"

namespace lockstep::python {

namespace {

const char* FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "f";
    case DType::kFloat64:
      return "d";
    case DType::kInt32:
      return "i";
    case DType::kUInt8:
      return "B";
    case DType::kInt16:
      return "h";
    case DType::kInt8:
      return "b";
    case DType::kInt64:
      return "l";  // NumPy's int64 here
    case DType::kBool:
      return "?";
    case DType::kFloat16:
      return "e";
    default:
      return nullptr;
  }
}

// What a view keeps: sizes, strides and a reference to the immutable elements.
struct View {
  Tensor tensor;
  Py_ssize_t sizes[Shape::kMaxRank];
  Py_ssize_t strides[Shape::kMaxRank];
};

int Fail(const char* text) {
  PyErr_SetString(PyExc_BufferError, text);
  return -1;
}

// Read-only: nobody may write elements that others refer to.
int GetBuffer(PyObject* self, Py_buffer* buffer, int flags) {
  const Tensor& tensor = *nb::inst_ptr<Tensor>(nb::handle(self));
  buffer->obj = nullptr;
  if (flags & PyBUF_WRITABLE) return Fail("a tensor is immutable; copy it with .numpy()");
  if (!tensor.defined() || tensor.is_symbolic()) return Fail("a symbolic tensor has no elements");
  const char* format = FormatOf(tensor.dtype());
  if (format == nullptr) return Fail("this dtype has no buffer format; use .numpy()");
  auto* view = new View{tensor, {}, {}};
  const auto size = static_cast<Py_ssize_t>(DTypeSize(tensor.dtype()));
  Py_ssize_t stride = size;
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    view->sizes[axis] = tensor.shape()[axis];
    view->strides[axis] = stride;
    stride *= tensor.shape()[axis];
  }
  buffer->buf = const_cast<void*>(tensor.raw_data());
  buffer->len = static_cast<Py_ssize_t>(tensor.num_bytes());
  buffer->itemsize = size;
  buffer->readonly = 1;
  buffer->ndim = tensor.rank();
  buffer->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  buffer->shape = (flags & PyBUF_ND) ? view->sizes : nullptr;
  buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? view->strides : nullptr;
  buffer->suboffsets = nullptr;
  buffer->internal = view;
  buffer->obj = Py_NewRef(self);
  return 0;
}

void ReleaseBuffer(PyObject*, Py_buffer* buffer) { delete static_cast<View*>(buffer->internal); }

PyType_Slot tensor_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(ReleaseBuffer)},
                              {0, nullptr}};

// Copies the bytes of any contiguous buffer.
Tensor FromBytes(nb::handle source, DType dtype, const Shape& shape) {
  Py_buffer view;
  if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) nb::raise_python_error();
  auto buffer = tensor::Buffer::Allocate(dtype, static_cast<size_t>(shape.num_elements()));
  const bool fits = static_cast<size_t>(view.len) == buffer->num_bytes();
  if (fits && view.len > 0) std::memcpy(buffer->data(), view.buf, static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  if (!fits) {
    throw Error(Code::kInvalidArgument, "[tensor] bytes must be those of the shape; got shape " +
                                            shape.ToString() + " of " +
                                            std::string(DTypeName(dtype)));
  }
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

Tensor FromStringList(const std::vector<nb::bytes>& values, const Shape& shape) {
  std::vector<std::string> strings;
  for (const nb::bytes& value : values) strings.emplace_back(value.c_str(), value.size());
  return Tensor::FromStrings(strings, shape);
}

std::vector<nb::bytes> Strings(const Tensor& tensor) {
  std::vector<nb::bytes> values;
  for (const std::string& value : tensor.data<std::string>())
    values.emplace_back(value.data(), value.size());
  return values;
}

// The elements as bytes, for dtypes that have no buffer format.
nb::bytes Bytes(const Tensor& tensor) {
  return nb::bytes(static_cast<const char*>(tensor.raw_data()), tensor.num_bytes());
}

nb::object Item(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return nb::float_(tensor.scalar<float>());
    case DType::kFloat64:
      return nb::float_(tensor.scalar<double>());
    case DType::kInt32:
      return nb::int_(tensor.scalar<int32_t>());
    case DType::kInt64:
      return nb::int_(tensor.scalar<int64_t>());
    case DType::kUInt8:
      return nb::int_(tensor.scalar<uint8_t>());
    case DType::kInt16:
      return nb::int_(tensor.scalar<int16_t>());
    case DType::kInt8:
      return nb::int_(tensor.scalar<int8_t>());
    case DType::kBool:
      return nb::bool_(tensor.scalar<bool>());
    case DType::kBFloat16:
      return nb::float_(static_cast<float>(tensor.scalar<bfloat16>()));
    case DType::kFloat16:
      return nb::float_(static_cast<float>(tensor.scalar<float16>()));
    default: {
      const std::string value = tensor.scalar<std::string>();
      return nb::bytes(value.data(), value.size());
    }
  }
}

nb::dlpack::dtype DlpackType(DType dtype) {
  using nb::dlpack::dtype_code;
  const auto bits = static_cast<uint8_t>(8 * DTypeSize(dtype));
  dtype_code code = dtype_code::Int;
  if (IsFloating(dtype)) code = dtype_code::Float;
  if (dtype == DType::kBFloat16) code = dtype_code::Bfloat;
  if (dtype == DType::kBool) code = dtype_code::Bool;
  if (dtype == DType::kUInt8) code = dtype_code::UInt;
  return {static_cast<uint8_t>(code), bits, 1};
}

// A read-only view that keeps the elements alive, with the methods of DLPack.
nb::object DlpackView(const Tensor& tensor) {
  if (tensor.is_symbolic() || tensor.dtype() == DType::kString)
    throw nb::buffer_error("only numbers with values can be exchanged by DLPack");
  auto* kept = new Tensor(tensor);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  size_t sizes[Shape::kMaxRank];
  for (int axis = 0; axis < tensor.rank(); ++axis) sizes[axis] = tensor.shape()[axis];
  return nb::cast(nb::ndarray<nb::ro>(kept->raw_data(), tensor.rank(), sizes, owner, nullptr,
                                      DlpackType(tensor.dtype()), nb::device::cpu::value, 0));
}

}  // namespace

void BindTensor(nb::module_& m) {
  nb::class_<Tensor>(m, "Tensor", nb::type_slots(tensor_slots), nb::is_weak_referenceable())
      .def_prop_ro("_dtype", [](const Tensor& t) { return static_cast<int>(t.dtype()); })
      .def_prop_ro("_shape",
                   [](const Tensor& t) {
                     t.rank();  // or an error
                     return t.shape();
                   })
      .def_prop_ro("_ranked", [](const Tensor& t) { return t.shape().ranked(); })
      // The same object stands for another tensor from now on.
      .def("_become", [](Tensor& t, const Tensor& other) { t = other; })
      .def_prop_ro("_rank", &Tensor::rank)
      .def_prop_ro("_id", &Tensor::id)
      .def_prop_ro("_symbolic", &Tensor::is_symbolic)
      .def_prop_ro("_defined", &Tensor::defined)
      .def_prop_ro("_size", &Tensor::num_elements)
      .def("_item", &Item)
      .def("_strings", &Strings)
      .def("_bytes", &Bytes)
      .def("_dlpack", &DlpackView)
      .def("_slices", [](const Tensor& t) -> nb::object {
        const IndexedSlices* slices = IndexedSlices::Of(t);
        if (slices == nullptr) return nb::none();
        return nb::make_tuple(slices->values, slices->indices, slices->dense_shape);
      });
  // Whether two handles are those of one resource.
  m.def("same_object", [](const Tensor& a, const Tensor& b) { return a.object() == b.object(); });
  // Whether it is the handle of a variable that lives outside of graphs.
  m.def("is_cell", [](const Tensor& tensor) {
    return dynamic_cast<const runtime::VariableCell*>(tensor.object().get()) != nullptr;
  });
  // Another object for the same tensor.
  m.def("alias", [](const Tensor& tensor) { return tensor; });
  m.def("from_bytes", &FromBytes);
  m.def("from_strings", &FromStringList);
  m.def("from_slices", [](const Tensor& values, const Tensor& indices, const Shape& shape) {
    return IndexedSlices{values, indices, shape}.ToTensor();
  });
  m.def("slices_to_dense", [](const Tensor& t) {
    const IndexedSlices* slices = IndexedSlices::Of(t);
    return slices == nullptr ? t : slices->ToDense();
  });
  m.def("to_tensor", [](Arg value) { return value.Strong(); });
  m.def("weak", [](double value) { return Tensor(value); });
}

}  // namespace lockstep::python
