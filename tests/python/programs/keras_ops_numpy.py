# keras.ops: NumPy's names on tensors.
import numpy as np
import tensorflow as tf
from tensorflow.keras import ops

x = np.array([[1.5, -2.0, 3.25], [0.5, 4.0, -1.25]], "float32")
y = np.array([[2.0, 0.5, -1.0], [1.0, 3.0, 2.0]], "float32")
n = np.array([[3, 1, 2], [7, 5, 6]], "int32")
v = np.array([3.0, 1.0, 2.0, 2.5], "float32")
q = np.array([[4.0, 1.0], [2.0, 3.0]], "float32")


def show(name, made):
    made = made if isinstance(made, (list, tuple)) else [made]
    print(name, *[(np.asarray(one).dtype.name, np.asarray(one).shape, np.round(np.asarray(one).astype("float64"), 3).tolist())
                  for one in made])


for name in ("sum mean var std max min prod any all argmax argmin median ptp logsumexp count_nonzero amax amin average cumsum "
             "cumprod").split():
    function = getattr(ops, name)
    show(name, function(x))
    show(name, function(x, axis=1))
    if name not in ("count_nonzero", "average", "cumsum", "cumprod", "ptp"):
        show(name, function(x, axis=0, keepdims=True))
for name in ("exp sin cos tan tanh sinh cosh arctan arcsinh square abs sign floor ceil negative reciprocal expm1 erf exp2 cbrt "
             "sinc deg2rad rad2deg trunc round relu relu6 leaky_relu elu selu silu softplus softsign log_sigmoid softmax "
             "log_softmax sigmoid hard_sigmoid hard_silu hard_tanh gelu tanh_shrink isnan isinf isfinite nan_to_num ravel transpose "
             "flip fliplr flipud rot90 tril triu diagonal trace zeros_like ones_like copy size ndim sort argsort diff "
             "nonzero logical_not").split():
    show(name, getattr(ops, name)(x))
for name in ("log log2 log10 log1p sqrt rsqrt arccosh").split():
    show(name, getattr(ops, name)(np.abs(x) + 1))
for name in ("add subtract multiply divide true_divide maximum minimum power arctan2 hypot logaddexp heaviside equal not_equal greater "
             "greater_equal less less_equal isclose allclose logical_and logical_or logical_xor append hstack vstack inner outer "
             "kron vdot mod floor_divide").split():
    first = np.abs(x) if name == "power" else x
    show(name, getattr(ops, name)((first, y)) if name in ("hstack", "vstack") else getattr(ops, name)(first, y))
show("ints", ops.floor_divide(n, 2))
show("mean of ints", ops.mean(n))
show("bitwise", [ops.bitwise_and(n, 3), ops.bitwise_or(n, 8), ops.bitwise_xor(n, 1), ops.bitwise_not(n)])
show("dot", [ops.dot(q, q), ops.dot(x, x.T), ops.dot(v, v), ops.matmul(q, q), ops.tensordot(x, y, 2)])
show("concatenate", [ops.concatenate([x, y], axis=1), ops.stack([x, y], axis=1)])
show("split", ops.split(x, 3, axis=1))
show("split at", ops.split(v, [1, 3]))
show("array_split", ops.array_split(v, 3))
show("take", [ops.take(x, [0, 5, -1]), ops.take(x, [2, 0], axis=1), ops.take_along_axis(x, n[:, :1] % 3, axis=1)])
show("pad", [ops.pad(v, 1), ops.pad(x, ((0, 1), (2, 0)), constant_values=9.0), ops.pad(v, (1, 2), mode="reflect")])
show("where", ops.where(x > 1, x, y))
show("clip", ops.clip(x, -1, 2))
show("quantile", [ops.quantile(x, 0.3), ops.quantile(x, [0.1, 0.5], axis=1), ops.quantile(x, 0.5, axis=0, keepdims=True)])
show("average", ops.average(x, axis=1, weights=[1.0, 2.0, 3.0]))
show("moveaxis", [ops.moveaxis(x[None], 0, 2), ops.swapaxes(x, 0, 1), ops.expand_dims(x, 0), ops.squeeze(x[None], 0)])
show("roll", [ops.roll(x, 1), ops.roll(x, 1, axis=1), ops.repeat(v, 2), ops.tile(v, 2), ops.broadcast_to(v, (2, 4))])
show("diag", [ops.diag(v), ops.diag(q), ops.diagflat(q), ops.eye(2), ops.tri(3), ops.full((2,), 7.0), ops.full_like(v, 3)])
show("ranges", [ops.arange(5), ops.arange(1, 6, 2), ops.linspace(0, 1, 5), ops.linspace(0, 1, 4, endpoint=False),
                ops.logspace(0, 2, 3)])
show("isin", [ops.isin(n, [1, 7]), ops.digitize(v, [0.0, 2.0, 3.0]), ops.searchsorted(np.array([1.0, 2.0, 3.0], "float32"), v)])
show("vander", [ops.vander(v), ops.trapezoid(v), ops.round(x * 1.239, 1)])
show("top_k", ops.top_k(v, 2))
show("one_hot", ops.one_hot(np.array([0, 2]), 3))
show("meshgrid", ops.meshgrid(v[:2], v[:3]))
show("segments", ops.segment_sum(v, np.array([0, 0, 1, 1]), num_segments=3))
show("linalg", [ops.det(q), ops.inv(q), ops.solve(q, q), ops.norm(x), ops.norm(x, axis=1), ops.normalize(v)])
show("moments", ops.moments(x, axes=[0]))
show("scatter", [ops.scatter(np.array([[0], [2]]), np.array([1.0, 2.0], "float32"), (4,)),
                 ops.slice(x, [0, 1], [2, 2]), ops.slice_update(x, [0, 1], np.zeros((2, 2), "float32")),
                 ops.scatter_update(v, [[1]], [9.0])])
show("loops", [ops.fori_loop(0, 4, lambda i, a: a * 2, 1), ops.cond(True, lambda: x, lambda: y)])
show("while", ops.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + i), (0, 10)))
inputs = tf.keras.Input((3,))
outputs = ops.concatenate([ops.mean(inputs, axis=1, keepdims=True), ops.flip(inputs, axis=1), ops.log1p(ops.abs(inputs))], axis=1)
print(outputs.shape, np.round(tf.keras.Model(inputs, outputs).predict(x, verbose=0), 4).tolist())
