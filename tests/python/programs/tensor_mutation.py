import tensorflow as tf
import numpy as np

# numpy array changed after tensor creation
a = np.array([1.0, 2.0, 3.0], dtype=np.float32)
t = tf.constant(a)
a[0] = 100.0
print(t)
c = tf.convert_to_tensor(np.arange(3))
print(c.dtype, c.numpy())
v = tf.Variable(t)
snapshot = v.read_value()
v.assign([9.0, 9.0, 9.0])
print("snapshot:", snapshot.numpy(), "variable:", v.numpy())
ident = tf.identity(v)
v[1].assign(5.0)
print(ident.numpy(), v.numpy())
try:
    t[0] = 1.0
except TypeError as e:
    print("TypeError:", str(e)[-36:])
updated = tf.tensor_scatter_nd_update(t, [[0]], [42.0])
print(updated.numpy(), t.numpy())

@tf.function
def send_and_modify():
    before = v.read_value()
    v.assign_add(tf.ones_like(v))
    after = v.read_value()
    return before, after

b, a2 = send_and_modify()
print("before", b.numpy(), "after", a2.numpy())
v.scatter_nd_update([[0], [2]], [0.0, 1.0])
print(v)
v.scatter_update(tf.IndexedSlices(tf.constant([7.0]), tf.constant([1])))
print(v.numpy())
v.scatter_add(tf.IndexedSlices(tf.constant([0.5, 0.5]), tf.constant([0, 0])))
print(v.numpy())
copy = tf.Variable(v)
copy.assign(copy * 2)
print(v.numpy(), copy.numpy())
n = t.numpy()
n[0] = -1
print(t.numpy()[0], n[0])
print(np.asarray(t), t.__array__().dtype, np.mean(t))
e = tf.Variable(0, dtype=tf.int32, name="counter")
print(e, e.name, e.shape, e.assign_add(3))
print(repr(v), str(v.value()))
