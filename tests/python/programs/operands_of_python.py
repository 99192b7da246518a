# Lists and arrays beside operands of another dtype: the first tensor, or else the first operand, gives the dtype.
import numpy as np
import tensorflow as tf
ops = ["maximum", "minimum", "add", "subtract", "multiply", "divide", "pow", "math.squared_difference", "math.floordiv", "math.floormod",
       "truncatediv", "math.atan2", "math.divide_no_nan", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", 
       "math.mod", "math.truediv"]
pairs = [(0.5, [1, -1]), ([1.5, 2.0], [1, 2]), ([1, 2], 3), ([1.0, 2.0], 3), (2.0, [[1, 2]]), (0.5, np.array([1, -1])), (0.5, np.array([1.0, -1.0])),
         (np.array([3, 4]), [1, 2]), ([1, 2], np.array([3, 4])), ([1.0, 2.0], np.array([3.0, 4.0])), (np.array([3.0, 4.0]), [1, 2]),
         (np.array([3.0, 4.0]), 2), (tf.constant([1.0, 2.0]), [1, 2]), (tf.constant([1, 2], tf.int64), [1, 2]),
         (tf.Variable([1.0, 2.0]), [1, 2]), (tf.constant([1.0, 2.0]), np.array([1, 2]))]


def show(function):
    try:
        made = function()
        return f"{made.dtype.name} {np.round(made.numpy().astype('float64'), 3).tolist()}"
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return "refused"


for name in ops:
    op = tf
    for part in name.split("."):
        op = getattr(op, part)
    for one, other in pairs:
        made = show(lambda: op(one, other))
        print(name, made)


@tf.function
def relu(x):
    return tf.maximum(0.0, x)


@tf.function
def of_lists():
    return tf.maximum(0.5, [1, -1]), tf.add([1.5, 2.0], [1, 2]), tf.pow([1, 2], np.array([3, 4]))


print(relu([1, -1]), [one.numpy().tolist() for one in of_lists()])
print(tf.where([True, False], 0.5, [1, 2]).numpy(), tf.where([True, False], [1.5, 2.5], [1, 2]).numpy())
