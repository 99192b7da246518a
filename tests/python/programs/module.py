import tensorflow as tf
class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([in_features, out_features]), name='w'); self.b = tf.Variable(tf.zeros([out_features]), name='b')
    @tf.Module.with_name_scope
    def __call__(self, x): return tf.nn.relu(tf.matmul(x, self.w) + self.b)
class SequentialModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.dense_1 = Dense(3, 3); self.dense_2 = Dense(3, 2); self.scale = tf.Variable(2.0, trainable=False)
    def __call__(self, x): return self.dense_2(self.dense_1(x)) * self.scale
my_model = SequentialModule(name="the_model")
print("Model results:", my_model(tf.constant([[2.0, 2.0, 2.0]])))
print("Submodules:", [type(m).__name__ for m in my_model.submodules], my_model.name, len(my_model.variables), len(my_model.trainable_variables))
for var in my_model.variables: print(var.name, var.shape)
class Flexible(tf.Module):
    def __init__(self, out): super().__init__(); self.is_built = False; self.out = out
    def __call__(self, x):
        if not self.is_built:
            self.w = tf.Variable(tf.ones([x.shape[-1], self.out]) * 0.5, name='w'); self.is_built = True
        return x @ self.w
f = Flexible(2); print(f(tf.ones([1, 3])).numpy())
class Graphed(tf.Module):
    def __init__(self): self.steps = tf.Variable(0, trainable=False); self.m = tf.Variable(3.0)
    @tf.function
    def __call__(self, x):
        self.steps.assign_add(1)
        return self.m * x
g = Graphed(); print(g(2.0).numpy(), g(tf.constant(3.0)).numpy(), g.steps.numpy())
def loss(y, p): return tf.reduce_mean(tf.square(y - p))
class MyLinear(tf.Module):
    def __init__(self, **kwargs): super().__init__(**kwargs); self.w = tf.Variable(5.0); self.b = tf.Variable(0.0)
    def __call__(self, x): return self.w * x + self.b
x = tf.linspace(-2.0, 2.0, 21); y = 3.0 * x + 2.0
model = MyLinear()
for epoch in range(10):
    with tf.GradientTape() as t: current = loss(y, model(x))
    dw, db = t.gradient(current, [model.w, model.b]); model.w.assign_sub(0.1 * dw); model.b.assign_sub(0.1 * db)
    print(f"Epoch {epoch:2d}: W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}, loss={current:2.4f}")
