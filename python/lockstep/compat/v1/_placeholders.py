"""Values that a run must be fed with."""

import contextlib

from ... import _native, errors
from ..._dtypes import as_dtype, TensorShape
from ..._run_shapes import unknown_ranks
from ..._tensor import convert_to_tensor, named, Tensor
from ._graphs import get_default_graph, in_graph


def placeholder(dtype, shape=None, name=None):
    """A value that a run must be fed with. Raises: RuntimeError outside of a graph."""
    if not in_graph():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    shape = TensorShape(shape)
    if shape.rank is None:  # built as a scalar; `require_no_ranks` looks at the ops when a run feeds something else
        made, = _native.emit("Placeholder", [], {"dtype": ("type", as_dtype(dtype)), "shape": ("list(int)", []),
                                                 "any_rank": ("b", True)})
        made = named(made, name)
        unknown_ranks.add(made._id)
        return made
    return _native.placeholder(as_dtype(dtype), [-1 if s is None else s for s in shape],
                               name or "Placeholder")


def placeholder_with_default(input, shape, name=None):
    """A value that a run may be fed with; else it is `input`. Without a shape it has as many axes as `input`."""
    input, shape = convert_to_tensor(input), TensorShape(shape)
    sizes = [None] * input._rank if shape.rank is None else shape
    return _native.placeholder_with_default(input, [-1 if s is None else s for s in sizes], name or "PlaceholderWithDefault")


def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that a run must be fed with: a `SparseTensorValue`, or (indices, values, shape). Without a shape it
    has two axes, as the number of axes must be known here."""
    from ...sparse import SparseTensor
    sizes = TensorShape(shape)
    rank = 2 if sizes.rank is None else sizes.rank
    given = (lambda part: None if name is None else f"{name}/{part}")
    made = SparseTensor(placeholder("int64", [None, rank], given("indices")), placeholder(dtype, [None], given("values")),
                        placeholder("int64", [rank], given("shape")))
    if sizes.rank is not None:
        made.set_shape(sizes)
    return made


# Ops that do the same for every number of axes, and whose result has the axes of their inputs.
_ANY_RANK = frozenset(
    "Neg Abs Exp Log Log1p Expm1 Sqrt Rsqrt Square Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Sigmoid Floor Ceil Round Rint Sign "
    "Erf Reciprocal LogicalNot IsNan IsFinite IsInf AddV2 Sub Mul RealDiv FloorDiv FloorMod Maximum Minimum Pow DivNoNan Atan2 "
    "SquaredDifference Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr SelectV2 AddN Cast Identity "
    "StopGradient ZerosLike OnesLike Relu Relu6 Elu Selu LeakyRelu Softplus Softsign Gelu ClipByValue CheckNumerics "
    "Placeholder PlaceholderWithDefault StringLength AsString StringToNumber StringLower StringUpper".split())


# Ops that take any number of axes, and whose result says nothing of them.
_NO_SHAPE_OUT = frozenset("Shape QueueEnqueue QueueEnqueueMany AccumulatorApplyGradient OpenVariableAssign".split())


@contextlib.contextmanager
def gradient_ops():
    """Notes which ops of the graph gradients have made: they count on the number of axes."""
    if not (unknown_ranks and in_graph()):
        yield
        return
    graph = get_default_graph()
    before = len(graph._native.nodes())
    yield
    graph._of_gradients.update(range(before, len(graph._native.nodes())))


def _node_of(one):
    name = one if isinstance(one, str) else _native.name_of(one) if isinstance(one, Tensor) else getattr(one, "name", "")
    return (name or "").split(":")[0]


def require_no_ranks(graph, placeholder, wanted, value):
    """Raises: UnimplementedError where what is asked for needs the number of axes of a placeholder without a shape, which
    is fed with something else than a scalar."""
    asked = (placeholder._id, value._rank, *map(_node_of, wanted))
    if asked not in graph._rank_free:
        _look_for_ranks(graph, placeholder, asked[2:], value)
        graph._rank_free.add(asked)


def _look_for_ranks(graph, placeholder, wanted, value):
    nodes = graph._native.nodes()
    places = {one["name"]: i for i, one in enumerate(nodes)}
    start, ends = places[_node_of(placeholder)], [places.get(one) for one in wanted]
    needed = _behind(nodes, ends) if None not in ends else set(range(len(nodes)))
    touched = {start}
    for i, node in enumerate(nodes):
        if i not in needed or i == start or not any(source in touched for source, _ in node["inputs"]):
            continue
        flat = node["op"] in _NO_SHAPE_OUT or node["attributes"].get("any_rank") or node["op"] == "Reshape" and list(
            node["attributes"]["shape"]) == [-1]
        fixed = node["op"] in _ANY_RANK and _keeps(node, value._rank)
        if not fixed and i in graph._of_gradients or not flat and node["op"] not in _ANY_RANK:
            what = "a gradient's" if i in graph._of_gradients else "the"
            shape = "[" + ", ".join(["None"] * value._rank) + "]"
            raise errors.UnimplementedError(
                None, None, f"[placeholder] {what} op {node['name']!r} ({node['op']}) needs the number of axes of {placeholder.name!r}, "
                f"which has no shape and was fed with {tuple(value._shape)}; write tf.placeholder({placeholder.dtype!r}, "
                f"shape={shape})")
        if not flat and not fixed:
            touched.add(i)


def _keeps(node, rank):
    """Whether an op's result has the axes that it was built with, also beside a value of so many axes."""
    shape = node["outputs"][0][1] if node["outputs"] else []
    return 0 < rank <= len(shape) and 1 not in list(shape)[-rank:]


def _behind(nodes, ends):
    needed, waiting = set(), list(ends)
    while waiting:
        last = waiting.pop()
        if last not in needed:
            needed.add(last)
            waiting += [source for source, _ in nodes[last]["inputs"]] + list(nodes[last]["control_inputs"])
    return needed
