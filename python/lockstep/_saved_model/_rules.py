"""What each op of Lockstep is in TensorFlow: often an op of the same name, with values in place of attributes; sometimes several."""

from .._dtypes import as_dtype
from ._nodes import INT32, INT64, Type
from ._structures import shape_of, shape_proto

_SAME = frozenset((
    "Abs Acos Acosh AddV2 Asin Asinh Atan Atan2 Atanh BitwiseAnd BitwiseOr BitwiseXor Ceil Cos Cosh Digamma DivNoNan Equal "
    "Erf Erfc Exp Expm1 Floor FloorDiv FloorMod Greater GreaterEqual Identity Invert IsFinite IsInf IsNan LeftShift Less "
    "LessEqual Lgamma Log Log1p LogSoftmax LogicalAnd LogicalNot LogicalOr Maximum Minimum Mul Neg NotEqual OnesLike Pow "
    "Range RealDiv Reciprocal Relu Relu6 RightShift Rint Round Rsqrt SelectV2 Sigmoid SigmoidGrad Sign Sin Sinh Softmax "
    "Softplus Softsign Sqrt Square SquaredDifference StopGradient StringLower StringUpper StringStrip Sub Substr Tan Tanh "
    "TanhGrad TruncateDiv TruncateMod ZerosLike GatherNd TensorScatterAdd TensorScatterUpdate BiasAdd BiasAddGrad "
    "AssignVariableOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp ResourceScatterAdd ResourceScatterDiv "
    "ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterSub ResourceScatterUpdate SegmentSum Where "
    "AsString").split())
_GRADIENTS = frozenset("ReluGrad Relu6Grad SoftplusGrad SoftsignGrad".split())
_RULES = {}


class Node:
    """A node of Lockstep's graph."""

    def __init__(self, proto):
        self.op, self.name, self._attr = proto.op, proto.name, proto.attr
        shapes = proto.attr["_output_shapes"].list.shape if "_output_shapes" in proto.attr else []
        self.shapes = [shape_of(one) for one in shapes]

    def get(self, name, default=None):
        """An attribute: a number, bool, text, dtype or list of numbers."""
        if name not in self._attr:
            return default
        value = self._attr[name]
        kind = value.WhichOneof("value")
        if kind == "list":
            return list(value.list.f) or list(value.list.i)
        held = getattr(value, kind) if kind else default
        return held.decode() if kind == "s" else held

    def tensor(self):
        return self._attr["value"].tensor


def rule(*names):
    def keep(function):
        _RULES.update(dict.fromkeys(names, function))
        return function
    return keep


def translate(w, proto, inputs):
    """Adds the nodes that do what a node of Lockstep does. Returns: their results. Raises: NotImplementedError that names the op."""
    if proto.op in _SAME:
        return w.add(proto.op, inputs, {}, proto.name)
    made = _RULES.get(proto.op)
    if made is None:
        raise NotImplementedError(f"[saved_model] the op {proto.op} ({proto.name}) cannot be written; leave it out of what is saved, or "
                                  "write it by other ops")
    found = made(w, Node(proto), inputs)
    return found if isinstance(found, list) else [found]


def one(w, op, *inputs, name=None, **attributes):
    """A node with one result."""
    return w.add(op, list(inputs), attributes, name)[0]


def number(w, value, like):
    """A scalar of the dtype of another value."""
    return w.constant(value, as_dtype(like.dtype))


@rule("Const")
def _(w, n, i):
    return w.constant_of(n.tensor(), n.name)


@rule("ReadVariableOp")
def _(w, n, i):
    return one(w, "ReadVariableOp", *i, name=n.name, dtype=Type(n.get("dtype")))


@rule("AddN")
def _(w, n, i):
    return one(w, "AddN", i)


@rule("Cast")
def _(w, n, i):
    return one(w, "Cast", *i, DstT=Type(n.get("DstT")))


@rule("MatMul")
def _(w, n, i):
    return one(w, "MatMul", *i[:2], name=n.name, transpose_a=bool(n.get("transpose_a")), transpose_b=bool(n.get("transpose_b")))


@rule("BatchMatMulV2")
def _(w, n, i):
    return one(w, "BatchMatMulV2", *i, name=n.name, adj_x=bool(n.get("adj_x")), adj_y=bool(n.get("adj_y")))


def _window(n):
    """Padding and strides of a convolution or a pool."""
    made = {"padding": n.get("padding", "VALID"), "strides": [1, *n.get("strides"), 1]}
    if made["padding"] == "EXPLICIT":
        pairs = n.get("explicit_paddings")
        made["explicit_paddings"] = [0, 0, *pairs, 0, 0] if len(pairs) == 4 else list(pairs)
    return made


def _dilations(n):
    return {"dilations": [1, *(n.get("dilations") or [1, 1]), 1]}


@rule("Conv2D", "DepthwiseConv2dNative")
def _(w, n, i):
    return one(w, n.op, *i, name=n.name, **_window(n), **_dilations(n))


@rule("Conv2DBackpropInput")
def _(w, n, i):
    x, kernel = i[:2]
    batch = one(w, "StridedSlice", one(w, "Shape", x, out_type=Type(INT32)), w.integers([0]), w.integers([1]), w.integers([1]))
    sizes = w.constant(list(n.get("input_sizes"))[1:], "int32")
    whole = one(w, "ConcatV2", [batch, sizes], w.constant(0, "int32"))
    return one(w, "Conv2DBackpropInput", whole, kernel, x, name=n.name, **_window(n), **_dilations(n))


@rule("MaxPool", "AvgPool")
def _(w, n, i):
    return one(w, n.op, *i, name=n.name, ksize=[1, *n.get("ksize"), 1], **_window(n))


@rule("Mean", "Max", "Min", "Prod", "Sum", "All", "Any")
def _(w, n, i):
    return one(w, n.op, i[0], w.integers(n.get("axes")), name=n.name, keep_dims=bool(n.get("keep_dims")))


@rule("SumSquares")
def _(w, n, i):
    return one(w, "Sum", one(w, "Square", i[0]), w.integers(n.get("axes")), keep_dims=bool(n.get("keep_dims")))


@rule("ArgMax", "ArgMin")
def _(w, n, i):
    return one(w, n.op, i[0], w.constant(n.get("axis"), "int32"), output_type=Type(n.get("output_type")))


@rule("Reshape")
def _(w, n, i):
    return one(w, "Reshape", i[0], w.integers(n.get("shape")), name=n.name)


@rule("BroadcastTo")
def _(w, n, i):
    return one(w, "BroadcastTo", i[0], w.integers(n.get("shape")))


@rule("Fill")
def _(w, n, i):
    return one(w, "Fill", w.integers(n.get("shape")), i[0])


@rule("Transpose")
def _(w, n, i):
    return one(w, "Transpose", i[0], w.integers(n.get("perm")))


@rule("ConcatV2")
def _(w, n, i):
    return one(w, "ConcatV2", i, w.constant(n.get("axis"), "int32"))


@rule("Split")
def _(w, n, i):
    return w.add("Split", [w.constant(n.get("axis"), "int32"), i[0]], {"num_split": n.get("num")})


@rule("SplitV")
def _(w, n, i):
    sizes = n.get("sizes")
    return w.add("SplitV", [i[0], w.integers(sizes), w.constant(n.get("axis"), "int32")], {"num_split": len(sizes)})


@rule("Squeeze")
def _(w, n, i):
    return one(w, "Squeeze", i[0], squeeze_dims=list(n.get("axes")))


@rule("ExpandDims")
def _(w, n, i):
    made = i[0]
    for axis in sorted(n.get("axes")):
        made = one(w, "ExpandDims", made, w.constant(axis, "int32"))
    return made


@rule("PadV2")
def _(w, n, i):
    return one(w, "PadV2", i[0], _pairs(w, n), number(w, n.get("constant", 0.0), i[0]))


@rule("MirrorPad")
def _(w, n, i):
    return one(w, "MirrorPad", i[0], _pairs(w, n), mode="REFLECT" if n.get("reflect") else "SYMMETRIC")


def _pairs(w, n):
    flat = list(n.get("paddings"))
    return w.constant([flat[at:at + 2] for at in range(0, len(flat), 2)], "int32")


@rule("Slice")
def _(w, n, i):
    return one(w, "Slice", i[0], w.constant(list(n.get("begin")), "int64"), w.constant(list(n.get("size")), "int64"))


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@rule("StridedSlice")
def _(w, n, i):
    places = [w.constant(list(n.get(name)), "int64") for name in ("begin", "end", "strides")]
    return one(w, "StridedSlice", i[0], *places, **{name: n.get(name, 0) for name in _MASKS})


@rule("GatherV2")
def _(w, n, i):
    return one(w, "GatherV2", *i, w.constant(n.get("axis"), "int32"), batch_dims=n.get("batch_dims", 0))


@rule("Tile")
def _(w, n, i):
    return one(w, "Tile", i[0], w.integers(n.get("multiples")))


@rule("ReverseV2")
def _(w, n, i):
    return one(w, "ReverseV2", i[0], w.integers(n.get("axes")))


@rule("Cumsum", "Cumprod")
def _(w, n, i):
    return one(w, n.op, i[0], w.constant(n.get("axis"), "int32"), exclusive=bool(n.get("exclusive")), reverse=bool(n.get("reverse")))


@rule("TopKV2")
def _(w, n, i):
    x = one(w, "Neg", i[0]) if n.get("ascending") else i[0]
    values, places = w.add("TopKV2", [x, w.constant(n.get("k"), "int32")], {"index_type": Type(INT32), "sorted": True})
    return [one(w, "Neg", values) if n.get("ascending") else values, places]


@rule("OneHot")
def _(w, n, i):
    dtype = as_dtype(n.get("dtype"))
    on, off = (w.constant(_as(dtype, n.get(name)), dtype) for name in ("on_value", "off_value"))
    return one(w, "OneHot", i[0], w.constant(n.get("depth"), "int32"), on, off, axis=n.get("axis"))


def _as(dtype, value):
    return bool(value) if dtype.name == "bool" else value if dtype.is_floating else int(value)


@rule("Shape", "Size")
def _(w, n, i):
    return one(w, n.op, i[0], out_type=Type(n.get("out_type")))


@rule("EnsureShape")
def _(w, n, i):
    return one(w, "EnsureShape", i[0], shape=shape_proto([None if size < 0 else size for size in n.get("shape")]))


@rule("ClipByValue")
def _(w, n, i):
    low, high = (number(w, n.get(name), i[0]) for name in ("low", "high"))
    return one(w, "Maximum", one(w, "Minimum", i[0], high), low)


@rule("Elu", "Selu")
def _(w, n, i):
    above, below = n.get("above", 1.0), n.get("below", 1.0)
    if above == 1.0 and below == 1.0:
        return one(w, "Elu", i[0])
    scaled = one(w, "Mul", number(w, below, i[0]), one(w, "Expm1", one(w, "Minimum", i[0], number(w, 0.0, i[0]))))
    positive = one(w, "Mul", number(w, above, i[0]), one(w, "Relu", i[0]))
    return one(w, "AddV2", positive, scaled)


@rule("LeakyRelu")
def _(w, n, i):
    return one(w, "LeakyRelu", i[0], alpha=float(n.get("alpha")))


@rule("Silu")
def _(w, n, i):
    return one(w, "Mul", i[0], one(w, "Sigmoid", i[0]))


@rule("LogSigmoid")
def _(w, n, i):
    return one(w, "Neg", one(w, "Softplus", one(w, "Neg", i[0])))


@rule("Gelu")
def _(w, n, i):
    x = i[0]
    if n.get("approximate"):
        cube = one(w, "Mul", number(w, 0.044715, x), one(w, "Mul", one(w, "Square", x), x))
        inner = one(w, "Tanh", one(w, "Mul", number(w, 0.7978845608028654, x), one(w, "AddV2", x, cube)))
    else:
        inner = one(w, "Erf", one(w, "Mul", x, number(w, 0.7071067811865476, x)))
    return one(w, "Mul", one(w, "Mul", number(w, 0.5, x), x), one(w, "AddV2", number(w, 1.0, x), inner))


@rule(*_GRADIENTS)
def _(w, n, i):
    return one(w, n.op, *i)


@rule("LayerNorm")
def _(w, n, i):
    x, scale, offset = i
    axis = w.integers([-1])
    mean = one(w, "Mean", x, axis, keep_dims=True)
    variance = one(w, "Mean", one(w, "SquaredDifference", x, mean), axis, keep_dims=True)
    factor = one(w, "Mul", one(w, "Rsqrt", one(w, "AddV2", variance, number(w, n.get("epsilon"), x))), scale)
    return one(w, "AddV2", one(w, "Mul", one(w, "Sub", x, mean), factor), offset)


@rule("CustomGradient", "CustomGradientN")
def _(w, n, i):
    return [one(w, "Identity", value) for value in i[:len(n.shapes)]]


@rule("Polygamma")
def _(w, n, i):
    return one(w, "Polygamma", number(w, float(n.get("order")), i[0]), i[0])


@rule("MatrixBandPart")
def _(w, n, i):
    return one(w, "MatrixBandPart", i[0], w.constant(n.get("lower"), "int64"), w.constant(n.get("upper"), "int64"))


@rule("ScatterNd")
def _(w, n, i):
    return one(w, "ScatterNd", *i, w.constant(list(n.get("shape")), as_dtype(i[0].dtype)))


@rule("UnsortedSegmentSum")
def _(w, n, i):
    return one(w, "UnsortedSegmentSum", *i, w.constant(n.get("num_segments"), "int32"))


def shape_64(w, value):
    return one(w, "Shape", value, out_type=Type(INT64))
