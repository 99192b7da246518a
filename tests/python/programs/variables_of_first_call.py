# Variables that a traced function makes in its first call begin with what its random ops draw.
import tensorflow as tf
tf.random.set_seed(22)

class M(tf.Module):
    w = None
    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.random.uniform([2, 1], seed=22))
            self.b = tf.Variable(tf.random.uniform([], seed=22))
        return x @ self.w + self.b
m = M()
print(m(tf.ones([1, 2])).numpy(), m.w.numpy().ravel(), m.b.numpy())
print(m(tf.ones([1, 2])).numpy(), tf.random.uniform([1]).numpy())

class N(tf.Module):
    w = None
    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.random.normal([2]))
            self.b = tf.Variable(tf.random.uniform([2]) * 2.0 + 1.0)
            self.c = tf.Variable(lambda: tf.random.normal([1]))
        return x * self.w + self.b + tf.random.uniform([2])
tf.random.set_seed(3)
n = N()
for _ in range(2):
    print(n(tf.ones([2])).numpy(), n.w.numpy(), n.b.numpy(), n.c.numpy())
print(tf.random.uniform([1]).numpy())

made = []
@tf.function
def dense(x):
    if not made:
        init = tf.random_normal_initializer()
        made.append(tf.Variable(init([2, 2])))
        made.append(tf.Variable(tf.zeros([2])))
        made.append(tf.Variable(made[1] + 1.0))
    return x @ made[0] + made[1]
tf.random.set_seed(4)
print(dense(tf.ones([1, 2])).numpy(), [v.numpy().tolist() for v in made], dense.experimental_get_tracing_count())

count = []
@tf.function
def counted(x):
    count.append(1)
    if len(count) == 1:
        counted.v = tf.Variable(tf.random.uniform([], seed=1))
    return counted.v + x
print(counted(1.0).numpy(), len(count), counted(tf.constant(2.0)).numpy(), len(count), counted.v.numpy())

@tf.function(input_signature=[tf.TensorSpec([None])])
def signed(x):
    if not hasattr(signed, "v"):
        signed.v = tf.Variable(tf.random.uniform([], seed=1))
    return signed.v * x + tf.random.uniform([], seed=2)
tf.random.set_seed(5)
print(signed(tf.ones([1])).numpy(), signed(tf.ones([2])).numpy(), signed.v.numpy())

@tf.function
def from_input(x):
    if not hasattr(from_input, "v"):
        from_input.v = tf.Variable(x * 2.0)
    return from_input.v + x
print(from_input(tf.constant(3.0)).numpy(), from_input(tf.constant(4.0)).numpy())
