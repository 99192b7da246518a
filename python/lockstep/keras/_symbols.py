"""Symbolic tensors, and what a layer gives for them."""

from .. import _native, nest
from .._dtypes import as_dtype, BY_CODE, TensorShape
from .._tensor import _Deferred, convert_to_tensor, Tensor
from ._context import _local
from ._names import auto_name


def _apply(*args, **kwargs):
    from ._operation import apply_op
    return apply_op(*args, **kwargs)


class KerasTensor(_Deferred):
    """What a layer will give: a shape and a dtype, and how it is made."""

    def __init__(self, shape, dtype="float32", name=None, node=None, index=0, sparse=False):
        self.shape = tuple(None if one in (None, -1) else int(one) for one in shape)
        self._dtype_of = as_dtype(dtype)
        self.name = name or auto_name("keras_tensor")
        self._node = node
        self._index = index

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

    def __len__(self):
        raise TypeError("A symbolic KerasTensor has no length")

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


def infer(call, symbols):
    """(what `call` gives for symbolic tensors in place of `symbols`) as specs in its structure."""
    form = []

    def run(batch):
        form.clear()

        def body(tensors):
            value = call(list(tensors))
            flat = [convert_to_tensor(one) for one in nest.flatten(value)]
            form.append(value)
            return flat
        types = [(int(one._dtype_of), [batch if size is None else size for size in one.shape])
                 for one in symbols]
        return _native.symbolic_call(body, types)
    try:
        made = run(-1)
    except (ValueError, NotImplementedError, TypeError):
        unknown = [one for one in symbols if None in one.shape]
        if not unknown:
            raise
        _local.guessing = True
        try:
            made = [(code, tuple(None if size == 97 else size for size in shape))
                    for code, shape in run(97)]
        finally:
            _local.guessing = False
    return nest._pack(form[0], iter([KerasTensor(shape, BY_CODE[code]) for code, shape in made]))


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
