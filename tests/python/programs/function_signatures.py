"""What concrete functions say of themselves, and how calls that do not fit are refused."""
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="values"), tf.TensorSpec([], tf.int32)])
def scaled(values, factor):
    return values * tf.cast(factor, tf.float32), {"count": tf.size(values)}


concrete = scaled.get_concrete_function()
print(concrete)
print(concrete.pretty_printed_signature())
print(repr(concrete).split(" at 0x")[0])
print([one.name for one in concrete.inputs], [one.shape for one in concrete.inputs])
print(concrete.structured_input_signature)
print(concrete.structured_outputs)
for wrong in [(tf.constant([1.0]),), (tf.constant([1.0]), 2, 3), (tf.constant([[1.0]]), 2), (tf.constant([1]), 2)]:
    try:
        scaled(*wrong)
    except TypeError as error:
        print("TypeError:", error)


@tf.function
def power(x, exponent=2):
    return x ** exponent


for one in [tf.TensorSpec([], tf.float32), tf.TensorSpec([None, 3], tf.float32)]:
    power.get_concrete_function(one)
power.get_concrete_function(tf.TensorSpec([], tf.float32), 3)
print(power.pretty_printed_concrete_signatures())
kept = []


@tf.function
def leak(x):
    kept.append(x + 1)
    return x


leak(tf.constant(1.0))
try:
    kept[0] + 1
except TypeError as error:
    print("TypeError", "out of scope" in str(error))
