# Concrete functions whose arguments hold Python objects take the tensors alone.
import tensorflow as tf

class M:
    def __init__(self, w=2.0):
        self.w = tf.Variable(w)

def show(f):
    try:
        r = f()
        print(tf.nest.map_structure(lambda x: x.numpy().tolist(), r))
    except Exception as e:
        print(type(e).__name__)

def f(m, x):
    return m.w * x
m = M()
g = tf.function(f).get_concrete_function(m, tf.constant(1.0))
show(lambda: g(tf.constant(10.0)))
show(lambda: g(x=tf.constant(10.0)))
show(lambda: g(m, tf.constant(10.0)))
show(lambda: g())
show(lambda: g(tf.constant(1.0), tf.constant(10.0)))
show(lambda: g(tf.constant([10.0])))
show(lambda: g(tf.constant(10)))
g = tf.function(f).get_concrete_function(m, tf.TensorSpec([None]))
show(lambda: g(tf.constant([10.0])))
show(lambda: g(tf.constant([10.0, 1.0])))

@tf.function
def scaled(x, factor, y, flag=True, *, power=2):
    return x * factor + y ** power if flag else x
g = scaled.get_concrete_function(tf.TensorSpec([]), 3.0, tf.TensorSpec([]))
show(lambda: g(tf.constant(1.0), tf.constant(2.0)))
show(lambda: g(tf.constant(1.0), y=tf.constant(2.0)))
show(lambda: g(x=tf.constant(1.0), y=tf.constant(2.0)))
g = scaled.get_concrete_function(tf.constant(5.0), 3, tf.constant(1.0), flag=False, power=3)
show(lambda: g(tf.constant(1.0), tf.constant(2.0)))
print(g.structured_input_signature)

@tf.function
def nested(d, pair, obj=None):
    return d["a"] + pair[0] * pair[1]
g = nested.get_concrete_function({"a": tf.TensorSpec([])}, (tf.TensorSpec([]), 4.0), m)
show(lambda: g(tf.constant(1.0), tf.constant(2.0)))

class Net(tf.Module):
    def __init__(self):
        self.v = tf.Variable(3.0)
    @tf.function
    def call(self, x, training=False):
        return x * self.v if training else x + self.v
net = Net()
g = net.call.get_concrete_function(tf.TensorSpec([]), training=True)
show(lambda: g(tf.constant(2.0)))
net.v.assign(5.0)
show(lambda: g(tf.constant(2.0)))
