# Which variables an optimizer updates: excluded from decay, of another strategy, restored before the first step; schedules set later.
import tempfile
import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)


def excluded(make, **what):
    a, b = keras.Variable(2.0, name="kernel"), keras.Variable(2.0, name="bias")
    optimizer = make()
    optimizer.exclude_from_weight_decay(**{name: one([a, b]) for name, one in what.items()})
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(0.0), a), (tf.constant(0.0), b)])
    return [round(float(one.numpy()), 4) for one in (a, b)]


class Own(keras.optimizers.Optimizer):
    def update_step(self, gradient, variable, learning_rate):
        self.assign_sub(variable, gradient * learning_rate)


for make in (lambda: keras.optimizers.SGD(1.0, weight_decay=0.1), lambda: keras.optimizers.AdamW(0.5, weight_decay=0.2),
             lambda: Own(1.0, weight_decay=0.1)):
    print(type(make()).__name__, excluded(make, var_list=lambda both: both[1:]), excluded(make, var_list=lambda both: both),
          excluded(make, var_names=lambda both: ["bi.s"]), excluded(make, var_names=lambda both: ["as", "ker"]),
          excluded(make, var_list=lambda both: both[:1], var_names=lambda both: ["bias"]))
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones", bias_initializer="ones", name="bias_like")])
optimizer = keras.optimizers.SGD(0.5, weight_decay=0.1)
optimizer.exclude_from_weight_decay(var_names=["bias"])
model.compile(optimizer, "mse")
model.fit(np.zeros((2, 2)), np.ones((2, 1)), verbose=0)
print([np.round(one, 4).ravel().tolist() for one in model.get_weights()])

v = tf.Variable(1.0)
optimizer = keras.optimizers.SGD(0.5)
optimizer.apply_gradients([(tf.constant(1.0), v)])
optimizer.learning_rate = keras.optimizers.schedules.PiecewiseConstantDecay([1, 2], [0.1, 0.01, 0.001])
print([(optimizer.apply_gradients([(tf.constant(1.0), v)]), round(float(v), 4))[1] for _ in range(3)], round(float(optimizer.learning_rate), 4),
      optimizer.get_config()["learning_rate"]["class_name"])
try:
    optimizer.learning_rate = 0.5
except TypeError:
    print("a schedule stays")
two = [tf.Variable(1.0), tf.Variable(1.0)]
keras.optimizers.SGD(0.5).apply([tf.constant(1.0)] * 3, two)
print([float(one) for one in two])

strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
outside = tf.Variable(1.0)
with strategy.scope():
    inside = tf.Variable(1.0)
    optimizers = [keras.optimizers.Adam(0.1), keras.optimizers.Adam(0.1)]
for optimizer, variable in zip(optimizers, (outside, inside)):
    try:
        with strategy.scope():
            optimizer.build([variable])
        print("made slots")
    except ValueError:
        print("another strategy's variable")
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.BatchNormalization(), keras.layers.Dense(1, kernel_initializer="ones")])
    optimizer = keras.optimizers.SGD(0.1)


@tf.function
def all_variables(x):
    def one(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(list(zip(gradients, model.trainable_variables)) + [(None, one) for one in model.non_trainable_variables])
        return loss
    return strategy.run(one, (x,))


all_variables(tf.ones([4, 3]))
print(np.round(model.trainable_variables[-1].numpy(), 4).tolist())


def state():
    with strategy.scope():
        return tf.Variable([2.0, 1.0]), keras.optimizers.Adam(0.1)


def step(v, optimizer):
    def one():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    strategy.run(one)


v, optimizer = state()
step(v, optimizer)
path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(tempfile.mkdtemp() + "/c")
step(v, optimizer)
print(np.round(v.numpy(), 5).tolist())
v, optimizer = state()
checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer)
checkpoint.restore(path)
step(v, optimizer)
print(np.round(v.numpy(), 5).tolist(), int(optimizer.iterations.numpy()))
one = tf.distribute.OneDeviceStrategy("CPU:0")
with one.scope():
    w, plain = tf.Variable([2.0, 1.0]), keras.optimizers.Adam(0.1)
one.run(lambda: plain.apply_gradients([(w * 2.0, w)]))
print(np.round(w.numpy(), 5).tolist())
