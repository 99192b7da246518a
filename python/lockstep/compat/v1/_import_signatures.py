"""What the ops of TensorFlow's GraphDefs take: a node is checked against it before it becomes an op of Lockstep."""

from ... import errors

_ONE = """Abs Acos Asin Atan Ceil Cos Cosh Elu Erf Exp Expm1 Floor Identity Inv InvertPermutation IsFinite IsInf IsNan L2Loss Log Log1p
    LogSoftmax LogicalNot Neg OnesLike PreventGradient Rank Reciprocal Relu Relu6 Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot
    Softmax Softplus Softsign Sqrt Square StopGradient Tan Tanh ZerosLike AvgPool MaxPool Cast LeakyRelu PlaceholderWithDefault Shape
    Size Squeeze Unpack ReadVariableOp VarIsInitializedOp AsString AvgPool3D BiasAddGrad CheckNumerics DepthToSpace Empty EnsureShape
    MatrixDiag MatrixInverse MaxPool3D RandomStandardNormal RandomUniform SpaceToDepth StaticRegexFullMatch StaticRegexReplace
    StringLength StringToHashBucketFast StringToNumber TruncatedNormal Unique
    Acosh Asinh Atanh Digamma Erfc Invert Lgamma Rint StringLower StringStrip StringUpper"""
_TWO = """Add AddV2 All Any Atan2 BatchMatMul BatchMatMulV2 BiasAdd BroadcastTo Conv2D DepthwiseConv2dNative Div DivNoNan Equal
    ExpandDims Fill FloorDiv FloorMod Gather GatherNd Greater GreaterEqual Less LessEqual LogicalAnd LogicalOr MatMul Max Maximum Mean
    Min Minimum Mul NotEqual Pad Pow Prod RealDiv Reshape Split SquaredDifference Sub Sum Tile TopKV2 Transpose AssignVariableOp
    AssignAddVariableOp AssignSubVariableOp BatchMatMulV3 BroadcastArgs BroadcastGradientArgs Conv3D Cumprod Cumsum MirrorPad MulNoNan
    ResizeBicubic ResizeBilinear ResizeNearestNeighbor ReverseV2 SegmentSum SoftmaxCrossEntropyWithLogits
    SparseSoftmaxCrossEntropyWithLogits Xdivy Xlogy BitwiseAnd BitwiseOr BitwiseXor LeftShift Relu6Grad
    ReluGrad RightShift SigmoidGrad SoftplusGrad SoftsignGrad TanhGrad TruncateDiv TruncateMod"""
_THREE = """GatherV2 PadV2 Range SelectV2 Select Slice SplitV ClipByValue Conv2DBackpropInput InTopKV2 LinSpace MatrixBandPart
    RandomUniformInt Roll ScatterNd Substr TensorScatterAdd TensorScatterUpdate UnsortedSegmentSum"""
_MANY = 2 ** 31

# op: (fewest inputs, most inputs)
_INPUTS = {**dict.fromkeys(_ONE.split(), (1, 1)), **dict.fromkeys(_TWO.split(), (2, 2)), **dict.fromkeys(_THREE.split(), (3, 3)),
           **dict.fromkeys(("Const", "Placeholder", "PlaceholderV2", "VarHandleOp"), (0, 0)),
           **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"), (5, 5)),
           **dict.fromkeys(("AddN", "Pack", "IdentityN", "Einsum", "ShapeN", "StringJoin"), (1, _MANY)), **dict.fromkeys(("Concat", "ConcatV2"), (2, _MANY)),
           **dict.fromkeys(("NoOp", "Group"), (0, _MANY)), "Assert": (1, _MANY), "ArgMax": (1, 2), "ArgMin": (1, 2), "Where": (1, 3),
           "OneHot": (4, 4), "StridedSlice": (4, 4), "MatrixDiagV3": (5, 5)}

_WINDOW = ("ksize", "strides", "padding")
# op: attributes that must be there
_REQUIRED = {"Const": ("value",), "Placeholder": ("dtype",), "PlaceholderV2": ("dtype",), "VarHandleOp": ("dtype", "shape"),
             "Conv2D": _WINDOW[1:], "DepthwiseConv2dNative": _WINDOW[1:], "AvgPool": _WINDOW, "MaxPool": _WINDOW,
             "Cast": ("DstT",), "Einsum": ("equation",), "Split": ("num_split",), "Unpack": ("num",)}
# attribute: its kind
_KINDS = {"value": "tensor", "dtype": "type", "shape": "shape", "ksize": "list", "strides": "list", "dilations": "list",
          "squeeze_dims": "list", "_output_shapes": "list", "padding": "s", "data_format": "s", "equation": "s", "epsilon": "f",
          "alpha": "f", "is_training": "b", "keep_dims": "b", "transpose_a": "b", "transpose_b": "b", "adj_x": "b", "adj_y": "b",
          "axis": "i", "batch_dims": "i", "num": "i", "num_split": "i", "begin_mask": "i", "end_mask": "i", "ellipsis_mask": "i",
          "new_axis_mask": "i", "shrink_axis_mask": "i", "DstT": "type", "out_type": "type", "output_type": "type"}


def _refuse(node, text):
    raise errors.InvalidArgumentError(None, None, f"[import_graph_def] node {node.name!r} of the op {node.op!r} {text}")


def check(node):
    """Raises: InvalidArgumentError, with the node and its op, for a node of TensorFlow's with too few or too many inputs, or
    with an attribute that is missing or of another kind."""
    least, most = _INPUTS[node.op]
    count = sum(not one.startswith("^") for one in node.input)
    if not least <= count <= most:
        wanted = f"at least {least}" if most == _MANY else str(least) if least == most else f"{least} to {most}"
        _refuse(node, f"must have {wanted} inputs; got {count}")
    for name in _REQUIRED.get(node.op, ()):
        if name not in node.attr:
            _refuse(node, f"must have the attribute {name!r}; got none")
    check_kinds(node)


def check_kinds(node):
    """The same for the kinds of the attributes alone."""
    for name in node.attr:
        wanted, got = _KINDS.get(name), node.attr[name].WhichOneof("value")
        if wanted is not None and got != wanted:
            _refuse(node, f"must have an attribute {name!r} of the kind {wanted!r}; got {got!r}")
