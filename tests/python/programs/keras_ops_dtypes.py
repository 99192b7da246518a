import numpy as np
import tensorflow as tf

ops = tf.keras.ops
kinds = [np.array([[3, 1, 2], [6, 5, 4]], one) for one in ("int64", "int32", "uint8", "float16", "float64")]
truth = np.array([[True, False, True], [False, True, True]])
for name in ("exp", "log", "sqrt", "sin", "tanh", "arctan", "floor", "ceil", "log1p", "isnan", "isfinite", "isposinf",
             "absolute", "fabs", "square", "cbrt", "deg2rad", "nan_to_num", "norm", "argmax", "max", "cumsum"):
    function = getattr(ops, name)
    print(name, [function(x).dtype.name for x in kinds], [round(float(one), 3) for one in np.ravel(function(kinds[0]))[:3]])
for name in ("add", "subtract", "multiply", "divide", "matmul", "maximum", "power", "mod", "equal", "less", "arctan2", "hypot",
             "logaddexp", "divide_no_nan", "outer", "tensordot"):
    function = getattr(ops, name)
    given = [(kinds[0], kinds[1]), (kinds[0], 2), (kinds[1], 2.5), (kinds[2], kinds[0]), (kinds[3], kinds[1]), (kinds[0], kinds[4])]
    if name in ("matmul", "tensordot"):
        given = [(a, np.transpose(b)) for a, b in given if not isinstance(b, (int, float))]
    if name == "power":
        given = given[1:3]
    made = [function(*one) for one in given]
    if name == "tensordot":
        made = [function(*one, axes=1) for one in given]
    print(name, [one.dtype.name for one in made], [round(float(one), 3) for one in np.ravel(made[0])[:3]])
for name in ("sum", "prod", "mean", "max", "min", "any", "argmax", "cumsum", "square", "absolute", "sort", "argsort"):
    made = getattr(ops, name)(truth)
    print(name, made.dtype.name, np.ravel(made).tolist())
print(ops.sum(np.array([100, 100], "int8")).numpy(), ops.prod(np.array([100, 100], "int16")).numpy(),
      ops.trace(np.array([[100, 0], [0, 100]], "int8")).numpy())
print(ops.logaddexp(np.float32(-np.inf), np.float32(-np.inf)).numpy(), ops.max(kinds[0], initial=10).numpy(),
      ops.min(np.float32([1, 2]), initial=0.0).numpy(), ops.full_like(kinds[1], 2.7).numpy().tolist())
print(ops.cross(kinds[0], np.float32([[1, 0, 0], [0, 1, 0]])).numpy().tolist(), ops.cross([1.0, 2.0], [3.0, 4.0]).numpy())
print(ops.kron(kinds[1], np.array([1, 2])).numpy().tolist())
inputs = tf.keras.Input((3,), dtype="int32")
model = tf.keras.Model(inputs, [ops.exp(inputs), inputs * 2.5, ops.sum(ops.cast(inputs, "uint8"), axis=-1)])
print([(one.dtype, tuple(one.shape)) for one in model.outputs[:2]], [np.round(one, 2).tolist() for one in model(kinds[1])])


@tf.function
def traced(x):
    return ops.multiply(x, 0.5), ops.sqrt(x), ops.divide(x, 2)


print([(one.dtype.name, np.round(one, 2).tolist()) for one in traced(tf.constant(kinds[0]))])
products = tf.function(lambda a, b: tf.tensordot(a, b, 1))
print(products(tf.ones((2, 3)), tf.ones((3, 4))).shape)
opened = tf.function(lambda a, b: tf.tensordot(a, b, [[1], [0]]), input_signature=[
    tf.TensorSpec([None, 3, None]), tf.TensorSpec([3, None])])
print(opened(tf.ones((2, 3, 5)), tf.ones((3, 4))).shape, opened(tf.ones((1, 3, 5)), tf.ones((3, 2))).shape)
