import tensorflow as tf
import numpy as np
i = tf.constant(0); c = lambda i: tf.less(i, 10); b = lambda i: (tf.add(i, 1),); print(tf.while_loop(c, b, [i]))
r = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [tf.constant(0), tf.ones([2, 2])], shape_invariants=[i.get_shape(), tf.TensorShape([None, 2])]); print(r[1].shape)
print(tf.while_loop(lambda i, s: i < 100, lambda i, s: (i + 1, s + i), (0, 0), maximum_iterations=5)); print(tf.cond(tf.constant(1) < 2, lambda: tf.add(1, 2), lambda: tf.square(3)))
print(tf.case([(tf.less(3, 2), lambda: tf.constant(17))], default=lambda: tf.constant(23)), tf.switch_case(tf.constant(1), [lambda: tf.constant(17), lambda: tf.constant(31), lambda: tf.constant(-1)]))
print(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))); print(tf.map_fn(fn=lambda t: (t[0] * t[1]), elems=(tf.constant([1., 2.]), tf.constant([3., 4.])), fn_output_signature=tf.float32)); print(tf.map_fn(lambda x: (x, -x), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.int32)))
print(tf.scan(lambda a, x: a + x, tf.range(1, 6))); print(tf.scan(lambda a, x: a * x, tf.constant([2., 3.]), initializer=tf.constant(10.), reverse=True)); print(tf.foldl(lambda a, x: a + x, tf.range(5)), tf.foldr(lambda a, x: a - x, tf.range(5)))
print(tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.reshape(tf.range(6.), [3, 2])))
ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False); ta = ta.write(0, 10).write(1, 20).write(2, 30); print(ta.read(0), ta.read(1), ta.stack(), ta.size(), ta.gather([0, 2]), ta.concat() if False else "")
u = tf.TensorArray(tf.int32, 3).unstack([1, 2, 3]); print(u.stack()); sp = tf.TensorArray(tf.int32, 2).split([1, 2, 3], [1, 2]) if True else None; print(sp.read(1)); 
@tf.function
def f(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n): ta = ta.write(i, i * i)
    return ta.stack()
print(f(tf.constant(5)))
@tf.function
def g(x):
    v = tf.constant(0.)
    def body(i, acc): return i + 1, acc + x[i]
    _, acc = tf.while_loop(lambda i, a: i < tf.shape(x)[0], body, [0, v]); return acc
x = tf.constant([1., 2., 3.])
with tf.GradientTape() as t: t.watch(x); y = g(x) ** 2
print(t.gradient(y, x))
v = tf.Variable(1.)
@tf.function
def h(p):
    with tf.control_dependencies([v.assign_add(1.)]): a = tf.identity(v)
    tf.debugging.assert_greater(a, 0.)
    if p: v.assign(a * 10.)
    else: v.assign_sub(1.)
    return a, v.read_value()
print(h(tf.constant(True)), h(tf.constant(False)), v.numpy())
tf.group(v.assign(3.)); print(tf.tuple([v * 1., v * 2.]))
for fn in (lambda: tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 3]), message="eq"), lambda: tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 4))]), lambda: tf.debugging.assert_all_finite(tf.constant([1., np.nan]), "nan here"), lambda: tf.debugging.check_numerics(tf.constant([np.inf]), "chk"), lambda: tf.Assert(False, [tf.constant(1)]), lambda: tf.debugging.assert_rank(tf.ones([2]), 2), lambda: tf.debugging.assert_less(3, 2), lambda: tf.debugging.assert_none_equal([1], [1]), lambda: tf.debugging.assert_near(1., 1.1), lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1., [0]) if False else tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0), lambda: tf.gather([1, 2], [5]), lambda: tf.reshape([1, 2], [3]), lambda: tf.split(tf.range(5), 2), lambda: tf.squeeze(tf.ones([2, 1]), 0), lambda: tf.transpose(tf.ones([2, 2]), [0, 0]), lambda: tf.expand_dims(1, 5), lambda: tf.constant([1, [2]]), lambda: tf.convert_to_tensor(None), lambda: tf.constant([1, 2])[5], lambda: len(tf.constant(1)), ):
    try: print("no error", fn())
    except Exception as e: print(type(e).__name__)
print(issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError), tf.errors.InvalidArgumentError(None, None, "msg").message, tf.errors.NotFoundError(None, None, "m").error_code, tf.errors.DEADLINE_EXCEEDED)
