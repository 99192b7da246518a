"""Optimizers of one's own inside of a LossScaleOptimizer."""
import tensorflow as tf
import numpy as np
class Sign(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="sign", **kw):
        super().__init__(learning_rate=learning_rate, name=name, **kw)
    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.m = [self.add_variable_from_reference(v, "m") for v in variables]
    def update_step(self, gradient, variable, learning_rate):
        m = self.m[self._get_variable_index(variable)]
        m.assign(0.5 * m + 0.5 * tf.cast(gradient, m.dtype))
        variable.assign_sub(learning_rate * tf.sign(m))
o = tf.keras.optimizers.LossScaleOptimizer(Sign(), initial_scale=8.0, dynamic_growth_steps=2)
v = tf.Variable([1.0, -2.0])
for g in ([8.0, -16.0], [np.inf, 1.0], [8.0, 8.0], [-8.0, 4.0], [1.0, 1.0]):
    o.apply_gradients([(tf.constant(g), v)])
    print(v.numpy(), int(o.iterations), float(o.dynamic_scale), int(o.step_counter))
@tf.function
def step(g):
    o.apply_gradients([(g, v)])
for g in ([8.0, -16.0], [np.nan, 1.0], [8.0, 8.0]):
    step(tf.constant(g)); print(v.numpy(), int(o.iterations), float(o.dynamic_scale), int(o.step_counter))
tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
o2 = tf.keras.optimizers.LossScaleOptimizer(Sign(0.01), initial_scale=8.0, dynamic_growth_steps=2)
model.compile(o2, "mse")
x = np.linspace(-1, 1, 24).reshape(8, 3).astype("float32"); y = x.sum(1, keepdims=True) * 2
h = model.fit(x, y, batch_size=4, epochs=3, verbose=0, shuffle=False)
print(np.round(h.history["loss"], 5), int(o2.iterations), float(o2.dynamic_scale))
print(np.round(model.get_weights()[0].ravel(), 5))

# a loss scale of the optimizer inside is left to the one around it
inner = tf.keras.optimizers.SGD(0.01, momentum=0.5, loss_scale_factor=8.0)
inner.learning_rate = 0.0625
outer = tf.keras.optimizers.LossScaleOptimizer(inner, initial_scale=4.0)
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="mixed_float16")])
model.compile(outer, "mse")
history = model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=3, verbose=0).history
print([round(float(one), 4) for one in history["loss"]], inner.loss_scale_factor, inner.get_config()["loss_scale_factor"],
      float(inner.learning_rate), float(outer.dynamic_scale.numpy()), int(outer.step_counter.numpy()))
