import tensorflow as tf
print([tf.constant(3.2)], (tf.Variable(3.2),), tf.constant(3.2))
@tf.function
def f(): return tf.constant(8.0), tf.constant(3.2)
print(f())
v = tf.Variable(4.0)
@tf.function
def g():
    v.assign_sub(0.8)
    return v.read_value(), v
print(g())
v.assign(4.0)
print([v.assign_sub(0.8)], v.numpy(), [v.read_value()])
print([tf.constant(3.2, tf.float16)], [tf.constant(3.2, tf.float64)], [tf.constant(3, tf.int8)], [tf.constant(True)], [tf.constant(3.2, tf.bfloat16)])
