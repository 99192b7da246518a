# Cross entropies of saturated probabilities in every way of training, figures by class, and validation without class weights.
import numpy as np
import tensorflow as tf

L = tf.keras.layers
x, y = np.array([[30.0], [-40.0]], "f"), np.array([[0.0], [1.0]], "f")


class OwnCall(tf.keras.Model):
    def __init__(self, function):
        super().__init__()
        self.dense, self.function = L.Dense(1, kernel_initializer="ones"), function

    def call(self, inputs):
        return self.function(self.dense(inputs))

    def train_step(self, data):
        return super().train_step(data)


def rounded(value):
    return tf.nest.map_structure(lambda one: np.round(np.asarray(one, "float64"), 4).tolist(), value)


print("-- a step of one's own")
for name, function in (("tf", tf.sigmoid), ("ops", tf.keras.ops.sigmoid), ("keras", tf.keras.activations.sigmoid)):
    for eagerly in (False, True):
        model = OwnCall(function)
        model.compile(tf.keras.optimizers.SGD(0.001), "binary_crossentropy", run_eagerly=eagerly)
        print(name, eagerly, rounded(model.fit(x, y, verbose=0).history), rounded(model.evaluate(x, y, verbose=0)),
              rounded(model.get_weights()))

print("-- Keras's own step and single batches")
for activation in ("sigmoid", tf.nn.sigmoid):
    model = tf.keras.Sequential([L.Input((1,)), L.Dense(1, activation=activation, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.001), tf.keras.losses.BinaryCrossentropy(label_smoothing=0.1))
    print(rounded([model.test_on_batch(x, y), model.evaluate(x, y, verbose=0), model.train_on_batch(x, y)]),
          rounded(model.fit(x, y, verbose=0).history), rounded(model.get_weights()))

print("-- several inputs and outputs")
one, two = L.Input((3,)), L.Input((3,))
h = L.Dense(2, kernel_initializer="ones")(one + two)
model = tf.keras.Model([one, two], [L.Dense(1, activation="sigmoid", kernel_initializer="ones", name="a")(h),
                                    L.Softmax(name="b")(one), L.Activation("softmax", name="c")(two)])
model.compile("sgd", {"a": "binary_crossentropy", "b": "sparse_categorical_crossentropy", "c": "categorical_crossentropy"})
data = [np.array([[40.0, 0, 0], [-50, 0, -3]], "f"), np.array([[0.0, 30, 1], [-1, 0, 60]], "f")]
labels = {"a": np.array([0.0, 1.0]), "b": np.array([1, 0]), "c": np.eye(3)[[0, 1]]}
print(rounded(model.evaluate(data, labels, verbose=0)))
history = model.fit(data, labels, verbose=0).history
print(sorted((name, rounded(value)) for name, value in history.items()))

print("-- called directly")
p = tf.keras.activations.sigmoid(tf.constant(x))
print(rounded([tf.keras.losses.binary_crossentropy(y, p), tf.keras.losses.BinaryCrossentropy()(y, p),
               tf.keras.ops.binary_crossentropy(tf.constant(y), p)]))
print(rounded(tf.keras.losses.BinaryCrossentropy()(y, tf.sigmoid(tf.constant(x)))))
print(rounded(tf.keras.losses.BinaryCrossentropy()(y, tf.identity(p))))
q = L.Softmax()(tf.constant([[0.0, 50.0]]))
print(rounded([tf.keras.losses.CategoricalCrossentropy()(tf.constant([[1.0, 0.0]]), q),
               tf.keras.losses.sparse_categorical_crossentropy(tf.constant([0]), q)]))
with tf.GradientTape() as tape:
    v = tf.constant([[30.0]])
    tape.watch(v)
    loss = tf.keras.losses.BinaryCrossentropy()(tf.constant([[0.0]]), tf.keras.activations.sigmoid(v))
print(rounded(tape.gradient(loss, v)))

print("-- class weights leave validation alone")
for eagerly in (False, True):
    model = tf.keras.Sequential([L.Input((1,)), L.Dense(1, activation="sigmoid", kernel_initializer="ones")])
    model.compile("sgd", "binary_crossentropy", run_eagerly=eagerly)
    print(rounded(model.fit(np.ones((8, 1), "f"), np.ones((8, 1), "f"), class_weight={0: 1.0, 1: 5.0},
                            validation_split=0.5, verbose=0).history))

print("-- figures of all classes")
for average in (None, "macro", "weighted", "micro"):
    model = tf.keras.Sequential([L.Input((2,)), L.Dense(2, activation="softmax", kernel_initializer="identity")])
    model.compile(tf.keras.optimizers.SGD(0.01), "categorical_crossentropy", metrics=[tf.keras.metrics.F1Score(average)])
    xs, ys = np.array([[2.0, 0], [0, 1], [3, 1], [0, 2], [1, 4]], "f"), np.eye(2)[[0, 1, 1, 1, 0]].astype("f")
    print(average, sorted((name, rounded(value)) for name, value in model.fit(
        xs, ys, batch_size=5, epochs=2, verbose=0).history.items()), rounded(model.evaluate(xs, ys, verbose=0)))
print(tf.keras.metrics.F1Score()(np.eye(2)[[0, 1, 1, 0, 1]], np.eye(2)[[1] * 5]).numpy())
