"""What the ops of exported models, beside those of frozen graphs, are in Lockstep."""

from ... import _native, errors, linalg, math, nn, ops_array, ops_math, random, strings
from ..._dtypes import as_dtype
from ..._tensor import convert_to_tensor


def _emit(op, inputs, **attributes):
    """A native op; attributes are (kind, value)."""
    return _native.emit(op, [convert_to_tensor(one) for one in inputs], attributes)


def _broadcast_gradient_axes(first, second):
    """For each of two shapes the axes along which a gradient of the broadcast shape is summed."""
    rank = max(len(first), len(second))
    sizes = [[1] * (rank - len(one)) + list(one) for one in (first, second)]
    return [convert_to_tensor([axis for axis in range(rank) if own[axis] == 1 and (other[axis] != 1 or axis < rank - len(shape))],
                              dtype="int32")
            for own, other, shape in zip(sizes, sizes[::-1], (first, second))]


def _resized(method):
    def resize(node, inputs, attr, whole):
        from ... import image
        if attr("align_corners", False) or not attr("half_pixel_centers", False):
            raise errors.UnimplementedError(None, None, "[import_graph_def] images are resized with half_pixel_centers=True and "
                                            "align_corners=False; got other attributes")
        return image.resize(inputs[0], whole(inputs[1]), method)
    return resize


def _transposed(node, inputs, attr, whole):
    dilations = attr("dilations") or [1, 1, 1, 1]
    padding = attr("padding")
    if padding == "EXPLICIT":
        pairs = attr("explicit_paddings")
        padding = [list(pairs[at:at + 2]) for at in range(0, 8, 2)]
    return nn.conv2d_transpose(inputs[2], inputs[1], whole(inputs[0]), attr("strides"), padding, dilations=dilations[1:3])


def _with_volumes(function, *names):
    def run(node, inputs, attr, whole):
        return function(inputs[0], *inputs[1:], *[attr(name) for name in names], attr("padding"), attr("data_format", "NDHWC"))
    return run


def _static_pattern(function):
    def run(node, inputs, attr, whole):
        return function(inputs[0], attr("pattern"), attr("rewrite"), replace_global=bool(attr("replace_global", True)))
    return run


def _unique(node, inputs, attr, whole):
    values, places = ops_array.unique(inputs[0], attr("out_idx", 3))
    return [values, places]


def _drawn(function):
    return lambda node, i, attr, whole: function(whole(i[0]), dtype=as_dtype(attr("dtype")))


def _scan(function):
    return lambda node, i, attr, whole: function(i[0], whole(i[1]), bool(attr("exclusive")), bool(attr("reverse")))


def _cross_entropy(node, inputs, attr, whole):
    logits, labels = inputs
    probabilities = nn.softmax(logits)
    if node.op.startswith("Sparse"):
        loss = nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        labels = ops_array.one_hot(labels, logits.shape[-1], dtype=logits.dtype)
    else:
        loss = nn.softmax_cross_entropy_with_logits(labels, logits)
    return [loss, probabilities - labels]


def _diagonal(node, inputs, attr, whole):
    return ops_array.diag(inputs[0], *[whole(one) for one in inputs[1:4]], *inputs[4:5])


_SAME = frozenset("ReluGrad Relu6Grad SigmoidGrad TanhGrad SoftplusGrad SoftsignGrad TruncateDiv TruncateMod Invert BitwiseAnd BitwiseOr "
                  "BitwiseXor LeftShift RightShift Rint Erfc Lgamma Digamma Atanh Asinh Acosh StringLower StringUpper StringStrip".split())
_MADE = {
    "BroadcastGradientArgs": lambda node, i, attr, whole: _broadcast_gradient_axes(whole(i[0]), whole(i[1])),
    "BroadcastArgs": lambda node, i, attr, whole: ops_array.broadcast_dynamic_shape(i[0], i[1]),
    "ResizeBilinear": _resized("bilinear"), "ResizeNearestNeighbor": _resized("nearest"), "ResizeBicubic": _resized("bicubic"),
    "Conv2DBackpropInput": _transposed,
    "Conv3D": _with_volumes(lambda *of: nn.conv3d(*of), "strides"),
    "MaxPool3D": _with_volumes(lambda *of: nn.max_pool3d(*of), "ksize", "strides"),
    "AvgPool3D": _with_volumes(lambda *of: nn.avg_pool3d(*of), "ksize", "strides"),
    "DepthToSpace": lambda node, i, attr, whole: nn.depth_to_space(i[0], attr("block_size")),
    "SpaceToDepth": lambda node, i, attr, whole: nn.space_to_depth(i[0], attr("block_size")),
    "ClipByValue": lambda node, i, attr, whole: ops_math.clip_by_value(i[0], i[1], i[2]),
    "EnsureShape": lambda node, i, attr, whole: ops_array.ensure_shape(
        i[0], [None if one.size < 0 else one.size for one in node.attr["shape"].shape.dim]),
    "Empty": lambda node, i, attr, whole: ops_array.zeros(whole(i[0]), as_dtype(attr("dtype"))),
    "ReverseV2": lambda node, i, attr, whole: ops_array.reverse(i[0], whole(i[1])),
    "Roll": lambda node, i, attr, whole: ops_array.roll(i[0], whole(i[1]), whole(i[2])),
    "MirrorPad": lambda node, i, attr, whole: ops_array.pad(i[0], whole(i[1]), attr("mode")),
    "Cumsum": _scan(ops_math.cumsum), "Cumprod": _scan(ops_math.cumprod),
    "ScatterNd": lambda node, i, attr, whole: ops_array.scatter_nd(i[0], i[1], whole(i[2])),
    "TensorScatterUpdate": lambda node, i, attr, whole: ops_array.tensor_scatter_nd_update(*i),
    "TensorScatterAdd": lambda node, i, attr, whole: ops_array.tensor_scatter_nd_add(*i),
    "UnsortedSegmentSum": lambda node, i, attr, whole: ops_math.unsorted_segment_sum(i[0], i[1], whole(i[2])),
    "SegmentSum": lambda node, i, attr, whole: ops_math.segment_sum(i[0], i[1]),
    "LinSpace": lambda node, i, attr, whole: ops_math.linspace(i[0], i[1], whole(i[2])),
    "Unique": _unique, "ShapeN": lambda node, i, attr, whole: ops_array.shape_n(i, attr("out_type", 3)),
    "MatrixBandPart": lambda node, i, attr, whole: ops_array.band_part(i[0], whole(i[1]), whole(i[2])),
    "MatrixDiagV3": _diagonal, "MatrixDiag": _diagonal, "MatrixInverse": lambda node, i, attr, whole: linalg.inv(i[0]),
    "BatchMatMulV3": lambda node, i, attr, whole: ops_math.matmul(*i, adjoint_a=bool(attr("adj_x")), adjoint_b=bool(attr("adj_y"))),
    "Xlogy": lambda node, i, attr, whole: math.xlogy(*i), "Xdivy": lambda node, i, attr, whole: math.xdivy(*i),
    "MulNoNan": lambda node, i, attr, whole: math.multiply_no_nan(*i),
    "InTopKV2": lambda node, i, attr, whole: nn.in_top_k(i[1], i[0], whole(i[2])),
    "BiasAddGrad": lambda node, i, attr, whole: ops_math.reduce_sum(i[0], list(range(len(i[0].shape) - 1))),
    "SoftmaxCrossEntropyWithLogits": _cross_entropy, "SparseSoftmaxCrossEntropyWithLogits": _cross_entropy,
    "RandomUniform": _drawn(random.uniform), "RandomStandardNormal": _drawn(random.normal),
    "TruncatedNormal": _drawn(random.truncated_normal),
    "RandomUniformInt": lambda node, i, attr, whole: random.uniform(whole(i[0]), i[1], i[2], i[1].dtype),
    "CheckNumerics": lambda node, i, attr, whole: i[0],
    "AsString": lambda node, i, attr, whole: strings.as_string(i[0]),
    "StringJoin": lambda node, i, attr, whole: strings.join(i, attr("separator", "")),
    "StringLength": lambda node, i, attr, whole: strings.length(i[0], attr("unit", "BYTE")),
    "StringToNumber": lambda node, i, attr, whole: strings.to_number(i[0], as_dtype(attr("out_type", 1))),
    "StringToHashBucketFast": lambda node, i, attr, whole: strings.to_hash_bucket_fast(i[0], attr("num_buckets")),
    "Substr": lambda node, i, attr, whole: strings.substr(*i, unit=attr("unit", "BYTE")),
    "StaticRegexReplace": _static_pattern(lambda *of, **options: strings.regex_replace(*of, **options)),
    "StaticRegexFullMatch": lambda node, i, attr, whole: strings.regex_full_match(i[0], attr("pattern")),
}


def function_of(op):
    """The function (node, inputs) of an op; None for one that is not among these."""
    from ._import_ops import _attr, _axes
    if op in _SAME:
        return lambda node, inputs: _emit(op, inputs)
    made = _MADE.get(op)
    return made and (lambda node, inputs: made(node, inputs, lambda name, default=None: _attr(node, name, default), _axes))
