"""Lists of tensors that loops write."""

from . import _native, _value_shapes, errors
from ._dtypes import TensorShape, as_dtype
from ._tensor import convert_to_tensor


class TensorArray:
    """A list of tensors of one shape that loops may write: `array = array.write(i, value)`."""

    def __init__(self, dtype, size=None, dynamic_size=False, clear_after_read=True,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        self.dtype = as_dtype(dtype)
        self.element_shape = None if element_shape is None else TensorShape(element_shape)
        self._size = 0 if size is None else size if _value_shapes.is_value(size) else int(_known(size))
        self.dynamic_size = dynamic_size
        self._values = {}
        self._tensor = None

    def _copy(self):
        made = TensorArray(self.dtype, self._size, self.dynamic_size,
                           element_shape=self.element_shape)
        made._values = dict(self._values)
        made._tensor = self._tensor
        return made

    def _carried(self):
        return [self._opened()]

    def _carrying(self, tensors):
        made = self._copy()
        made._values = {}
        made._tensor, = tensors
        return made

    def _lacks_shape(self):
        shape = self.element_shape
        return self._tensor is None and not self._values and (shape is None or not shape.is_fully_defined())

    def _with_shape_of(self, other):
        made = self._copy()
        made.element_shape = self.element_shape or other.element_shape
        return made

    def _opened(self):
        """All elements as one tensor."""
        if self._tensor is None:
            self._tensor = self._stacked()
            self._values = {}
        return self._tensor

    def _stacked(self):
        from . import ops_array
        known = next(iter(self._values.values()), None)
        if known is None:
            shape = self.element_shape
            if shape is None or not shape.is_fully_defined():
                raise ValueError("A TensorArray in a traced loop needs element_shape=..., with known "
                                 "sizes, as nothing has been written to it before the loop")
            return ops_array.zeros([self._size] + shape.as_list(), self.dtype)
        if not isinstance(self._size, int):
            whole = ops_array.zeros([self._size] + list(known._shape), self.dtype)
            return ops_array.tensor_scatter_nd_update(whole, [[place] for place in self._values],
                                                      ops_array.stack(list(self._values.values())))
        zero = ops_array.zeros_like(known)
        return ops_array.stack([self._values.get(i, zero) for i in range(self._size)])

    def write(self, index, value, name=None):
        from . import ops_array
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        known = _native.static_value(convert_to_tensor(index))
        made = self._copy()
        if made.element_shape is None:
            made.element_shape = value.shape
        if made._tensor is None and known is not None and isinstance(made._size, int):
            place = int(known._item())
            if place >= made._size:
                if not made.dynamic_size:
                    raise errors.OutOfRangeError(
                        None, None, f"Tried to write to index {place} but array is not resizeable "
                        f"and size is: {made._size}")
                made._size = place + 1
            made._values[place] = value
            return made
        if made.dynamic_size:  # in a traced loop such an array is written from its end on
            made._tensor = ops_array.concat([made._opened(), ops_array.expand_dims(value, 0)], 0)
            made._values = {}
            return made
        made._tensor = ops_array.tensor_scatter_nd_update(
            made._opened(), ops_array.reshape(index, [1, 1]), ops_array.expand_dims(value, 0))
        made._values = {}
        return made

    def split(self, value, lengths, name=None):
        """The rows of a tensor as elements of these lengths. Raises: ValueError where their sum is another."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        place, made = 0, self
        for i, length in enumerate(convert_to_tensor(lengths).numpy().tolist()):
            made = made.write(i, value[place:place + length])
            place += length
        if place != value._shape[0]:
            raise ValueError(f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {place} "
                             f"and value's shape is: {value.shape}")
        return made

    def read(self, index, name=None):
        from . import ops_array
        known = _native.static_value(convert_to_tensor(index))
        if self._tensor is None and known is not None and int(known._item()) in self._values:
            return self._values[int(known._item())]
        return ops_array.gather(self._opened(), index)

    def stack(self, name=None):
        return self._opened()

    def concat(self, name=None):
        from . import ops_array
        if self._tensor is None:
            return ops_array.concat([self._values[i] for i in range(self._size)], 0)
        return ops_array.reshape(self._tensor, [-1] + list(self._tensor._shape[2:]))

    def unstack(self, value, name=None):
        value = convert_to_tensor(value)
        made = self._copy()
        made._tensor = value
        made._size = value._shape[0]
        made._values = {}
        return made

    def gather(self, indices, name=None):
        from . import ops_array
        return ops_array.gather(self._opened(), indices)

    def scatter(self, indices, value, name=None):
        from . import ops_array
        made = self._copy()
        made._tensor = ops_array.tensor_scatter_nd_update(
            self._opened(), ops_array.expand_dims(convert_to_tensor(indices), -1), value)
        return made

    def identity(self):
        return self

    def size(self, name=None):
        if self._tensor is not None and self._tensor._shape[0] is None:
            from .ops_array import shape
            return shape(self._tensor)[0]
        return convert_to_tensor(self._size if self._tensor is None else self._tensor._shape[0])

    def mark_used(self):
        pass


def _known(value):
    from ._tensor import integers
    return integers(value, "a size")
