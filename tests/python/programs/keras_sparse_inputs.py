# Sparse tensors as inputs of models and layers: symbols, calls, gradients, configs.
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def plain(value):
    array = np.asarray(value)
    return np.round(array.astype("float64"), 4).tolist() if array.dtype.kind == "f" else array.tolist()


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(one, tf.SparseTensor):
            print(name, "sparse", one.indices.numpy().tolist(), plain(one.values), one.dtype.name,
                  one.dense_shape.numpy().tolist())
        elif isinstance(one, keras.KerasTensor):
            print(name, "symbol", one.shape, one.dtype, one.sparse, one.ragged)
        else:
            print(name, plain(one))


rows = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0]], "float32")
kernel = np.arange(8, dtype="float32").reshape(4, 2) / 10
dense = tf.constant(rows)
x = tf.sparse.from_dense(dense)
ints = tf.SparseTensor([(0, 0), (4, 3)], [1, 1], (6, 4))

# Symbols
a = keras.Input((4,), sparse=True)
show("input", lambda: a)
print(repr(keras.KerasTensor((None, 4), sparse=True, name="s")))
print(a._keras_history.operation.get_config())
show("of batch", lambda: keras.Input((4,), batch_size=3, sparse=True, dtype="int32"))
show("both", lambda: keras.Input((4,), sparse=True, ragged=True))
show("dense of it", lambda: layers.Dense(2)(a))
show("flat", lambda: layers.Flatten()(keras.Input((4, 2), sparse=True)))
show("reshaped", lambda: layers.Reshape((2, 2))(a))
show("permuted", lambda: layers.Permute((2, 1))(keras.Input((4, 2), sparse=True)))
show("identity", lambda: layers.Identity()(a))
show("encoded", lambda: layers.CategoryEncoding(4, sparse=True)(keras.Input((3,), dtype="int32")))
show("negated", lambda: [keras.ops.negative(a), keras.ops.exp(a), keras.ops.add(a, a), keras.ops.multiply(a, 2.0), keras.ops.add(a, 1.0)])
show("concatenated", lambda: keras.ops.concatenate([a, a], axis=1))

# Models
dense_layer = layers.Dense(2)
model = keras.Model(a, dense_layer(a))
dense_layer.set_weights([kernel, np.array([0.5, -0.5], "float32")])
show("functional", lambda: model(x))
show("functional of dense", lambda: model(dense))
show("functional of ints", lambda: [model(ints).shape, model.predict(ints, verbose=0).shape])
show("functional of array", lambda: model(rows))
show("other width", lambda: model(tf.sparse.from_dense(np.eye(5, dtype="float32"))))
show("dense input", lambda: keras.Model(b := keras.Input((4,)), dense_layer(b))(x))
row = keras.Sequential([keras.Input((4,), sparse=True), layers.Dense(2)])
row.set_weights(model.get_weights())
show("sequential", lambda: row(x))
show("sequential of dense", lambda: row(dense))
show("unbuilt sequential", lambda: keras.Sequential([layers.Dense(2)])(x).shape)
show("its inputs", lambda: [row.inputs[0], model.inputs[0]])

# Dense by itself
layer = layers.Dense(2, activation="relu", kernel_initializer=keras.initializers.Constant(0.5))
show("dense", lambda: layer(x))
show("dense weights", lambda: [w.shape for w in layer.weights])
other = layers.Dense(2, use_bias=False, kernel_initializer=keras.initializers.Constant(0.25))
show("dense without bias", lambda: other(x))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(x) ** 2)
for g in tape.gradient(loss, model.trainable_weights):
    show("gradient", lambda: tf.convert_to_tensor(g))
with tf.GradientTape() as tape:
    tape.watch(x.values)
    loss = tf.reduce_sum(model(tf.SparseTensor(x.indices, x.values, x.dense_shape)) ** 2)
show("gradient of values", lambda: tape.gradient(loss, x.values))


@tf.function
def called(s):
    return model(s)


show("in a function", lambda: called(x))

# Other layers
table = layers.Embedding(5, 2, weights=np.arange(10, dtype="float32").reshape(5, 2))
places = tf.sparse.from_dense(np.array([[1, 0, 3], [0, 0, 0], [4, 0, 0]]))
show("embedding", lambda: table(places))
show("encoding multi_hot", lambda: layers.CategoryEncoding(4, sparse=True)([[0, 2, 2], [1, 1, 3]]))
show("encoding count", lambda: layers.CategoryEncoding(4, "count", sparse=True)([[0, 2, 2], [1, 1, 3]]))
show("encoding one_hot", lambda: layers.CategoryEncoding(4, "one_hot", sparse=True)([0, 3, 1]))
show("encoding dense", lambda: layers.CategoryEncoding(4)([[0, 2, 2], [1, 1, 3]]))
tokens = keras.Input((3,), dtype="int32")
encoded = keras.Model(tokens, dense_layer(layers.CategoryEncoding(4, sparse=True)(tokens)))
show("encoding into dense", lambda: encoded(np.array([[0, 2, 2], [1, 1, 3]])))
words = layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="multi_hot", sparse=True)
show("words multi_hot", lambda: words([["a", "b"], ["c", "z"]]))
show("words count", lambda: layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="count", sparse=True)([["a", "a"], ["c", "z"]]))
show("numbers one_hot", lambda: layers.IntegerLookup(vocabulary=[7, 8, 9], output_mode="one_hot", sparse=True)([[7], [8], [1]]))
show("int and sparse", lambda: layers.StringLookup(vocabulary=["a"], sparse=True))
show("hashed", lambda: layers.Hashing(3, output_mode="one_hot", sparse=True)([["A"], ["B"]]))
show("hashed int and sparse", lambda: layers.Hashing(3, sparse=True))
show("discretized", lambda: layers.Discretization([0.0, 1.0], output_mode="multi_hot", sparse=True)([[-1.0, 0.5], [2.0, 2.5]]))
show("crossed", lambda: layers.HashedCrossing(5, output_mode="one_hot", sparse=True)((tf.constant([["A"], ["B"]]), tf.constant([[1], [2]]))))
show("words of sparse", lambda: layers.StringLookup(vocabulary=["a", "b"])(tf.SparseTensor([[0, 0], [1, 2]], ["b", "z"], [2, 3])))
text = layers.TextVectorization(vocabulary=["a", "b"], output_mode="multi_hot", sparse=True)
show("text", lambda: text(["a a", "b c"]))

# Merging
y = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 7.0], [3, 4])
for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
    show(kind, lambda: getattr(layers, kind)()([x, y]))
    show(kind + " mixed", lambda: getattr(layers, kind)()([x, dense]))
    show(kind + " symbols", lambda: getattr(layers, kind)()([a, keras.Input((4,), sparse=True)]))
show("Concatenate", lambda: layers.Concatenate()([x, y]))
show("Concatenate rows", lambda: layers.Concatenate(axis=0)([x, y]))
show("Concatenate mixed", lambda: layers.Concatenate()([x, dense]))
two = keras.Input((4,), sparse=True, name="two")
merged = keras.Model([a, two], dense_layer(layers.Add()([a, two])))
show("merged model", lambda: merged([x, y]))

# Configs
again = keras.Model.from_config(model.get_config())
show("config", lambda: again.inputs[0])
again.set_weights(model.get_weights())
show("of config", lambda: again(x))
copy = keras.models.clone_model(row)
show("clone", lambda: copy(x).shape)
show("shapes", lambda: [[str(layers.Dense(3).compute_output_shape((None, 4)))], [str(model.output_shape)]])
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "m.keras")
model.save(path)
show("loaded", lambda: keras.models.load_model(path)(x))
