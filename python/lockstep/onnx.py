"""Models as ONNX files: `lockstep.onnx.export(model, "model.onnx")`.

A model, or a function with an input signature, is traced as it predicts; its ops become ONNX's of operator set
17, the weights its initializers. Images stay [n, h, w, c] outside; convolutions and pools get transposed inputs."""

import struct

from . import _native, nest
from ._dtypes import BY_CODE
from ._function import TensorSpec
from ._tensor import convert_to_tensor

OPSET = 17
_TYPES = {1: 1, 2: 11, 3: 6, 4: 2, 5: 5, 6: 3, 9: 7, 10: 9, 14: 16, 19: 10}  # of ours by ONNX's numbers


# ---- messages of onnx.proto, by their numbers of fields ------------------------------------------------------


def _varint(number):
    number &= (1 << 64) - 1
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def _integer(field, value):
    return _varint(field << 3) + _varint(int(value))


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _tensor(name, array):
    """A TensorProto."""
    import numpy
    code = int(convert_to_tensor(array).dtype)
    array = numpy.asarray(array)
    dims = b"".join(_integer(1, size) for size in array.shape)
    return dims + _integer(2, _TYPES[code]) + _bytes(8, name) + _bytes(9, numpy.ascontiguousarray(array).tobytes())


def _attribute(name, value):
    """An AttributeProto."""
    import numpy
    made = _bytes(1, name)
    if isinstance(value, (bool, int)):
        return made + _integer(3, value) + _integer(20, 2)
    if isinstance(value, float):
        return made + _varint(2 << 3 | 5) + struct.pack("<f", value) + _integer(20, 1)
    if isinstance(value, str):
        return made + _bytes(4, value) + _integer(20, 3)
    if isinstance(value, numpy.ndarray):
        return made + _bytes(5, _tensor("", value)) + _integer(20, 4)
    return made + b"".join(_integer(8, one) for one in value) + _integer(20, 7)


def _value_info(name, code, shape):
    """A ValueInfoProto; sizes that are not known have names."""
    sizes = b""
    for axis, size in enumerate(shape):
        free = size is None or size < 0
        sizes += _bytes(1, _bytes(2, "batch" if axis == 0 else f"{name}_{axis}") if free else _integer(1, size))
    kind = _integer(1, _TYPES[code]) + _bytes(2, sizes)
    return _bytes(1, name) + _bytes(2, _bytes(1, kind))


# ---- the graph -------------------------------------------------------------------------------------------------


class _Writer:
    """Collects the nodes and initializers of a GraphProto."""

    def __init__(self):
        self.nodes, self.initializers = [], []
        self.arrays = {}  # values that are known, by name
        self._count = 0

    def name(self, base):
        self._count += 1
        return f"{base}_{self._count}"

    def constant(self, array, base="constant"):
        """The name of an initializer."""
        name = self.name(base)
        self.arrays[name] = array
        self.initializers.append((name, array))
        return name

    def integers(self, values):
        import numpy
        return self.constant(numpy.array(values, "int64"), "sizes")

    def add(self, op, inputs, outputs=1, **attributes):
        """Adds a node; the names of its outputs (one as text)."""
        names = [self.name(op) for _ in range(outputs)] if isinstance(outputs, int) else outputs
        made = b"".join(_bytes(1, one) for one in inputs) + b"".join(_bytes(2, one) for one in names)
        made += _bytes(3, self.name("node")) + _bytes(4, op)
        made += b"".join(_bytes(5, _attribute(key, one)) for key, one in sorted(attributes.items()))
        self.nodes.append(made)
        return names[0] if len(names) == 1 else names

    def transpose(self, name, perm):
        """A value with its axes in another order; constants are transposed now."""
        if name in self.arrays:
            return self.constant(self.arrays[name].transpose(perm).copy())
        return self.add("Transpose", [name], perm=list(perm))

    def used(self, outputs):
        return [(name, array) for name, array in self.initializers
                if name in outputs or any(_bytes(1, name) in node for node in self.nodes)]


_SAME = {"AddV2": "Add", "Add": "Add", "BiasAdd": "Add", "Sub": "Sub", "Mul": "Mul", "RealDiv": "Div",
         "Div": "Div", "Neg": "Neg", "Negative": "Neg", "Abs": "Abs", "Exp": "Exp", "Log": "Log", "Sqrt": "Sqrt",
         "Floor": "Floor", "Ceil": "Ceil", "Sign": "Sign", "Sin": "Sin", "Cos": "Cos", "Tan": "Tan",
         "Asin": "Asin", "Acos": "Acos", "Atan": "Atan", "Sinh": "Sinh", "Cosh": "Cosh", "Asinh": "Asinh",
         "Acosh": "Acosh", "Atanh": "Atanh", "Erf": "Erf", "Tanh": "Tanh", "Sigmoid": "Sigmoid",
         "Softplus": "Softplus", "Softsign": "Softsign", "Relu": "Relu", "Maximum": "Max", "Minimum": "Min",
         "Pow": "Pow", "Less": "Less", "Greater": "Greater", "LessEqual": "LessOrEqual",
         "GreaterEqual": "GreaterOrEqual", "Equal": "Equal", "LogicalAnd": "And", "LogicalOr": "Or",
         "LogicalNot": "Not", "SelectV2": "Where", "Select": "Where", "Reciprocal": "Reciprocal", "Identity": "Identity",
         "StopGradient": "Identity", "IsNan": "IsNaN", "Rint": "Round", "Round": "Round"}
_RULES = {}


def _rule(*names):
    def keep(function):
        for one in names:
            _RULES[one] = function
        return function
    return keep


class _Node:
    """A node of ours with the names of its inputs."""

    def __init__(self, node, inputs, types):
        self.op, self.attributes = node["op"], node["attributes"]
        self.inputs, self.types = inputs, types  # of the inputs: (dtype, shape)
        self.outputs = node["outputs"]

    def get(self, name, default=None):
        return self.attributes.get(name, default)

    def shape(self, i=0):
        return self.types[i][1]


def _number(node, value):
    import numpy
    return numpy.array(value, BY_CODE[node.types[0][0]].as_numpy_dtype)


@_rule("MatMul", "BatchMatMulV2", "BatchMatMul")
def _(w, n):
    a, b = n.inputs[:2]
    for i, flag in ((0, ("transpose_a", "adj_x")), (1, ("transpose_b", "adj_y"))):
        if any(n.get(one) for one in flag):
            rank = len(n.shape(i))
            perm = list(range(rank - 2)) + [rank - 1, rank - 2]
            a, b = (w.transpose(a, perm), b) if i == 0 else (a, w.transpose(b, perm))
    return w.add("MatMul", [a, b])


def _images(w, name, inside):
    rank = len(inside)
    return w.transpose(name, [0, rank - 1] + list(range(1, rank - 1)))


def _images_back(w, name, rank=4):
    return w.add("Transpose", [name], perm=[0] + list(range(2, rank)) + [1])


def _padding(n):
    padding = n.get("padding", "VALID")
    if padding == "EXPLICIT":
        pairs = n.get("explicit_paddings")
        return {"pads": list(pairs[::2]) + list(pairs[1::2])}
    return {"auto_pad": "SAME_UPPER"} if padding == "SAME" else {"auto_pad": "VALID"}


@_rule("Conv2D")
def _(w, n):
    kernel = w.transpose(n.inputs[1], [3, 2, 0, 1])
    groups = n.shape(0)[-1] // n.shape(1)[2]
    made = w.add("Conv", [_images(w, n.inputs[0], n.shape()), kernel], strides=n.get("strides"), group=groups,
                 dilations=n.get("dilations") or [1, 1], kernel_shape=list(n.shape(1)[:2]), **_padding(n))
    return _images_back(w, made)


@_rule("DepthwiseConv2dNative")
def _(w, n):
    height, width, channels, times = n.shape(1)
    turned = w.transpose(n.inputs[1], [2, 3, 0, 1])
    kernel = w.add("Reshape", [turned, w.integers([channels * times, 1, height, width])])
    made = w.add("Conv", [_images(w, n.inputs[0], n.shape()), kernel], strides=n.get("strides"), group=channels,
                 dilations=n.get("dilations") or [1, 1], kernel_shape=[height, width], **_padding(n))
    return _images_back(w, made)


@_rule("Conv2DBackpropInput")
def _(w, n):
    kernel = w.transpose(n.inputs[1], [3, 2, 0, 1])
    begin, end, more = [], [], []
    dilations = list(n.get("dilations") or [1, 1])
    for axis in (0, 1):
        size, stride, whole = n.shape(1)[axis], n.get("strides")[axis], n.get("input_sizes")[1 + axis]
        size = (size - 1) * dilations[axis] + 1
        total = stride * (n.shape(0)[1 + axis] - 1) + size - whole
        same = n.get("padding") == "SAME"
        begin.append(max(total, 0) // 2 if same else 0)
        end.append(max(total, 0) - begin[-1])
        more.append(max(-total, 0))
    made = w.add("ConvTranspose", [_images(w, n.inputs[0], n.shape()), kernel], strides=n.get("strides"),
                 dilations=dilations, pads=begin + end, output_padding=more, kernel_shape=list(n.shape(1)[:2]))
    return _images_back(w, made)


@_rule("MaxPool", "AvgPool")
def _(w, n):
    options = {} if n.op == "MaxPool" else {"count_include_pad": 0}
    made = w.add("MaxPool" if n.op == "MaxPool" else "AveragePool", [_images(w, n.inputs[0], n.shape())],
                 kernel_shape=n.get("ksize"), strides=n.get("strides"), **_padding(n), **options)
    return _images_back(w, made)


@_rule("Mean", "Max", "Min", "Prod", "Sum")
def _(w, n):
    op, axes = "Reduce" + n.op, list(n.get("axes"))
    if n.op == "Sum":
        return w.add(op, [n.inputs[0], w.integers(axes)], keepdims=int(n.get("keep_dims")))
    return w.add(op, [n.inputs[0]], axes=axes, keepdims=int(n.get("keep_dims")))


@_rule("ArgMax", "ArgMin")
def _(w, n):
    axis = n.get("axis", n.get("dimension", 0))
    made = w.add(n.op, [n.inputs[0]], axis=axis, keepdims=0)
    return w.add("Cast", [made], to=_TYPES[n.outputs[0][0]])


@_rule("Reshape")
def _(w, n):
    shape = list(n.get("shape"))
    return w.add("Reshape", [n.inputs[0], w.integers(shape)])


@_rule("BroadcastTo")
def _(w, n):
    return w.add("Expand", [n.inputs[0], w.integers([max(size, 1) for size in n.get("shape")])])


@_rule("Transpose")
def _(w, n):
    return w.transpose(n.inputs[0], n.get("perm"))


@_rule("ConcatV2")
def _(w, n):
    return w.add("Concat", n.inputs, axis=n.get("axis"))


@_rule("Split", "SplitV")
def _(w, n):
    axis = n.get("axis")
    sizes = [shape[axis] for _, shape in n.outputs]
    return w.add("Split", [n.inputs[0], w.integers(sizes)], len(n.outputs), axis=axis)


@_rule("Squeeze")
def _(w, n):
    return w.add("Squeeze", [n.inputs[0], w.integers(n.get("axes"))])


@_rule("ExpandDims")
def _(w, n):
    return w.add("Unsqueeze", [n.inputs[0], w.integers(n.get("axes"))])


@_rule("ZerosLike", "OnesLike")
def _(w, n):
    value = _number(n, [0 if n.op == "ZerosLike" else 1])
    return w.add("ConstantOfShape", [w.add("Shape", [n.inputs[0]])], value=value)


@_rule("PadV2", "Pad")
def _(w, n):
    pairs = n.get("paddings")
    return w.add("Pad", [n.inputs[0], w.integers(list(pairs[::2]) + list(pairs[1::2])),
                         w.constant(_number(n, n.get("constant", 0)))])


@_rule("MirrorPad")
def _(w, n):
    if not n.get("reflect"):
        raise NotImplementedError("a pad that repeats the edge")
    pairs = n.get("paddings")
    return w.add("Pad", [n.inputs[0], w.integers(list(pairs[::2]) + list(pairs[1::2]))], mode="reflect")


@_rule("Slice")
def _(w, n):
    begin, size = n.get("begin"), n.get("size")
    ends = [2**62 if length == -1 else first + length for first, length in zip(begin, size)]
    return w.add("Slice", [n.inputs[0], w.integers(begin), w.integers(ends), w.integers(range(len(begin)))])


@_rule("StridedSlice")
def _(w, n):
    if n.get("ellipsis_mask"):
        raise NotImplementedError("an ellipsis in a slice")
    starts, ends, axes, steps, new, gone = [], [], [], [], [], []
    axis = out = 0
    for i, (first, last, step) in enumerate(zip(n.get("begin"), n.get("end"), n.get("strides"))):
        bit = 1 << i
        if n.get("new_axis_mask") & bit:
            new.append(out)
            out += 1
            continue
        if n.get("shrink_axis_mask") & bit:
            starts, ends, steps = starts + [first], ends + [first + 1 if first != -1 else 2**62], steps + [1]
            gone.append(axis)
        else:
            starts.append(first if not n.get("begin_mask") & bit else 0 if step > 0 else 2**62)
            ends.append(last if not n.get("end_mask") & bit else 2**62 if step > 0 else -2**62)
            steps.append(step)
            out += 1
        axes.append(axis)
        axis += 1
    made = n.inputs[0]
    if axes:
        made = w.add("Slice", [made] + [w.integers(one) for one in (starts, ends, axes, steps)])
    if gone:
        made = w.add("Squeeze", [made, w.integers(gone)])
    return w.add("Unsqueeze", [made, w.integers(new)]) if new else made


@_rule("GatherV2")
def _(w, n):
    if n.get("batch_dims"):
        raise NotImplementedError("a gather with batch_dims")
    return w.add("Gather", n.inputs[:2], axis=n.get("axis"))


@_rule("Tile")
def _(w, n):
    return w.add("Tile", [n.inputs[0], w.integers(n.get("multiples"))])


@_rule("ReverseV2")
def _(w, n):
    axes = list(n.get("axes"))
    backwards = [[-1] * len(axes), [-2**62] * len(axes), axes, [-1] * len(axes)]
    return w.add("Slice", [n.inputs[0]] + [w.integers(one) for one in backwards])


@_rule("Cumsum")
def _(w, n):
    return w.add("CumSum", [n.inputs[0], w.integers(n.get("axis"))], exclusive=int(n.get("exclusive")),
                 reverse=int(n.get("reverse")))


@_rule("TopKV2")
def _(w, n):
    values, places = w.add("TopK", [n.inputs[0], w.integers([n.get("k")])], 2, axis=-1,
                           largest=int(not n.get("ascending")))
    return [values, w.add("Cast", [places], to=_TYPES[n.outputs[1][0]])]


@_rule("OneHot")
def _(w, n):
    import numpy
    depth, axis, rank = n.get("depth"), n.get("axis"), len(n.shape())
    places = _number(n, numpy.arange(depth)).reshape([depth] + [1] * (rank - axis))
    found = w.add("Equal", [w.add("Unsqueeze", [n.inputs[0], w.integers([axis])]), w.constant(places)])
    kind = BY_CODE[n.outputs[0][0]].as_numpy_dtype
    on, off = (w.constant(numpy.array(n.get(name), kind)) for name in ("on_value", "off_value"))
    return w.add("Where", [found, on, off])


@_rule("Fill")
def _(w, n):
    return w.add("Expand", [n.inputs[0], w.integers(n.get("shape"))])


@_rule("NotEqual")
def _(w, n):
    return w.add("Not", [w.add("Equal", n.inputs)])


@_rule("IsFinite")
def _(w, n):
    return w.add("Not", [w.add("Or", [w.add("IsInf", [n.inputs[0]]), w.add("IsNaN", [n.inputs[0]])])])


@_rule("Cast")
def _(w, n):
    return w.add("Cast", [n.inputs[0]], to=_TYPES[n.outputs[0][0]])


@_rule("Rsqrt")
def _(w, n):
    return w.add("Reciprocal", [w.add("Sqrt", [n.inputs[0]])])


@_rule("Square")
def _(w, n):
    return w.add("Mul", [n.inputs[0], n.inputs[0]])


@_rule("SquaredDifference")
def _(w, n):
    made = w.add("Sub", n.inputs)
    return w.add("Mul", [made, made])


@_rule("Silu")
def _(w, n):
    return w.add("Mul", [n.inputs[0], w.add("Sigmoid", [n.inputs[0]])])


@_rule("Relu6")
def _(w, n):
    return w.add("Clip", [n.inputs[0], w.constant(_number(n, 0)), w.constant(_number(n, 6))])


@_rule("LeakyRelu")
def _(w, n):
    return w.add("LeakyRelu", [n.inputs[0]], alpha=float(n.get("alpha")))


@_rule("Elu", "Selu")
def _(w, n):
    above, below = float(n.get("above", 1.0)), float(n.get("below", 1.0))
    if above == 1.0:
        return w.add("Elu", [n.inputs[0]], alpha=below)
    return w.add("Selu", [n.inputs[0]], alpha=below / above, gamma=above)


@_rule("Gelu")
def _(w, n):
    x = n.inputs[0]
    half = w.add("Mul", [x, w.constant(_number(n, 0.5))])
    if n.get("approximate"):
        cube = w.add("Mul", [w.add("Mul", [x, x]), x])
        inner = w.add("Add", [x, w.add("Mul", [cube, w.constant(_number(n, 0.044715))])])
        curve = w.add("Tanh", [w.add("Mul", [inner, w.constant(_number(n, 0.7978845608028654))])])
    else:
        curve = w.add("Erf", [w.add("Mul", [x, w.constant(_number(n, 0.7071067811865476))])])
    return w.add("Mul", [half, w.add("Add", [curve, w.constant(_number(n, 1))])])


@_rule("Softmax", "LogSoftmax")
def _(w, n):
    return w.add(n.op, [n.inputs[0]], axis=-1)


@_rule("LayerNorm")
def _(w, n):
    return w.add("LayerNormalization", n.inputs[:3], axis=-1, epsilon=float(n.get("epsilon")))


@_rule("ScaledDotProductAttention")
def _(w, n):
    import numpy
    query, key, value = n.inputs[:3]
    rank = len(n.shape(1))
    keys = w.transpose(key, list(range(rank - 2)) + [rank - 1, rank - 2])
    scores = w.add("Mul", [w.add("MatMul", [query, keys]), w.constant(_number(n, n.get("scale")))])
    low = w.constant(_number(n, numpy.finfo("float32").min))
    if n.get("causal"):
        mask = numpy.tril(numpy.ones((n.shape(0)[-2], n.shape(1)[-2]), bool))
        scores = w.add("Where", [w.constant(mask), scores, low])
    if len(n.inputs) > 3:
        scores = w.add("Where", [n.inputs[3], scores, low])
    return w.add("MatMul", [w.add("Softmax", [scores], axis=-1), value])


# ---- models -----------------------------------------------------------------------------------------------------


def _traced(function, specs):
    """(graph's nodes, places of the outputs, structure) of a function for inputs of these specs."""
    from .compat.v1 import Graph, placeholder
    graph = Graph()
    with graph.as_default():
        inputs = [placeholder(one.dtype, one.shape, name=one.name) for one in specs]
        outputs = nest.flatten(function(inputs))
        outputs = [_native.named(_native.identity(one), f"output_{i}") for i, one in enumerate(outputs)]
    return graph._native.nodes()


def _signature(model, input_signature):
    """(function of a list of tensors, specs)"""
    from .keras.models import Functional, Sequential
    if isinstance(model, Sequential) and input_signature is None:
        symbol = model._input_symbol
        if symbol is None:
            raise ValueError("[onnx] the shape of the input must be known; got a Sequential that has not been "
                             "built; call it, or give input_signature")
        return (lambda given: model(given[0], training=False)), [TensorSpec(symbol.shape, symbol.dtype, "input")]
    if isinstance(model, Functional) and input_signature is None:
        specs = [TensorSpec(one.shape, one.dtype, one.name) for one in model.inputs]
        return (lambda given: model(nest._pack(model._inputs_form, iter(given)), training=False)), specs
    given = input_signature if input_signature is not None else getattr(model, "input_signature", None)
    if given is None:
        raise ValueError("[onnx] the inputs must be known; got no input_signature; give a list of tf.TensorSpec")
    specs = [TensorSpec(one.shape, one.dtype, one.name or f"input_{i}") for i, one in enumerate(nest.flatten(given))]
    call = getattr(model, "python_function", model)
    if hasattr(model, "trainable_weights"):
        return (lambda values: model(*values, training=False)), specs
    return (lambda values: call(*values)), specs


def to_bytes(model, input_signature=None, batch_size=None):
    """A model or a function as the bytes of an ONNX ModelProto.

    Args: input_signature: TensorSpecs, for functions and models that have not been built; batch_size: the
    size of axis 0 where it is open. Without it the batch stays open where all ops allow that, else it is 1.
    Raises: ValueError without shapes; NotImplementedError naming an op that ONNX does not get."""
    function, specs = _signature(model, input_signature)
    fixed = [TensorSpec([batch_size or 1] + list(one.shape)[1:], one.dtype, one.name)
             if one.shape.rank and one.shape[0] is None else one for one in specs]
    if batch_size is not None:
        return _model_proto(_traced(function, fixed))
    try:
        return _model_proto(_traced(function, specs))
    except (ValueError, TypeError, NotImplementedError):
        return _model_proto(_traced(function, fixed))


def _model_proto(nodes):
    w = _Writer()
    names, inputs, outputs = {}, [], []
    for i, node in enumerate(nodes):
        names.update({(i, place): name for place, name in enumerate(_names_of(w, nodes, i, names))})
        if node["op"] == "Placeholder":
            code, shape = node["outputs"][0]
            inputs.append(_value_info(node["name"], code, shape))
    kept = []
    for i, node in enumerate(nodes):
        if node["op"] == "Identity" and node["name"].startswith("output_"):
            outputs.append(_value_info(names[i, 0], *node["outputs"][0]))
            kept.append(names[i, 0])
    graph = b"".join(_bytes(1, one) for one in w.nodes) + _bytes(2, "lockstep")
    graph += b"".join(_bytes(5, _tensor(name, array)) for name, array in w.used(kept))
    graph += b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs)
    return (_integer(1, 8) + _bytes(2, "lockstep") + _bytes(7, graph)
            + _bytes(8, _bytes(1, "") + _integer(2, OPSET)))


def _names_of(w, nodes, i, names):
    """Adds what a node becomes; the names of its outputs."""
    node = nodes[i]
    op = node["op"]
    if op == "Placeholder":
        return [node["name"]]
    if op == "Const":
        if node["outputs"][0][0] == 20:  # a variable, which its readers read
            return [""]
        return [w.constant(node["value"].numpy())]
    if op == "ReadVariableOp":
        source = nodes[node["inputs"][0][0]]
        if ("read", node["inputs"][0]) not in names:
            names["read", node["inputs"][0]] = w.constant(_native.read_handle(source["value"]).numpy(), "weight")
        return [names["read", node["inputs"][0]]]
    inputs = [names[tuple(one)] for one in node["inputs"]]
    made = _Node(node, inputs, [nodes[a]["outputs"][b] for a, b in node["inputs"]])
    if op == "Identity" and node["name"].startswith("output_"):
        w.add("Identity", inputs, [node["name"]])
        return [node["name"]]
    try:
        if op in _SAME:
            result = w.add(_SAME[op], inputs)
        elif op in _RULES:
            result = _RULES[op](w, made)
        else:
            raise NotImplementedError("an op without a counterpart")
    except NotImplementedError as error:
        raise NotImplementedError(f"[onnx] {error} cannot be written; got {op} ({node['name']}); leave it out of "
                                  "what is exported, or write it by other ops") from None
    result = [result] if isinstance(result, str) else list(result)
    return result + [""] * (len(node["outputs"]) - len(result))


def export(model, path, input_signature=None, batch_size=None):
    """Writes a model or a function to an ONNX file; see `to_bytes`. The path."""
    import os
    from ._whole_files import write_whole
    write_whole(path, to_bytes(model, input_signature, batch_size))
    return os.fspath(path)
