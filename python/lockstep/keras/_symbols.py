"""Symbolic tensors, and what a layer gives for them."""

import collections
import contextlib
import threading

from .. import _native, _refused, nest
from .._dtypes import as_dtype, BY_CODE, TensorShape
from .._function import init_scope
from .._tensor import _Deferred, convert_to_tensor, Tensor
from . import _masks
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

    def __init__(self, shape, dtype="float32", name=None, node=None, index=0, sparse=False):
        _refused.only("KerasTensor", sparse=(sparse, False, None))
        self.shape = standard_shape(shape)
        self._dtype_of = as_dtype(dtype)
        self.name = name or auto_name("keras_tensor")
        self._node = node
        self._index = index
        self._mask = None

    sparse = ragged = False

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
        return (f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, "
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
    form = []

    def body(tensors):
        with InSymbols():
            return follow(tensors)

    def follow(tensors):
        given = list(tensors[:len(symbols)])
        for place, mask in zip(masked, tensors[len(symbols):]):
            _masks.set_mask(given[place], mask)
        value = call(given)
        flat = [convert_to_tensor(one) for one in nest.flatten(value)]
        masks = {place: mask for place, mask in enumerate(map(_masks.mask_of, flat)) if mask is not None}
        form[:] = value, list(masks)
        return flat + [convert_to_tensor(one) for one in masks.values()]

    def run(size):
        return _native.symbolic_call(body, [
            (int(one._dtype_of), [size if axis is None else axis for axis in one.shape]) for one in taken])
    try:
        made = run(-1)
    except (ValueError, NotImplementedError, TypeError):
        if not any(None in one.shape for one in symbols):
            raise
        made = _by_guesses(run)
    value, with_mask = form
    made = [KerasTensor([None if size == -1 else size for size in shape], BY_CODE[code]) for code, shape in made]
    for place, mask in zip(with_mask, made[len(made) - len(with_mask):]):
        made[place]._mask = mask
    return nest._pack(value, iter(made))


class Shape(tuple):
    """The sizes of an input's axes, as `build` gets them."""

    def as_list(self):
        return list(self)

    rank = property(len)


def _shape_tree(value):
    if isinstance(value, Tensor):
        return Shape(value._shape)
    if isinstance(value, (list, tuple)):
        return [_shape_tree(one) for one in value]
    if isinstance(value, dict):
        return {key: _shape_tree(one) for key, one in value.items()}
    return None
