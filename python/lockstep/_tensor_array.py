"""Lists of tensors that loops write."""

from . import _native, _refused, _value_shapes, errors
from ._dtypes import TensorShape, as_dtype
from ._tensor import convert_to_tensor


class TensorArray:
    """A list of tensors of one shape that loops may write: `array = array.write(i, value)`."""

    def __init__(self, dtype, size=None, dynamic_size=False, clear_after_read=True,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        _refused.only("TensorArray", handle=(handle, None), flow=(flow, None))
        self.dtype = as_dtype(dtype)
        self.element_shape = None if element_shape is None else TensorShape(element_shape)
        self._size = 0 if size is None else size if _value_shapes.is_value(size) else int(_known(size))
        self.dynamic_size, self._told = dynamic_size, self.element_shape  # by the program, not by what is written
        self._values = {}  # by place; while the program is traced, what it writes at places that are known
        self._rows = self._state = None  # as `_opened` says

    def _copy(self):
        made = TensorArray(self.dtype, self._size, self.dynamic_size,
                           element_shape=self.element_shape)
        made._told = self._told
        made._values = dict(self._values)
        made._rows, made._state = self._rows, self._state
        return made

    def _carried(self):
        made = self._opened()
        return [made._rows] if made._state is None else [made._rows, made._state]

    def _carrying(self, tensors):
        made = self._copy()
        made._values = {}
        made._rows, *state = tensors
        made._state = state[0] if state else None
        return made

    def _declared(self):
        """The shapes that loops carry it with: None where an iteration may change a size, or finds it."""
        sizes, *state = [list(one._shape) for one in self._carried()]
        if not state:
            return [sizes]
        elements = sizes[1:] if self.element_shape is None else self.element_shape.as_list()
        return [[None if self.dynamic_size else sizes[0]] + elements, *state]

    def _lacks_shape(self):
        shape = self.element_shape
        return self._rows is None and not self._values and (shape is None or not shape.is_fully_defined())

    def _with_shape_of(self, other):
        made = self._copy()
        made.element_shape = self.element_shape or other.element_shape
        return made

    def _opened(self):
        """The same, its elements rows of one tensor; made anew each time, as it belongs to the branch or loop that is
        traced. Where their number or their sizes change in loops, `_state` tells how many there are, for how many there is
        room, and, unless the program tells, their sizes: a write needs nothing else of the rows, so that the gradient of
        a loop need not keep them of each iteration."""
        if self._rows is not None:
            return self
        made = self._copy()
        made._rows = made._stacked()
        made._values = {}
        if _native.is_tracing() and (made.dynamic_size or not made._knows_sizes()):
            made._state = made._measured(made._rows)
        return made

    def _measured(self, rows):
        from . import ops_array
        sizes = ops_array.shape(rows)
        return ops_array.concat([sizes[:1], sizes[:1] if self._knows_sizes() else sizes], 0)

    def _knows_sizes(self):
        return self.element_shape is not None and self.element_shape.is_fully_defined()

    def _stacked(self):
        from . import ops_array
        known = next(iter(self._values.values()), None)
        if known is None:
            shape = self.element_shape
            if shape is None or shape.rank is None:
                raise ValueError("A TensorArray in a traced loop needs element_shape=..., with a known number of axes, "
                                 "as nothing has been written to it before the loop")
            return ops_array.zeros([self._size] + [one or 0 for one in shape.as_list()], self.dtype)
        self.element_shape = self.element_shape or known.shape
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
        elif self._told is not None and not self._told.is_compatible_with(value.shape):
            raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({self._told})")
        if made._rows is not None and known is not None and not made.dynamic_size:
            made._require_room(int(known._item()))
        if made._rows is None and known is not None and isinstance(made._size, int):
            place = int(known._item())
            if place >= made._size:
                if not made.dynamic_size:
                    made._require_room(place)
                made._size = place + 1
            made._values[place] = value
            return made
        return made._with_rows(ops_array.reshape(index, [1]), ops_array.expand_dims(value, 0))

    def _require_room(self, place):
        size = self._known_size()
        if size is not None and place >= size:
            raise errors.OutOfRangeError(None, None, f"Tried to write to index {place} but array is not resizeable and size is: {size}")

    def _known_size(self):
        """How many elements there are, where that is known now."""
        if self._rows is not None:
            return self._rows._shape[0] if self._state is None else None
        return self._size if isinstance(self._size, int) else None

    def _with_rows(self, places, rows):
        """The same with these rows at these places."""
        from . import ops_array
        made = self._opened()._copy()
        if made._state is not None:
            made._make_room(places, rows)
        made._rows = ops_array.tensor_scatter_nd_update(made._rows, ops_array.expand_dims(places, -1), rows)
        return made

    def _make_room(self, places, rows):
        """Zeros behind the rows, so that `places` are among them, and in them where they are of the sizes of `rows`."""
        from . import ops_array
        from .math import cast, maximum, reduce_max
        places, count, room = cast(places, "int32"), self._state[0], self._state[1]
        if self.dynamic_size:
            needed = reduce_max(ops_array.concat([places + 1, [0]], 0))
            count = maximum(count, needed)
            room = ops_array.where(needed > room, maximum(maximum(2 * room, needed), 4), room)
        wanted = ops_array.stack([count, room])
        if self._knows_sizes():
            more = [(room - self._state[1])] + [0] * (self._rows._rank - 1)
        else:
            wanted = ops_array.concat([wanted, ops_array.shape(rows)[1:]], 0)
            more = ops_array.unstack((wanted - self._state)[1:], self._rows._rank)
        if self.dynamic_size or not self._knows_sizes():
            self._rows = ops_array.pad(self._rows, [[0, one] for one in more])
        self._state = wanted

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
        if self._rows is None and known is not None and int(known._item()) in self._values:
            return self._values[int(known._item())]
        size = self._known_size()
        if known is not None and size is not None and int(known._item()) >= size:
            raise errors.OutOfRangeError(None, None, f"Tried to read from index {int(known._item())} but array size is: {size} ")
        return ops_array.gather(self.stack(), index)

    def stack(self, name=None):
        made = self._opened()
        return made._rows if made._state is None else made._rows[:made._state[0]]

    def concat(self, name=None):
        from . import ops_array
        if self._rows is None:
            return ops_array.concat([self._values[i] for i in range(self._size)], 0)
        rows = self.stack()
        sizes = ops_array.shape(rows)
        return ops_array.reshape(rows, [-1] + [sizes[axis] if size is None else size
                                               for axis, size in enumerate(rows._shape) if axis > 1])

    def unstack(self, value, name=None):
        value = convert_to_tensor(value)
        made = self._copy()
        made._values = {}
        made._size = value._shape[0]
        made.element_shape = made.element_shape or value.shape[1:]
        made._rows = value
        made._state = made._measured(value) if made.dynamic_size else None
        return made

    def gather(self, indices, name=None):
        from . import ops_array
        return ops_array.gather(self.stack(), indices)

    def scatter(self, indices, value, name=None):
        made, value = self._copy(), convert_to_tensor(value)
        if made.element_shape is None:
            made.element_shape = value.shape[1:]
        return made._with_rows(convert_to_tensor(indices), value)

    def identity(self):
        return self

    def size(self, name=None):
        if self._rows is None:
            return convert_to_tensor(self._size)
        if self._state is not None:
            return self._state[0]
        from .ops_array import shape
        return shape(self._rows)[0]

    def mark_used(self):
        pass


def _known(value):
    from ._tensor import integers
    return integers(value, "a size")
