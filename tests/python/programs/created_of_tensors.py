import tensorflow as tf
class M(tf.Module):
    def __init__(self): self.v = None; self.n = 0
    @tf.function
    def __call__(self, x):
        self.n += 1
        if self.v is None: self.v = tf.Variable(x, name="v")
        return self.v.assign_add(x)
m = M(); print(m(tf.constant(2.0)), m(tf.constant(2.0)), m.v, m.variables)
st = {}
@tf.function
def f(x, k=2):
    if "w" not in st:
        st["a"] = tf.Variable(1.0)
        st["w"] = tf.Variable(tf.reduce_sum(x) * k)
    if tf.reduce_sum(x) > 0:
        st["w"].assign_add(1.0)
    return {"w": st["w"].read_value(), "n": 3}
print(f(tf.constant([1., 2.])), f(tf.constant([1., 2., 3.])), f(tf.constant([-1.])))
class Layer(tf.keras.layers.Layer):
    def __init__(self): super().__init__(); self.first = None
    def call(self, x):
        if self.first is None: self.first = tf.Variable(tf.reduce_mean(x, 0), trainable=False)
        return x - self.first
l = Layer(); g = tf.function(l); print(g(tf.constant([[1., 2.], [3., 4.]])), g(tf.constant([[1., 2.]])))
