"""Parameters that change results: each has TensorFlow's effect."""
import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers

# Values that a table begins with, as a list or an array.
table = np.array([[1.0, 2.0], [3.0, 4.0]])
for weights in ([table], table):
    print("weights", layers.Embedding(2, 2, weights=weights)(np.array([1, 0])).numpy().tolist())

# Low-rank adaptation: the matrix stays as it is, and two small ones are trained.
for layer, shape in ((layers.Dense(2, lora_rank=1, kernel_initializer="ones"), (None, 3)),
                     (layers.Embedding(3, 2, lora_rank=2, embeddings_initializer="ones"), (None,))):
    layer.build(shape)
    print("lora", [(one.name, tuple(one.shape)) for one in layer.trainable_weights], len(layer.weights))
dense = layers.Dense(1, kernel_initializer="ones")
model = keras.Sequential([keras.Input((2,)), dense])
dense.enable_lora(1, a_initializer="ones")
model.compile("sgd", "mse")
model.fit(np.ones((2, 2)), np.zeros((2, 1)), epochs=3, verbose=0)
print("enabled", np.round(model.predict(np.ones((1, 2)), verbose=0), 3).astype(float).tolist(), dense.weights[0].numpy().tolist())

# Weights of what is counted, and sparse rows.
ids, counts = tf.constant([[1, 3, 1]]), tf.constant([[0.5, 1.5, 0.7]])
print("count_weights", np.round(layers.CategoryEncoding(4, output_mode="count")(ids, count_weights=counts).numpy().astype(float), 3).tolist())
print("sparse", type(layers.CategoryEncoding(4, output_mode="count", sparse=True)(ids)).__name__)
try:
    layers.CategoryEncoding(4)(ids, count_weights=counts)
except ValueError:
    print("count_weights of multi_hot: ValueError")

# The number of batches that a layer adapts to.
batches = tf.data.Dataset.from_tensor_slices(["a", "b", "c", "d"]).batch(1)
words = layers.StringLookup()
words.adapt(batches, steps=2)
texts = layers.TextVectorization()
texts.adapt(batches, steps=3)
print("steps", words.vocabulary_size(), texts.vocabulary_size())

# The inputs of a copy of a model.
for model in (keras.Sequential([keras.Input((2,)), layers.Dense(1)]),
              (lambda x: keras.Model(x, layers.Dense(1)(layers.Dense(3)(x))))(keras.Input((2,), name="old"))):
    copy = keras.models.clone_model(model, input_tensors=keras.Input((2,), name="fresh"))
    print("clone_model", copy.inputs[0].name, len(copy.weights))

# NumPy's floats as indices.
print("one_hot", tf.one_hot(np.array([1.0], np.float32), depth=3).numpy().tolist())

# Activations of recurrent layers that are functions.
x = np.arange(12, dtype="float32").reshape(1, 3, 4) / 10
for kind in ("LSTM", "GRU", "SimpleRNN"):
    more = {} if kind == "SimpleRNN" else {"recurrent_activation": lambda x: tf.minimum(x, 0.3)}
    layer = getattr(layers, kind)(2, activation=lambda x: x * 0.5, kernel_initializer="ones", recurrent_initializer="ones", **more)
    print(kind, np.round(layer(x).numpy().astype(float), 3).tolist())

# Values and keywords that there are not.
for call in (lambda: keras.metrics.AUC(curve="ROK"), lambda: keras.metrics.AUC(summation_method="all"),
             lambda: layers.CategoryEncoding(4, output_mode="some"), lambda: keras.constraints.MaxNorm(bogus=1),
             lambda: keras.random.SeedGenerator(1, bogus=1)):
    try:
        print(call())
    except (TypeError, ValueError):
        print("refused")
