import tensorflow as tf
import numpy as np
my_tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
my_variable = tf.Variable(my_tensor)
bool_variable = tf.Variable([False, False, False, True])
print("Shape: ", my_variable.shape); print("DType: ", my_variable.dtype); print("As NumPy: ", my_variable.numpy())
print("A variable:", my_variable); print("\nViewed as a tensor:", tf.convert_to_tensor(my_variable)); print("\nIndex of highest value:", tf.math.argmax(my_variable))
print("\nCopying and reshaping: ", tf.reshape(my_variable, [1, 4]))
a = tf.Variable([2.0, 3.0]); a.assign([1, 2])
try: a.assign([1.0, 2.0, 3.0])
except Exception as e: print(f"{type(e).__name__}: {e}")
b = tf.Variable(a); a.assign([5, 6]); print(a.numpy(), b.numpy(), a.assign_add([2, 3]).numpy(), a.assign_sub([7, 9]).numpy())
c = tf.Variable(my_tensor, name="Mark"); d = tf.Variable(my_tensor + 1, name="Mark"); print(c == d, c.name, c is d)
step_counter = tf.Variable(1, trainable=False); print(step_counter.trainable, step_counter)
with tf.device("CPU:0"): e = tf.Variable([[1.0, 2.0, 3.0]]); f = tf.constant([[1.0], [2.0], [3.0]]); print(tf.matmul(e, f)); print(e.device)
v = tf.Variable(lambda: tf.ones([2]), dtype=tf.float32, shape=[2]); print(v.numpy(), v.initial_value if False else "")
s = tf.Variable(tf.zeros([4, 2])); s.scatter_nd_update([[0], [2]], [[1., 1.], [2., 2.]]); print(s.numpy()); s[1, 0].assign(9.); s[2:, 1].assign([5., 6.]); print(s.numpy())
s.scatter_add(tf.IndexedSlices(tf.constant([[1., 1.]]), tf.constant([3]))); s.scatter_update(tf.IndexedSlices([[7., 7.]], [0])); print(s.numpy(), s.sparse_read([0, 1]).numpy(), s.gather_nd([[2, 1]]).numpy())
print(s.scatter_max(tf.IndexedSlices([[10., 1.]], [0])).numpy()[0], s.scatter_mul(tf.IndexedSlices([[2., 2.]], [0])).numpy()[0], s.batch_scatter_update(tf.IndexedSlices([1.], [0])) is not None if False else "")
i = tf.Variable(5); print(i + 1, 2 * i, i // 2, i % 3, -i, abs(i), i ** 2, i > 3, i == 5, int(i), float(i), bool(i), i.numpy() + 1)
try: i.assign(1.5)
except Exception as e: print(type(e).__name__)
try: i.assign_add("a")
except Exception as e: print(type(e).__name__)
try: tf.Variable()
except Exception as e: print(type(e).__name__)
x = tf.Variable(3.0, name="x", dtype=tf.float64, constraint=lambda t: tf.clip_by_value(t, 0., 1.)); print(x.constraint is not None, x.dtype, x.name)
import copy; y = copy.deepcopy(x); y.assign(1.); print(x.numpy(), y.numpy())
try: hash(x)
except TypeError as e: print(e)
@tf.function
def f(k):
    x.assign_add(k); return x.read_value() * 2
print(f(tf.constant(1., tf.float64)).numpy(), x.numpy(), x.value().numpy())
@tf.function
def bad():
    w = tf.Variable(1.); return w
class Holder(tf.Module):
    def __init__(self): super().__init__(name="holder"); self.v = None
    @tf.function
    def __call__(self, x):
        if self.v is None: self.v = tf.Variable(tf.ones_like(x))
        return self.v * x
h = Holder(); print(h(tf.constant([1., 2.])).numpy(), [v.name for v in h.variables], h.trainable_variables)
z = tf.Variable(2.0)
with tf.GradientTape() as t: r = z ** 3
print(t.gradient(r, z), [v for v in t.watched_variables()][0] is z)
for row in tf.Variable([[1, 2], [3, 4]]): print(row)
print(repr(tf.Variable("hello")), repr(tf.Variable([True])), str(tf.Variable(np.int64(3))), tf.Variable(b"x").numpy(), tf.Variable(1j).dtype if False else "")
l = [tf.Variable(k) for k in range(3)]; print(sum(l), tf.add_n(l), tf.stack(l), tf.nest.map_structure(lambda q: q.numpy(), l))
z.assign(4., read_value=False); print(z.assign(5.) is not None, z.assign_add(1.), z.experimental_ref() is not None if hasattr(z, "experimental_ref") else True)
print(tf.is_tensor(z), isinstance(z, tf.Variable), isinstance(z, tf.Tensor), z.shape.rank, z.get_shape(), z.shape == ())
