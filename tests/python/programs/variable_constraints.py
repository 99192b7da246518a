# Constraints of variables hold behind each update of an optimizer, in loops of one's own and under strategies.
import tensorflow as tf


def clip(x):
    return tf.clip_by_value(x, 0.0, 1.0)


def loss(v):
    return tf.reduce_sum(v * [5.0, -5.0])


def trained(make, steps=2, traced=False):
    v, optimizer = tf.Variable([0.5, 0.5], constraint=clip), make()

    def step():
        with tf.GradientTape() as tape:
            value = loss(v)
        optimizer.apply_gradients([(tape.gradient(value, v), v)])
    step = tf.function(step) if traced else step
    for _ in range(steps):
        step()
    return v.numpy().tolist()


class Halves(tf.keras.optimizers.Optimizer):
    def update_step(self, gradient, variable, learning_rate):
        self.assign_sub(variable, gradient * 0.5)


opts = tf.keras.optimizers
for name, make in {"sgd": lambda: opts.SGD(1.0), "adam": lambda: opts.Adam(1.0), "rmsprop": lambda: opts.RMSprop(1.0),
                   "clipped": lambda: opts.SGD(1.0, clipvalue=0.25), "own": lambda: Halves(1.0),
                   "averaged": lambda: opts.SGD(1.0, use_ema=True),
                   "scaled": lambda: tf.keras.mixed_precision.LossScaleOptimizer(opts.SGD(1.0), initial_scale=2.0)}.items():
    print(name, trained(make), trained(make, traced=True))
strategy = tf.distribute.MirroredStrategy(["CPU:0"])
with strategy.scope():
    v, free = tf.Variable([0.5, 0.5], constraint=clip), tf.Variable([0.5, 0.5])
    optimizer = opts.SGD(1.0)


@tf.function
def step():
    with tf.GradientTape() as tape:
        value = loss(v) + loss(free)
    optimizer.apply_gradients(zip(tape.gradient(value, [v, free]), [v, free]))


strategy.run(step)
print(v.numpy(), free.numpy())

layer = tf.keras.layers.Dense(2, kernel_constraint=tf.keras.constraints.NonNeg(), bias_constraint=lambda b: b * 0)
layer.build([None, 2])
with tf.GradientTape() as tape:
    value = tf.reduce_sum(layer(tf.ones([1, 2])) * 9.0)
opts.SGD(1.0).apply_gradients(zip(tape.gradient(value, layer.trainable_variables), layer.trainable_variables))
print([one.numpy().round(4).tolist() for one in layer.trainable_variables], layer.kernel.constraint is layer.kernel_constraint)


class Scale(tf.keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(2,), initializer="ones", constraint=tf.keras.constraints.NonNeg())

    def call(self, x):
        return x * self.scale


class Trained(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(tf.square(self(x, training=True) - y))
        self.optimizer.apply_gradients(zip(tape.gradient(value, self.trainable_variables), self.trainable_variables))
        return {"loss": value}


inputs = tf.keras.Input([2])
outputs = tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_constraint="unit_norm")(Scale()(inputs))
for kind in (tf.keras.Model, Trained):
    model = kind(inputs, outputs)
    for one, first in zip(model.weights, ([1.0, 1.0], [[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0])):
        one.assign(first)
    model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    model.fit(tf.ones([4, 2]), -tf.ones([4, 2]), verbose=0)
    print([one.numpy().round(3).tolist() for one in model.weights])
recurrent = tf.keras.layers.SimpleRNN(1, recurrent_constraint=tf.keras.constraints.NonNeg(), kernel_constraint=lambda w: w * 0)
recurrent(tf.ones([1, 2, 1]))
tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.ones(one.shape) * 9.0, one) for one in recurrent.trainable_variables])
print([one.numpy().round(3).tolist() for one in recurrent.trainable_variables])

layers, non_negative = tf.keras.layers, tf.keras.constraints.NonNeg()
every = {"kernel_constraint": non_negative, "recurrent_constraint": non_negative, "bias_constraint": non_negative}
for name, make, shape in (
        ("rnn", lambda: layers.SimpleRNN(2, **every), (3, 2)), ("lstm", lambda: layers.LSTM(2, **every), (3, 2)),
        ("gru", lambda: layers.GRU(2, **every), (3, 2)), ("cell", lambda: layers.RNN(layers.LSTMCell(2, **every)), (3, 2)),
        ("both ways", lambda: layers.Bidirectional(layers.LSTM(2, **every)), (3, 2)),
        ("separable", lambda: layers.SeparableConv2D(
            2, 2, depthwise_constraint=non_negative, pointwise_constraint=non_negative, bias_constraint=non_negative), (4, 4, 2)),
        ("depthwise", lambda: layers.DepthwiseConv2D(2, depthwise_constraint=non_negative, bias_constraint=non_negative), (4, 4, 2)),
        ("prelu", lambda: layers.PReLU(alpha_constraint=non_negative), (3,))):
    tf.keras.utils.set_random_seed(1)
    layer, inputs = make(), tf.keras.Input(shape)
    model = tf.keras.Model(inputs, layer(inputs))
    model.compile(tf.keras.optimizers.SGD(1.0), "mse")
    model.fit(tf.ones([4, *shape]), -tf.ones([4, *model.output_shape[1:]]), verbose=0)
    print(name, [(one.name, bool(tf.reduce_all(one >= 0)), type(one.constraint).__name__) for one in layer.trainable_weights])

for name, make, shape in (
        ("depthwise", lambda: layers.DepthwiseConv2D(2, depthwise_regularizer="l2", bias_regularizer="l1"), (3, 3, 2)),
        ("separable", lambda: layers.SeparableConv2D(
            2, 2, depthwise_regularizer="l2", pointwise_regularizer="l1", bias_regularizer="l2"), (3, 3, 2)),
        ("prelu", lambda: layers.PReLU(alpha_regularizer="l2"), (3,))):
    layer, inputs = make(), tf.keras.Input(shape)
    model = tf.keras.Model(inputs, layer(inputs))
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    for one in layer.weights:
        one.assign(tf.ones_like(one))
    logs = model.fit(tf.ones([4, *shape]), tf.zeros([4, *model.output_shape[1:]]), verbose=0).history
    again = type(layer).from_config(layer.get_config())
    print(name, ["%.3f" % one for one in model.losses], "%.3f" % logs["loss"][0], sorted(
        key for key, value in again.get_config().items() if "regularizer" in key and value))
