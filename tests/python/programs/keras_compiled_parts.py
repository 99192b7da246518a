"""What compile makes: losses, weights and metrics by outputs, their places among a model's metrics, and optimizers' slots."""
import numpy as np
import tensorflow as tf
keras = tf.keras
keras.utils.set_random_seed(11)
r = np.random.RandomState(1)
a = r.rand(32, 4).astype("float32"); t1 = r.rand(32, 1).astype("float32"); t2 = r.randint(0, 3, 32)
i = keras.Input((4,), name="rows"); d = keras.layers.Dense(6, activation="swish")(i)
price, kind = keras.layers.Dense(1, name="price")(d), keras.layers.Dense(3, name="kind")(d)
m = keras.Model(i, {"price": price, "kind": kind}, name="two_heads")
cross = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
m.compile("rmsprop", loss={"price": "huber", "kind": cross}, loss_weights={"price": 2.0, "kind": 0.5},
          metrics={"price": ["mae"], "kind": "accuracy"}, weighted_metrics={"kind": ["accuracy"], "price": ["mse"]})
y = {"price": t1, "kind": t2}; w = {"price": np.linspace(1, 0, 32), "kind": np.linspace(0, 1, 32)}
show = lambda logs: {k: np.round(v, 4).tolist() for k, v in logs.items()}
print(show(m.fit(a, y, batch_size=8, epochs=2, verbose=0, sample_weight=w, shuffle=False).history))
print([one.name for one in m.metrics], m.metrics_names)
print(show(m.evaluate(a, y, verbose=0, sample_weight=w, return_dict=True)), np.round(m.evaluate(a, y, verbose=0), 4).tolist())
print(show(m.evaluate(a, y, verbose=0, sample_weight=np.linspace(0, 1, 32), return_dict=True)))
for bad in ({"price": t1}, {"price": t1, "kind": t2, "more": t1}):
    try: m.fit(a, bad, verbose=0)
    except ValueError as e: print(str(e).splitlines()[0])
for losses, weights in (({"price": "mse", "nothing": "mse"}, None), ({"price": "mse", "kind": cross}, [1.0]), ({"price": "mse", "kind": cross}, [3.0, 0.5])):
    m = keras.Model(i, {"price": price, "kind": kind}); m.compile("sgd", losses, loss_weights=weights)
    try: print(show(m.evaluate(a, y, verbose=0, return_dict=True)))
    except (KeyError, ValueError) as e: print(type(e).__name__, str(e)[:60])
two = keras.Model(i, [price, keras.layers.Dense(1, name="other")(d)]); two.compile("sgd", "mse", loss_weights=None, metrics=[["mae"], ["mse"]])
print(show(two.evaluate(a, [t1, t1 * 2], verbose=0, return_dict=True)), two.metrics_names, np.round(two.evaluate(a, [t1, t1 * 2], verbose=0), 4).tolist())
class Own(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape: p = self(x, training=True); loss = self.compute_loss(x, y, p)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        for one in self.metrics:
            if one.name == "loss": one.update_state(loss)
            else: one.update_state(y, p)
        return {one.name: one.result() for one in self.metrics} | {"last": loss}
class Flat(keras.Model):
    def train_step(self, data):
        x, y = data; p = self(x, training=True)
        return self.compute_metrics(x, y, p) | {"a": tf.reduce_sum(p)}
for kind in (Own, Flat):
    own = kind(i, price); own.compile("sgd", "mse", metrics=["mae", keras.metrics.MeanSquaredError(name="a_mse")])
    print(show(own.fit(a, t1, epochs=2, batch_size=16, verbose=0, shuffle=False).history), [type(one).__name__ for one in own.metrics], len(own.metrics_variables))
o = keras.optimizers.Adam(keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.1]), clipvalue=0.5, weight_decay=0.01, use_ema=True, ema_overwrite_frequency=2, amsgrad=True)
o.exclude_from_weight_decay(var_names=["bias"])
v = keras.Variable([1.0, 2.0], name="kernel"); b = keras.Variable([1.0], name="bias")
for _ in range(3): o.apply([tf.constant([3.0, 0.1]), tf.constant([-2.0])], [v, b]); print(np.round(v.numpy(), 4), np.round(b.numpy(), 4))
print([one.path for one in o.variables])
for o in (keras.optimizers.RMSprop(0.1, momentum=0.5, centered=True), keras.optimizers.SGD(0.1, momentum=0.9, gradient_accumulation_steps=3), keras.optimizers.Adam(0.1, amsgrad=True)):
    o.build([v, b]); print([one.path.split("/")[1] for one in o.variables])
inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2), keras.layers.ReLU()], name="inner"); outer = keras.Sequential([keras.Input((4,)), inner, keras.layers.Dense(1)], name="outer")
outer.summary(expand_nested=True)
