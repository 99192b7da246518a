import tensorflow as tf
tf.compat.v1.disable_eager_execution()
from tensorflow.compat.v1 import *
from builtins import print  # which it has, too
a = placeholder(tf.float32, name="a"); v = Variable([1., 2.], name="v"); w = get_variable("w", [4, 2], initializer=zeros_initializer(), partitioner=fixed_size_partitioner(2))
s = reduce_sum(a * v) + reduce_sum(w)
with Session() as sess:
    sess.run(global_variables_initializer()); print(sess.run(s, {a: [3., 4.]}), sess.run(assign(v, v + 1.)), sess.run(scatter_update(v, [0], [9.])))
print(bool.name, float32, train.GradientDescentOptimizer.__name__, SparseTensor.__name__, CriticalSection.__name__)
for shape in ([10, 8], [100, 3], [7]):
    ts = tf.TensorShape(shape)
    print(shape, [variable_axis_size_partitioner(b, max_shards=m)(ts, tf.float32) for b in (1, 64, 100, 1000) for m in (None, 3)],
          [min_max_variable_partitioner(n, min_slice_size=b)(shape=ts, dtype=tf.float64) for n in (1, 4, 20) for b in (16, 100, 1 << 18)])
try: variable_axis_size_partitioner(0)
except ValueError: print('refused')
try: min_max_variable_partitioner(2, axis=3)(shape=tf.TensorShape([2, 2]), dtype=tf.float32)
except ValueError as e: print(e)
