import numpy as np
import tensorflow as tf

ops = tf.keras.ops
nan = np.nan
x = np.array([[1.5, nan, -2.0, 4.0], [nan, nan, nan, nan], [0.5, 3.0, nan, -1.0]], "float32")
numbers = np.array([[3, 1, 2], [6, 5, 4]])


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    value = np.asarray(value)
    return value.dtype.name, value.shape, (np.round(value.astype("float64"), 3) + 0.0).tolist()


for name in ("nanargmax", "nanargmin", "nanmax", "nanmean", "nanmedian", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"):
    function = getattr(ops, name)
    print(name, shown(function(x, axis=1)), shown(function(x, axis=0, keepdims=True)), shown(function(numbers)))
print(shown(ops.nancumsum(x, axis=1)), shown(ops.nancumprod(x)), shown(ops.nancumsum(numbers > 2)))
for method in ("linear", "lower", "higher", "midpoint", "nearest"):
    print(method, shown(ops.nanquantile(x, 0.3, axis=0, method=method)), shown(ops.quantile(numbers, [0.1, 0.6], axis=1, method=method)))
print(shown(ops.nanpercentile(x, 50)), shown(ops.percentile(x, 50)), shown(ops.percentile(numbers, [10, 90], axis=1, keepdims=True)))
signs = np.array([1.0, -2.0, 0.0, -0.0, nan, -np.inf], "float32")
print(shown(ops.signbit(signs)), shown(ops.angle(signs)), shown(ops.isreal(signs)), shown(ops.imag(numbers)), shown(ops.real(signs[:2])))
a, b = np.array([5.5, -5.5, nan, 2.0, -np.inf], "float32"), np.array([2.0, 2.0, 3.0, nan, -np.inf], "float32")
for name in ("fmax", "fmin", "fmod", "logaddexp2", "logaddexp"):
    print(name, shown(getattr(ops, name)(a, b)), shown(getattr(ops, name)(-numbers, 2)))
print(shown(ops.gcd(numbers * 6, 4)), shown(ops.lcm(-numbers, numbers + 1)), shown(ops.ldexp(a[:2], [3, -1])))
print(shown(ops.erfinv(np.array([0.1, -0.5, 0.999, 1.0, 2.0]))), shown(ops.i0(np.array([0.0, 0.5, -3.0], "float32"))),
      shown(ops.nextafter(np.float32(1), np.float32(2))))
for name in ("bartlett", "blackman", "hamming", "hanning"):
    print(name, [shown(getattr(ops, name)(size)) for size in (1, 2, 5)])
print(shown(ops.kaiser(5, 8.6)), shown(ops.geomspace(1.0, 8.0, 4)), shown(ops.geomspace(1, 1000, 3, endpoint=False)))
print(shown(ops.bincount([1, 1, 2, 3, 2, 4, 4, 6])), shown(ops.bincount(numbers, minlength=8)), shown(ops.bincount([1, 1, 2], weights=[0.5, 0.5, 1.0])))
print(shown(ops.histogram([1, 1, 2, 3, 4, 5, 5, 8.0])), shown(ops.histogram([1, 1, 2, 3, 4, 5, 5, 8], bins=4)), shown(ops.histogram(signs[:3], bins=2, range=(0, 4))))
print(shown(ops.unique([3, 1, 1, 2], return_counts=True, return_inverse=True, return_index=True)), shown(ops.unique([3, 1, 1], sorted=False)))
print(shown(ops.unique(np.array([[2, 2], [1, 1], [2, 2]]), axis=0)), shown(ops.unique([3, 1, 1, 2], size=5, fill_value=9)))
print(shown(ops.unravel_index([22, 13, 5], (2, 3, 4))), shown(ops.select([numbers > 2, numbers > 1], [numbers, numbers * 10], 42)))
print(shown(ops.hsplit(numbers, 3)), shown(ops.vsplit(numbers, 2)), shown(ops.dsplit(np.arange(8).reshape(2, 2, 2), 2)[1]))
print(shown(ops.corrcoef(np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 0.0]]))), shown(ops.cdist([[1.0, 2.0]], [[0.0, 0.0], [4.0, 6.0]])))
for mode in ("valid", "same", "full"):
    print(mode, shown(ops.correlate(a[:2], np.array([1.0, 2.0, 0.5], "float32"), mode=mode)), shown(ops.correlate([1, 2, 3, 4], [1, 2], mode=mode)))
print(shown(ops.view(np.array([1.0, 2.0], "float32"), "int32")), shown(ops.view(np.array([1, 2, 3, 4], "uint8"), "int32")), shown(ops.view(numbers[:, :1], "int32")))
print(shown(ops.multi_hot(np.array([[1, 2], [0, 0]]), num_classes=3)), shown(ops.segment_min(a[:2], np.array([0, 0]))), shown(ops.segment_prod(a[:2], np.array([0, 1]), 3)))
for act in (lambda: ops.gcd(1.5, 2), lambda: ops.ldexp(1.0, 2.0), lambda: ops.histogram(numbers), lambda: ops.correlate([1.0], [1.0], mode="x")):
    try:
        act()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error)[:50])

inputs = tf.keras.Input((4,))
model = tf.keras.Model(inputs, [ops.nanmean(inputs, axis=-1, keepdims=True), ops.nanargmax(inputs, axis=1), ops.fmax(inputs, 0.0)])
print([(one.shape, one.dtype) for one in model.outputs], shown(model(x)))
traced = tf.function(lambda x: (ops.quantile(x, 0.5, axis=0), ops.gcd(ops.cast(x, "int32"), 6), ops.logaddexp2(x, 1.0)))
print(shown(traced(tf.constant([[4.0, 9.0], [2.0, 1.0]]))))
with tf.GradientTape() as tape:
    value = tf.Variable([0.5, -0.25])
    total = ops.sum(ops.erfinv(value)) + ops.nansum(ops.logaddexp2(value, 0.0)) + ops.sum(ops.i0(value)) + ops.nanvar(value)
print(shown(tape.gradient(total, value)))
