"""Functions of `keras.ops` on sparse and ragged tensors: `form_of(name, function)` takes them besides dense ones.

The result is sparse where the function of zeros is zero: the function is applied to the values that are kept. Functions of two
tensors keep the places that one has (add), or that both have (multiply). Where zeros become something else (exp) the result is
dense, and all other functions refuse sparse tensors, as in Keras. Of ragged tensors functions of elements keep the rows."""

from .. import _ragged_ops, ops_array as _a, ops_math as _m, sparse as _s
from .._composites import values_of, with_values
from .._ragged_reduce import reduced
from .._tensor import convert_to_tensor
from ..ragged import RaggedTensor
from ..sparse import SparseTensor, to_dense
from ._ops_dtypes import all_alike

_KEEPING = ("abs absolute fabs arcsin arcsinh arctan arctanh ceil conj conjugate copy expm1 floor imag log1p negative real round sign "
            "signbit sin sinh sqrt square tan tanh cast saturate_cast stop_gradient").split()
_OF_ZERO = "arccos arccosh cos cosh exp exp2 isfinite log log10 log2 reciprocal".split()
_REDUCTIONS = {"sum": "sum", "prod": "prod", "max": "max", "amax": "max", "min": "min", "amin": "min", "any": "any", "all": "all",
               "mean": "mean", "var": "variance", "std": "std"}
_OF_TF = {"concatenate": _a.concat, "expand_dims": _a.expand_dims, "squeeze": _a.squeeze, "stack": _a.stack, "where": _a.where,
          "take": _a.gather, "tile": _a.tile}  # what `tf` takes ragged tensors in by the same arguments
_TAKE_SPARSE = {"shape", "is_tensor", "convert_to_numpy", "convert_to_tensor", "get_item"}


def dense(one):
    """A sparse tensor as a dense one, anything else as it is."""
    return to_dense(one, validate_indices=False) if isinstance(one, SparseTensor) else one


def _is_scalar(one):
    return not hasattr(one, "shape") or len(one.shape) == 0


def _of_values(function):
    return lambda x, *args, **kwargs: x.with_values(function(x.values, *args, **kwargs))


def _of_zero(function):
    """A function of elements whose value at zero is not zero."""
    def of(x, *args, **kwargs):
        made = function(x.values, *args, **kwargs)
        zero = function(_a.zeros([], x.values.dtype), *args, **kwargs)
        return to_dense(x.with_values(made), zero, validate_indices=False)
    return of


def _both(x1, x2):
    """Two sparse tensors in one dtype."""
    values = all_alike([x1.values, x2.values])
    return x1.with_values(values[0]), x2.with_values(values[1])


def _adding(function, of_two, of_mixed=None):
    """A function of two tensors that keeps the places of both; `of_two` is that of two sparse tensors, `of_mixed` of a sparse and
    a dense one of the same shape, by default the function of two dense ones."""
    def of(x1, x2):
        if not (isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor)):
            if of_mixed is None or _is_scalar(x1) or _is_scalar(x2):
                return function(dense(x1), dense(x2))
            values = all_alike([values_of(one) if isinstance(one, SparseTensor) else convert_to_tensor(one) for one in (x1, x2)])
            return of_mixed(*[with_values(one, own) for one, own in zip((x1, x2), values)])
        if x1.indices is x2.indices:
            return x1.with_values(function(x1.values, x2.values))
        return of_two(*_both(x1, x2))
    return of


def _multiplying(function):
    """A function of two tensors that keeps the places that both have."""
    def of(x1, x2):
        if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
            if x1.indices is x2.indices:
                return x1.with_values(function(x1.values, x2.values))
            return _s._intersection(function, x1, x2)
        if isinstance(x1, SparseTensor):
            return x1.with_values(function(x1.values, x2 if _is_scalar(x2) else _s._at(x1, x2)))
        return x2.with_values(function(x1 if _is_scalar(x1) else _s._at(x2, x1), x2.values))
    return of


def _dividing(function):
    """A quotient, sparse where the divisor is dense: places at which the divisor is zero or not a number are kept, too."""
    def of(x1, x2):
        if isinstance(x2, SparseTensor):
            return function(dense(x1), dense(x2))
        if _is_scalar(x2):
            return x1.with_values(function(x1.values, x2))
        x2 = convert_to_tensor(x2)
        odd = _m.equal(x2, _a.zeros_like(x2))
        odd = _m.logical_or(odd, _m.is_nan(x2)) if x2.dtype.is_floating else odd
        places = _a.where(odd)
        more = SparseTensor(places, _a.zeros([_a.shape(places)[0]], x1.dtype), x1.dense_shape)
        united = _s.add(x1, more)
        return united.with_values(function(united.values, _a.gather_nd(x2, united.indices)))
    return of


def _matmul(function):
    def of(x1, x2):
        both = isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor)
        if both and x1.rank == x2.rank == 2:
            return _s._sparse_sparse_matmul(*_both(x1, x2))
        if not both and x1.shape.rank == x2.shape.rank == 2:
            values = all_alike([values_of(x1), values_of(x2)])
            return _s.sparse_dense_matmul(*[with_values(one, own) for one, own in zip((x1, x2), values)])
        made = function(dense(x1), dense(x2))
        return _s.from_dense(made) if both else made
    return of


def _sum(x, axis=None, keepdims=False):
    return _s.reduce_sum(x, axis, keepdims, output_is_sparse=True)


def _expand_dims(x, axis):
    axes = [axis] if isinstance(axis, int) else list(axis)
    rank = x.rank + len(axes)
    for one in sorted(axis % rank for axis in axes):
        x = _s.expand_dims(x, one)
    return x


def _concatenate(xs, axis=0):
    if all(isinstance(one, SparseTensor) for one in xs):
        values = all_alike([one.values for one in xs])
        return _s.concat(axis, [one.with_values(own) for one, own in zip(xs, values)])
    return _a.concat(all_alike([convert_to_tensor(dense(one)) for one in xs]), axis)


def _take(x, indices, axis=None):
    """Rows of `x`; places that are not kept name row 0."""
    return _a.gather(x, dense(indices), axis=0 if axis is None else axis)


def _subtracted(a, b):
    return _s.add(a, with_values(b, -values_of(b)))


_FORMS = {
    "add": lambda f: _adding(f, _s.add, _s.add), "subtract": lambda f: _adding(f, _subtracted, _subtracted), "maximum": lambda f: _adding(f, _s.maximum),
    "minimum": lambda f: _adding(f, _s.minimum), "multiply": _multiplying, "divide": _dividing, "true_divide": _dividing,
    "matmul": _matmul, "sum": lambda f: _sum, "transpose": lambda f: _s.transpose, "reshape": lambda f: _s.reshape,
    "expand_dims": lambda f: _expand_dims, "squeeze": lambda f: _s._squeeze, "concatenate": lambda f: _concatenate,
    "take": lambda f: _take, **dict.fromkeys(_KEEPING, _of_values), **dict.fromkeys(_OF_ZERO, _of_zero)}


def _is_sparse(one):
    return isinstance(one, SparseTensor) or isinstance(one, (list, tuple)) and any(isinstance(part, SparseTensor) for part in one)


def _has_ragged(one):
    return isinstance(one, RaggedTensor) or isinstance(one, (list, tuple)) and any(isinstance(part, RaggedTensor) for part in one)


def _of_ragged(name, function, args, kwargs):
    """A function of ragged tensors: a reduction over their axes, or a function of elements or of `tf`, which takes them."""
    if name in _REDUCTIONS:
        return reduced(args[0], *args[1:2], kind=_REDUCTIONS[name], **kwargs) if len(args) > 1 or "axis" in kwargs else reduced(
            args[0], None, _REDUCTIONS[name], **kwargs)
    return _ragged_ops.apply(_OF_TF.get(name, function), args, kwargs)


def form_of(name, function):
    """The function, which takes sparse and ragged tensors, too. Raises: ValueError, where it does not, and gets one."""
    make = _FORMS.get(name)
    if name in _TAKE_SPARSE:
        return function
    form = None if make is None else make(function)

    def call(*args, **kwargs):
        if any(map(_has_ragged, args)) or any(map(_has_ragged, kwargs.values())):
            return _of_ragged(name, function, args, kwargs)
        if not any(map(_is_sparse, args)) and not any(map(_is_sparse, kwargs.values())):
            return function(*args, **kwargs)
        if form is None:
            raise ValueError(f"[keras.ops.{name}] takes no sparse tensors; got one; make it dense by "
                             "keras.ops.convert_to_tensor(x, sparse=False)")
        return form(*args, **kwargs)
    call.__name__, call.__doc__ = getattr(function, "__name__", name), function.__doc__
    return call


def one_hot(x, num_classes, axis, dtype):
    """Ones at the places of numbers, zeros at the first place for numbers below 0."""
    x = convert_to_tensor(x)
    x = _m.cast(x, "int64")
    rank = x._rank + 1
    axis = axis % rank
    places = _a.where(_m.greater_equal(x, _a.zeros_like(x) - 2 ** 62))  # all places
    numbers = _a.gather_nd(x, places)
    zeros = _a.zeros_like(numbers)
    columns = [places[:, i] for i in range(x._rank)]
    columns.insert(axis, _m.maximum(numbers, zeros))
    sizes = _a.unstack(_a.shape(x, out_type="int64"), num=x._rank) if x._rank else []
    sizes.insert(axis, _m.cast(num_classes, "int64"))
    values = _m.cast(_m.greater_equal(numbers, zeros), dtype or "float32")
    made = SparseTensor(_a.stack(columns, 1), values, _a.stack(sizes))
    known = x.shape.as_list()
    made.set_shape(known[:axis] + [num_classes] + known[axis:])
    return made
