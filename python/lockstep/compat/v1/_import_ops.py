"""What the ops of TensorFlow's GraphDefs are in Lockstep."""

from ... import errors, linalg, math, nn, ops_array, ops_math
from ..._tensor import convert_to_tensor, integers
from ._placeholders import placeholder, placeholder_with_default


def _attr(node, name, default=None):
    if name not in node.attr:
        return default
    value = node.attr[name]
    kind = value.WhichOneof("value")
    if kind == "list":
        return list(value.list.i) or list(value.list.f) or [one.decode() for one in value.list.s]
    held = getattr(value, kind) if kind else default
    return held.decode() if kind == "s" else held


def _whole(tensor):
    """A tensor that says sizes or axes, as Python numbers."""
    return integers(tensor, "sizes and axes of a GraphDef")


def _axes(tensor):
    found = _whole(tensor)
    return found if isinstance(found, int) else list(found)


def _layout(node):
    form = _attr(node, "data_format", "NHWC")
    if form not in ("NHWC", ""):
        raise errors.UnimplementedError(None, None, f"[import_graph_def] images must have their channels last; got {form}")
    return "NHWC"


def _placeholder(node, inputs):
    from ._graph_defs import _sizes
    shapes = node.attr["_output_shapes"].list.shape if "_output_shapes" in node.attr else []
    shape = node.attr["shape"].shape if "shape" in node.attr else shapes[0] if shapes else None
    known = shape is not None and not shape.unknown_rank
    sizes = [None if one < 0 else one for one in _sizes(shape)] if known else None
    if inputs:
        return placeholder_with_default(inputs[0], sizes)
    return placeholder(node.attr["dtype"].type, sizes)


def _constant(node, inputs):
    from ._graph_defs import _constant as read
    return ops_array.identity(read(node.attr["value"].tensor))


def _strided(node, inputs):
    from ... import _native
    masks = [_attr(node, name, 0) for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                               "shrink_axis_mask")]
    return _native.strided_slice(inputs[0], *[list(_whole(one)) for one in inputs[1:4]], masks)


def _normalised(node, inputs):
    _layout(node)
    x, scale, offset, mean, variance = inputs
    epsilon = _attr(node, "epsilon", 1e-4)
    if not _attr(node, "is_training", True):
        return [nn.batch_normalization(x, mean, variance, offset, scale, epsilon), mean, variance, mean, variance, variance]
    running, before, share = mean, variance, _attr(node, "exponential_avg_factor", 1.0)
    mean, variance = nn.moments(x, [0, 1, 2])
    count = ops_math.cast(ops_array.size(x) / ops_array.size(mean), variance.dtype)
    result = nn.batch_normalization(x, mean, variance, offset, scale, epsilon)
    unbiased = variance * (count / ops_math.maximum(count - 1, 1))
    averages = [mean, unbiased] if share == 1.0 else [running + (mean - running) * share, before + (unbiased - before) * share]
    return [result, *averages, mean, variance, variance]


def _window(function):
    def pool(node, inputs):
        return function(inputs[0], _attr(node, "ksize"), _attr(node, "strides"), _attr(node, "padding"), _layout(node))
    return pool


def _convolved(function):
    def convolve(node, inputs):
        padding = _attr(node, "padding")
        if padding == "EXPLICIT":
            pairs = _attr(node, "explicit_paddings")
            padding = [list(pairs[at:at + 2]) for at in range(0, 8, 2)]
        return function(inputs[0], inputs[1], strides=_attr(node, "strides"), padding=padding,
                        data_format=_layout(node), **_dilated(node, function is nn.depthwise_conv2d))
    return convolve


def _dilated(node, inner):
    found = _attr(node, "dilations") or [1, 1, 1, 1]
    return {"dilations": found[1:3] if inner else found} if found != [1, 1, 1, 1] else {}


def _matmul(node, inputs):
    return ops_math.matmul(*inputs, transpose_a=bool(_attr(node, "transpose_a") or _attr(node, "adj_x")),
                           transpose_b=bool(_attr(node, "transpose_b") or _attr(node, "adj_y")))


def _fold(function):
    return lambda node, i: function(i[0], axis=_axes(i[1]), keepdims=bool(_attr(node, "keep_dims")))


def _cast(node, inputs):
    return ops_math.cast(inputs[0], node.attr["DstT"].type)


def _arg(function):
    return lambda node, i: function(i[0], axis=_axes(i[1]) if len(i) > 1 else 0,
                                    output_type=_attr(node, "output_type", 9))


def _shape_of(function):
    return lambda node, i: function(i[0], out_type=_attr(node, "out_type", 3))


_PLAIN = {  # op: the function of its inputs
    "Neg": "negative", "Abs": "abs", "Exp": "exp", "Log": "log", "Log1p": "log1p", "Sqrt": "sqrt", "Rsqrt": "rsqrt",
    "Square": "square", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Tanh": "tanh", "Sigmoid": "sigmoid", "Floor": "floor",
    "Ceil": "ceil", "Round": "round", "Sign": "sign", "Erf": "erf", "Reciprocal": "reciprocal", "Inv": "reciprocal",
    "LogicalNot": "logical_not", "IsNan": "is_nan", "IsFinite": "is_finite", "IsInf": "is_inf", "Add": "add",
    "AddV2": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide", "Div": "divide", "FloorDiv": "floordiv",
    "FloorMod": "floormod", "Maximum": "maximum", "Minimum": "minimum", "Pow": "pow",
    "SquaredDifference": "squared_difference", "Equal": "equal", "NotEqual": "not_equal", "Less": "less",
    "LessEqual": "less_equal", "Greater": "greater", "GreaterEqual": "greater_equal", "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or", "DivNoNan": "divide_no_nan", "Atan2": "atan2", "Asin": "asin", "Acos": "acos",
    "Atan": "atan", "Sinh": "sinh", "Cosh": "cosh", "Expm1": "expm1",
    "Relu": "relu", "Relu6": "relu6", "Elu": "elu", "Selu": "selu", "Softplus": "softplus", "Softsign": "softsign",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "BiasAdd": "bias_add", "L2Loss": "l2_loss",
    "Identity": "identity", "Snapshot": "identity", "PreventGradient": "identity", "StopGradient": "stop_gradient",
    "ZerosLike": "zeros_like", "OnesLike": "ones_like", "GatherNd": "gather_nd", "Where": "where", "SelectV2": "where",
    "Select": "where", "Rank": "rank", "InvertPermutation": "invert_permutation"}

_MADE = {
    "Const": _constant, "Placeholder": _placeholder, "PlaceholderV2": _placeholder, "PlaceholderWithDefault": _placeholder,
    "NoOp": lambda node, i: [], "Group": lambda node, i: [], "Assert": lambda node, i: [],
    "IdentityN": lambda node, i: [ops_array.identity(one) for one in i], "AddN": lambda node, i: ops_math.add_n(i),
    "MatMul": _matmul, "BatchMatMul": _matmul, "BatchMatMulV2": _matmul, "Cast": _cast,
    "Conv2D": _convolved(nn.conv2d), "DepthwiseConv2dNative": _convolved(nn.depthwise_conv2d),
    "MaxPool": _window(nn.max_pool2d), "AvgPool": _window(nn.avg_pool2d), "FusedBatchNorm": _normalised,
    "FusedBatchNormV2": _normalised, "FusedBatchNormV3": _normalised,
    "LeakyRelu": lambda node, i: nn.leaky_relu(i[0], _attr(node, "alpha", 0.2)),
    "Reshape": lambda node, i: ops_array.reshape(i[0], i[1]),
    "Transpose": lambda node, i: ops_array.transpose(i[0], _whole(i[1])),
    "ExpandDims": lambda node, i: ops_array.expand_dims(i[0], _whole(i[1])),
    "Squeeze": lambda node, i: ops_array.squeeze(i[0], _attr(node, "squeeze_dims") or None),
    "ConcatV2": lambda node, i: ops_array.concat(i[:-1], _whole(i[-1])),
    "Concat": lambda node, i: ops_array.concat(i[1:], _whole(i[0])),
    "Split": lambda node, i: ops_array.split(i[1], _attr(node, "num_split"), _whole(i[0])),
    "SplitV": lambda node, i: ops_array.split(i[0], _whole(i[1]), _whole(i[2])),
    "Pack": lambda node, i: ops_array.stack(i, _attr(node, "axis", 0)),
    "Unpack": lambda node, i: ops_array.unstack(i[0], _attr(node, "num"), _attr(node, "axis", 0)),
    "Slice": lambda node, i: ops_array.slice(i[0], _whole(i[1]), _whole(i[2])), "StridedSlice": _strided,
    "Gather": lambda node, i: ops_array.gather(i[0], i[1]),
    "GatherV2": lambda node, i: ops_array.gather(i[0], i[1], axis=_whole(i[2]), batch_dims=_attr(node, "batch_dims", 0)),
    "Tile": lambda node, i: ops_array.tile(i[0], _whole(i[1])), "Pad": lambda node, i: ops_array.pad(i[0], _whole(i[1])),
    "PadV2": lambda node, i: ops_array.pad(i[0], _whole(i[1]), constant_values=_whole(i[2])),
    "Fill": lambda node, i: ops_array.fill(_whole(i[0]), i[1]), "Range": lambda node, i: ops_math.range(*i),
    "BroadcastTo": lambda node, i: ops_array.broadcast_to(i[0], _whole(i[1])),
    "Shape": _shape_of(ops_array.shape), "Size": _shape_of(ops_array.size), "ArgMax": _arg(ops_math.argmax),
    "ArgMin": _arg(ops_math.argmin), "Sum": _fold(ops_math.reduce_sum), "Mean": _fold(ops_math.reduce_mean),
    "Max": _fold(ops_math.reduce_max), "Min": _fold(ops_math.reduce_min), "Prod": _fold(ops_math.reduce_prod),
    "All": _fold(ops_math.reduce_all), "Any": _fold(ops_math.reduce_any),
    "OneHot": lambda node, i: ops_array.one_hot(i[0], _whole(i[1]), i[2], i[3], axis=_attr(node, "axis", -1)),
    "TopKV2": lambda node, i: list(ops_array.top_k(i[0], _whole(i[1]))),
    "Einsum": lambda node, i: ops_math.einsum(_attr(node, "equation"), *i)}


def _function(op):
    """The function (node, inputs) of an op; None for one that is not known."""
    if op in _MADE:
        return _MADE[op]
    name = _PLAIN.get(op)
    found = next((getattr(place, name) for place in (ops_math, ops_array, nn, math, linalg) if hasattr(place, name)),
                 None) if name else None
    if found is None:
        from ._further_import_ops import function_of
        return function_of(op)
    return lambda node, inputs: found(*inputs)


_ON_VARIABLES = frozenset("VarHandleOp ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp "
                         "VarIsInitializedOp".split())


def takes(node):
    """Whether the op of a node of TensorFlow's is one of Lockstep's."""
    return node.op in _ON_VARIABLES or _function(node.op) is not None


def refuse_unknown(graph_def):
    """Raises: UnimplementedError that names all ops that are not taken."""
    unknown = {}
    for node in graph_def.node:
        if not takes(node):
            unknown.setdefault(node.op, node.name)
    if unknown:
        raise errors.UnimplementedError(
            None, None, "[import_graph_def] ops must be those of frozen models or variables; got " + ", ".join(
                f"{op} (node {name})" for op, name in sorted(unknown.items())) + "; make variables constants and write out "
            "functions (convert_variables_to_constants_v2) before the graph is saved")


def emit(node, inputs):
    """The tensors of a node."""
    made = _function(node.op)(node, inputs)
    return [convert_to_tensor(one) for one in (made if isinstance(made, (list, tuple)) else [made])]
