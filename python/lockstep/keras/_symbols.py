"""Symbolic tensors, and what a layer gives for them."""

import collections
import contextlib
import threading

from .. import _native, nest
from .._dtypes import as_dtype, BY_CODE, TensorShape
from .._function import init_scope
from .._tensor import _Deferred, convert_to_tensor, Tensor
from . import _masks, _symbol_parts
from ._context import guessed_size
from ._names import auto_name


def _apply(*args, **kwargs):
    from ._operation import apply_op
    return apply_op(*args, **kwargs)


KerasHistory = collections.namedtuple("KerasHistory", ("operation", "node_index", "tensor_index"))


def _no_number(kind):
    return ("A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have any actual numerical value. "
            f"You cannot convert it to {kind}.")


def standard_shape(shape):
    """A shape as a tuple of numbers and None. Raises: ValueError for what is none."""
    if shape is None:
        raise ValueError("Undefined shapes are not supported.")
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"Cannot convert '{shape}' to a shape.")
    made = []
    for size in shape:
        try:
            if isinstance(size, (str, float)):
                raise TypeError
            made.append(None if size is None else int(size))
        except (TypeError, ValueError):
            raise ValueError(f"Cannot convert '{shape}' to a shape. Found invalid dimension '{size}' of type "
                             f"'{type(size)}'. ") from None
        if made[-1] is not None and made[-1] < 0:
            raise ValueError(f"Cannot convert '{shape}' to a shape. Negative dimensions are not allowed.")
    return tuple(made)


class KerasTensor(_Deferred):
    """What a layer will give: a shape and a dtype, and how it is made."""

    def __init__(self, shape, dtype="float32", sparse=False, ragged=False, ragged_rank=None, row_splits_dtype=None, name=None,
                 node=None, index=0):
        if sparse and ragged:
            raise ValueError("KerasTensor cannot have `sparse=True` and `ragged=True` at the same time.")
        self.shape = standard_shape(shape)
        self._dtype_of = as_dtype(dtype)
        self.sparse, self.ragged = bool(sparse), bool(ragged)
        self.ragged_rank, self.row_splits_dtype = ragged_rank, row_splits_dtype or "int64"
        self.name = name or auto_name("keras_tensor")
        self._node = node
        self._index = index
        self._mask = None

    @property
    def _keras_history(self):
        """Of which call of which layer it is which output."""
        node = self._node
        calls = [] if node is None else node.layer._inbound
        return KerasHistory(node and node.layer, next((place for place, one in enumerate(calls) if one is node), None),
                            self._index)

    @property
    def _keras_mask(self):
        """Which steps of it count, a symbol too; None: all of them."""
        if self._mask is not None and self._mask._node is None:
            self._mask = _apply(_masks.mask_of, self, name="mask")
        return self._mask

    @property
    def dtype(self):
        return self._dtype_of.name

    @property
    def ndim(self):
        return len(self.shape)

    def get_shape(self):
        return TensorShape(self.shape)

    def __repr__(self):
        return (f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse={self.sparse}, ragged={self.ragged}, "
                f"name={self.name}>")

    def __getitem__(self, key):
        return _apply(lambda x, key: x[key], self, key, name="get_item")

    def __bool__(self):
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self):
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __array__(self, *_, **__):
        raise ValueError(_no_number("a NumPy array"))

    def __float__(self):
        raise ValueError(_no_number("a float"))

    def __int__(self):
        raise ValueError(_no_number("an int"))

    def __round__(self, ndigits=None):
        from . import ops
        return ops.round(self, ndigits or 0)

    def reshape(self, newshape):
        from . import ops
        return ops.reshape(self, newshape)

    def squeeze(self, axis=None):
        from . import ops
        return ops.squeeze(self, axis)

    def __tensor__(self):
        raise ValueError(
            "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a "
            "symbolic placeholder for a shape and dtype, used when constructing Keras Functional models "
            "or Keras Functions. You can only use it as input to a Keras layer or a Keras operation "
            "(from the namespaces `keras.layers` and `keras.ops`).")

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


def _give_operators():
    import operator
    for name, op in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
                     "mod": "mod", "pow": "power", "matmul": "matmul", "and": "logical_and", "or": "logical_or",
                     "xor": "logical_xor"}.items():
        function = getattr(operator, f"__{name}__")
        setattr(KerasTensor, f"__{name}__",
                lambda self, other, f=function, n=op: _apply(f, self, other, name=n))
        setattr(KerasTensor, f"__r{name}__",
                lambda self, other, f=function, n=op: _apply(f, other, self, name=n))
    for name, op in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "ne": "not_equal"}.items():
        function = getattr(operator, name)
        setattr(KerasTensor, f"__{name}__",
                lambda self, other, f=function, n=op: _apply(f, self, other, name=n))
    for name, op in {"neg": "negative", "abs": "absolute", "invert": "logical_not"}.items():
        setattr(KerasTensor, f"__{name}__", lambda self, f=getattr(operator, name), n=op: _apply(f, self, name=n))


_give_operators()


def has_symbols(value):
    return any(isinstance(one, KerasTensor) for one in nest.flatten(value))


class Node:
    """One call of a layer in a functional model."""

    def __init__(self, layer, args, kwargs):
        self.layer = layer
        self.args = args
        self.kwargs = kwargs
        self.inputs = [one for one in nest.flatten((args, kwargs)) if isinstance(one, KerasTensor)]
        self.outputs = None


_GUESSES = 736, 1312  # halved five times they are whole


def _by_guesses(run):
    """What `run(size of open axes)` makes, [(dtype, sizes)]; axes whose sizes follow the guessed one are open."""
    made = []
    for size in _GUESSES:
        with guessed_size(size):
            made.append(run(size))
    return [(code, [a if a == b else None for a, b in zip(first, second)])
            for (code, first), (_, second) in zip(*made)]


class InSymbols:
    """The time in which layers are called on symbols: what their `build` computes then has values all the same."""

    _local = threading.local()

    def __enter__(self):
        self._before = getattr(self._local, "inside", False)
        self._local.inside = True

    def __exit__(self, *_):
        self._local.inside = self._before

    @classmethod
    def build_scope(cls):
        """A context for `build`, in which ops happen at once where only symbols are traced."""
        return init_scope() if getattr(cls._local, "inside", False) else contextlib.nullcontext()


def infer(call, symbols):
    """(what `call` gives for symbolic tensors in place of `symbols`) as specs in its structure, with their masks."""
    masked = [place for place, one in enumerate(symbols) if one._mask is not None]
    taken = [*symbols, *(symbols[place]._mask for place in masked)]
    results, with_mask = [], []

    def follow(tensors, size):
        values = _symbol_parts.values_of(taken, tensors, size)
        given = values[:len(symbols)]
        for place, mask in zip(masked, values[len(symbols):]):
            _masks.set_mask(given[place], mask)
        results[:] = [_symbol_parts.Results(call(given))]
        masks = {place: mask for place, mask in enumerate(map(_masks.mask_of, results[0].leaves)) if mask is not None}
        with_mask[:] = masks
        return results[0].tensors + [convert_to_tensor(one) for one in masks.values()]

    def run(size):
        def body(tensors):
            with InSymbols():
                made = follow(tensors, size)
                shapes[:] = results[0].shapes()
                return made
        shapes = []
        made = _native.symbolic_call(body, _symbol_parts.specs_of(taken, size))
        return made + shapes
    try:
        made = run(-1)
    except (ValueError, NotImplementedError, TypeError):
        if not any(None in one.shape for one in symbols):
            raise
        made = _by_guesses(run)
    count = len(results[0].tensors)
    ends = made[:count], made[count:count + len(with_mask)], made[count + len(with_mask):]
    found = results[0].symbols(ends[0], ends[2], KerasTensor)
    for place, (code, sizes) in zip(with_mask, ends[1]):
        found[place]._mask = KerasTensor([None if size == -1 else size for size in sizes], BY_CODE[code])
    return nest._pack(results[0].value, iter(found))


def symbol_like(value, shape):
    """A symbol of this shape for tensors of the dtype and kind of `value`."""
    return KerasTensor(shape, value.dtype, **_symbol_parts.kind_of(value))


class Shape(tuple):
    """The sizes of an input's axes, as `build` gets them."""

    def as_list(self):
        return list(self)

    rank = property(len)


def _shape_tree(value):
    if isinstance(value, Tensor) or _symbol_parts.is_value(value):
        return Shape(_symbol_parts.sizes_of(value))
    if isinstance(value, (list, tuple)):
        return [_shape_tree(one) for one in value]
    if isinstance(value, dict):
        return {key: _shape_tree(one) for key, one in value.items()}
    return None
