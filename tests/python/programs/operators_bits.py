import numpy as np
import tensorflow as tf

flags = tf.constant([0b0001, 0b0110, 0b1111])
READ, WRITE, EXECUTE = 1, 2, 4
print((flags & WRITE).numpy(), (flags | EXECUTE).numpy(), (flags ^ READ).numpy(), (~flags).numpy(), (READ | flags).numpy())
print(((flags & READ) != 0).numpy(), tf.cast(flags & (READ | WRITE), tf.bool).numpy())
a, b = tf.constant([True, True, False]), tf.constant([True, False, False])
print((a & b).numpy(), (a | b).numpy(), (a ^ b).numpy(), (~a).numpy(), (a & True).numpy())
print(tf.bitwise.left_shift(flags, [1, 2, 3]).numpy(), tf.bitwise.right_shift(tf.constant([-8, 64], tf.int8), tf.constant([1, 3], tf.int8)).numpy())

@tf.function
def parity(x):
    for shift in (16, 8, 4, 2, 1):
        x ^= tf.bitwise.right_shift(x, shift)
    return x & 1
print(parity(tf.constant([0, 1, 3, 7, 255, 256])).numpy())

@tf.function
def xorshift(x, n):
    for _ in tf.range(n):
        x = tf.bitwise.bitwise_xor(x, tf.bitwise.left_shift(x, 13))
        x = tf.bitwise.bitwise_xor(x, tf.bitwise.right_shift(x, 7))
        x = tf.bitwise.bitwise_xor(x, tf.bitwise.left_shift(x, 17))
    return x
print(xorshift(tf.constant(88172645463325252, tf.int64), tf.constant(3)).numpy())
predictions = tf.constant([[0.1, 0.9], [0.8, 0.2]]); labels = tf.constant([1, 1])
try:
    print(tf.argmax(predictions, 1) == labels)
except tf.errors.InvalidArgumentError as error:
    print("the dtypes differ:", type(error).__name__)
print((tf.argmax(predictions, 1, output_type=tf.int32) == labels).numpy())
f = tf.constant([1.0, 2.0])
print(f == [1, 2, 3], f != tf.constant([1.0, 2.0, 3.0]), f == (1, 2), f == None, f != np.array([1, 5]), f == True)
for wrong in ("a", tf.constant("x"), tf.constant([1, 2])):
    try: print(f == wrong)
    except (TypeError, tf.errors.InvalidArgumentError) as error: print(type(error).__name__)
print(tf.stack([1, 2.5]).numpy(), tf.bitcast(tf.constant(1.0), tf.int32), tf.bitcast(tf.constant([1, 2]), tf.float32).shape, tf.stack([tf.constant(1.0), 2]).numpy())
print(tf.bitwise.invert(tf.constant([0, 255], tf.uint8)).numpy())
