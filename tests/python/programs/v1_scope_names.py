import tensorflow as tf
tf.compat.v1.disable_eager_execution()
with tf.compat.v1.name_scope("foo") as s:
    print(s, tf.identity(1.0, name=s).name)
with tf.compat.v1.name_scope("bar") as s:
    x = tf.constant(2.0, name="x")
    y = tf.add(x, 1.0, name=s)
    print(x.name, y.name, [i.name for i in y.op.inputs])
with tf.compat.v1.name_scope("bar") as s:
    print(tf.constant(1.0, name=s).name, tf.multiply(3.0, tf.constant(1.), name="m").name)
with tf.compat.v1.name_scope(None, "def", [x]) as s:
    print(tf.reduce_sum(x, name=s).name)
def op(x, name=None):
    with tf.compat.v1.name_scope(name, "my_op", [x]) as scope:
        x = tf.convert_to_tensor(x, name="x")
        return tf.square(x + 1.0, name=scope)
print(op(1.0).name, op(1.0).name, op(1.0, name="q").name)
with tf.compat.v1.name_scope("outer"):
    print(op(1.0).name, op(1.0, "z").name)
    with tf.compat.v1.name_scope("foo/"):
        print(tf.constant(1.0, name="c").name)
p = tf.compat.v1.placeholder(tf.float32, name="p")
print(p.name, tf.group(p, name="g").name)
