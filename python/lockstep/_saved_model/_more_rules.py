"""Rules for ops with sizes that are values, for gradients, random numbers and attention."""

from .._dtypes import as_dtype
from ._nodes import INT32, Type
from ._rules import _MASKS, number, one, rule, shape_64, translate  # noqa: F401  (what `_translate` calls, with all rules)


@rule("ByValues")
def _(w, n, i):
    op, x, values = n.get("op"), i[0], i[-1]
    if op in ("Reshape", "BroadcastTo", "Tile"):
        return one(w, op, x, values)
    if op == "PadV2":
        return one(w, "PadV2", x, one(w, "Reshape", values, w.integers([-1, 2])), number(w, n.get("constant", 0.0), x))
    if op == "Slice":
        begin, size = w.add("Split", [w.constant(0, "int32"), values], {"num_split": 2})
        return one(w, "Slice", x, begin, size)
    if op == "StridedSlice":
        parts = w.add("Split", [w.constant(0, "int32"), values], {"num_split": 3})
        return one(w, "StridedSlice", x, *parts, **{name: n.get(name, 0) for name in _MASKS})
    if op.startswith("Stateless"):
        return _drawn(w, n, op, values)
    raise NotImplementedError(f"[saved_model] the op ByValues of {op} ({n.name}) cannot be written")


@rule("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal", "StatelessRandomUniformInt")
def _(w, n, i):
    return _drawn(w, n, n.op, w.constant(list(n.get("shape")), "int32"))


def _drawn(w, n, op, shape):
    """Random numbers: TensorFlow draws others, of the same distribution."""
    dtype = Type(n.get("dtype"))
    if op == "StatelessRandomUniformInt":
        low, high = (w.constant(n.get(name), as_dtype(dtype)) for name in ("low", "high"))
        return one(w, "RandomUniformInt", shape, low, high, seed=0, seed2=0)
    name = {"StatelessRandomUniform": "RandomUniform", "StatelessRandomNormal": "RandomStandardNormal",
            "StatelessTruncatedNormal": "TruncatedNormal"}.get(op)
    if name is None:
        raise NotImplementedError(f"[saved_model] the op {op} ({n.name}) cannot be written")
    made, a, b = one(w, name, shape, dtype=dtype, seed=0, seed2=0), n.get("a", 0.0), n.get("b", 1.0)
    if name == "RandomUniform":  # a and b are the borders
        made = made if b - a == 1.0 else one(w, "Mul", made, number(w, b - a, made))
    elif b != 1.0:  # they are the mean and the deviation
        made = one(w, "Mul", made, number(w, b, made))
    return made if a == 0.0 else one(w, "AddV2", made, number(w, a, made))


@rule("ReshapeLike")
def _(w, n, i):
    return one(w, "Reshape", i[0], shape_64(w, i[1]))


@rule("BroadcastLike")
def _(w, n, i):
    return one(w, "BroadcastTo", i[0], shape_64(w, i[1]))


@rule("SumLike")
def _(w, n, i):
    own, other = shape_64(w, i[1]), shape_64(w, i[0])
    axes = w.add("BroadcastGradientArgs", [own, other], {})[0]
    return one(w, "Reshape", one(w, "Sum", i[0], axes, keep_dims=False), own)


@rule("DivideByReduced")
def _(w, n, i):
    """Divides by the number of elements that were reduced to one."""
    sizes = one(w, "GatherV2", one(w, "Shape", i[1], out_type=Type(INT32)), w.integers(n.get("axes")), w.constant(0, "int32"), batch_dims=0)
    count = one(w, "Prod", sizes, w.integers([0]), keep_dims=False)
    return one(w, "RealDiv", i[0], one(w, "Cast", count, DstT=Type(i[0].dtype)))


@rule("PrintV2", "PyFunction")
def _(w, n, i):
    if n.op == "PyFunction" and n.get("elsewhere") != "PrintV2":
        raise NotImplementedError(f"[saved_model] a call of Python ({n.name}) cannot be written; leave it out of what is saved")
    w.add("NoOp", [], {}, n.name)
    return []


@rule("Assert")
def _(w, n, i):
    w.add("Assert", [i[0], i[1:]], {"summarize": n.get("summarize", 3)}, n.name)
    return []


@rule("InTopKV2")
def _(w, n, i):
    return one(w, "InTopKV2", *i, w.constant(n.get("k"), as_dtype(i[1].dtype)))


@rule("SigmoidCrossEntropyWithLogits")
def _(w, n, i):
    logits, labels = i
    loss = one(w, "Sub", one(w, "Relu", logits), one(w, "Mul", logits, labels))
    return one(w, "AddV2", loss, one(w, "Log1p", one(w, "Exp", one(w, "Neg", one(w, "Abs", logits)))))


@rule("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def _(w, n, i):
    return w.add(n.op, i[:2], {})


@rule("ScaledDotProductAttention")
def _(w, n, i):
    query, key, value = i[:3]
    scores = one(w, "Mul", one(w, "BatchMatMulV2", query, key, adj_x=False, adj_y=True), number(w, n.get("scale"), query))
    if n.get("causal"):
        below = one(w, "MatrixBandPart", one(w, "OnesLike", scores), w.constant(-1, "int64"), w.constant(0, "int64"))
        lowest = one(w, "Mul", one(w, "OnesLike", scores), number(w, float(as_dtype(scores.dtype).min), scores))
        scores = one(w, "SelectV2", one(w, "Greater", below, number(w, 0.0, scores)), scores, lowest)
    return one(w, "BatchMatMulV2", one(w, "Softmax", scores), value, adj_x=False, adj_y=False)


@rule("StringJoin")
def _(w, n, i):
    return one(w, "StringJoin", i, separator=n.get("separator", ""))


@rule("StringLength")
def _(w, n, i):
    return one(w, "StringLength", *i, unit="BYTE" if n.get("unit") else "UTF8_CHAR")


@rule("RegexReplace")
def _(w, n, i):
    return one(w, "StaticRegexReplace", i[0], pattern=n.get("pattern"), rewrite=n.get("rewrite"),
               replace_global=bool(n.get("replace_global")))


@rule("RegexFullMatch")
def _(w, n, i):
    return one(w, "StaticRegexFullMatch", i[0], pattern=n.get("pattern"))


@rule("StringToNumber")
def _(w, n, i):
    return one(w, "StringToNumber", i[0], out_type=Type(n.get("out_type")))
