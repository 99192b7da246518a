# fit, evaluate and predict with sparse and ragged tensors.
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
            print(name, "sparse", one.indices.numpy().tolist(), plain(one.values), one.dense_shape.numpy().tolist())
        elif isinstance(one, tf.RaggedTensor):
            print(name, "ragged", one.to_list())
        elif isinstance(one, dict):
            print(name, {key: round(float(value), 4) for key, value in sorted(one.items())})
        else:
            print(name, plain(one))


rows = np.zeros((10, 6), "float32")
for i in range(10):
    rows[i, i % 6] = 1 + i
    rows[i, (3 * i) % 5] = -i
labels = np.stack([rows.sum(1), rows.max(1)], 1) / 10
x = tf.sparse.from_dense(rows)


def made(sparse=True):
    model = keras.Sequential([keras.Input((6,), sparse=sparse), layers.Dense(3, "tanh", kernel_initializer=keras.initializers.Constant(0.1)),
                              layers.Dense(2, kernel_initializer=keras.initializers.Constant(0.2))])
    model.compile(keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
    return model


def rounded(history):
    return [round(value, 4) for value in history.history["loss"]]


model = made()
show("fit", lambda: rounded(model.fit(x, labels, batch_size=4, epochs=3, shuffle=False, verbose=0)))
show("as of dense ones", lambda: rounded(made(False).fit(rows, labels, batch_size=4, epochs=3, shuffle=False, verbose=0)))
show("evaluate", lambda: model.evaluate(x, labels, batch_size=4, verbose=0))
show("predict", lambda: model.predict(x, batch_size=4, verbose=0))
show("train_on_batch", lambda: model.train_on_batch(x, labels))
show("test_on_batch", lambda: model.test_on_batch(x, labels, return_dict=True))
show("predict_on_batch", lambda: model.predict_on_batch(x))
show("weights", lambda: model.get_weights()[0])
show("validation", lambda: sorted(made().fit(x, labels, validation_data=(x, labels), verbose=0).history))
show("split", lambda: rounded(made().fit(x, labels, validation_split=0.3, batch_size=4, shuffle=False, verbose=0)))
show("sample weights", lambda: rounded(made().fit(x, labels, sample_weight=np.arange(10.0), batch_size=4, shuffle=False, verbose=0)))
classes = np.arange(10) % 2
sorter = keras.Sequential([keras.Input((6,), sparse=True), layers.Dense(2, "softmax", kernel_initializer="zeros")])
sorter.compile(keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy")
show("class weights", lambda: rounded(sorter.fit(x, classes, class_weight={0: 1.0, 1: 3.0}, batch_size=5, epochs=2, shuffle=False, verbose=0)))
show("shuffled", lambda: len(made().fit(x, labels, verbose=0).history["loss"]))
show("steps", lambda: rounded(made().fit(x, labels, batch_size=2, steps_per_epoch=2, shuffle=False, verbose=0)))
show("eager", lambda: (m := made(), m.compile(keras.optimizers.SGD(0.05), "mse", run_eagerly=True),
                       rounded(m.fit(x, labels, batch_size=4, shuffle=False, verbose=0)))[2])
one, two = keras.Input((6,), sparse=True, name="one"), keras.Input((6,), name="two")
both = keras.Model({"one": one, "two": two}, layers.Dense(2, kernel_initializer="ones")(layers.Concatenate()(
    [layers.Dense(2, kernel_initializer="ones")(one), two])))
both.compile("sgd", "mse")
show("two inputs", lambda: both.predict({"one": x, "two": rows}, verbose=0))
show("two inputs fit", lambda: rounded(both.fit({"one": x, "two": rows}, labels, batch_size=5, shuffle=False, verbose=0)))
lists = keras.Model([one, two], both.output)
lists.compile(keras.optimizers.SGD(0.001), "mse")
show("two inputs in a list", lambda: rounded(lists.fit([x, rows], labels, batch_size=5, shuffle=False, verbose=0)))

# Datasets
data = tf.data.Dataset.from_tensor_slices((x, labels)).batch(4)
show("dataset", lambda: rounded(made().fit(data, epochs=2, verbose=0)))
show("dataset evaluate", lambda: made().evaluate(data, verbose=0))
show("dataset predict", lambda: made().predict(data, verbose=0).shape)
weighted = tf.data.Dataset.from_tensor_slices((x, labels, np.arange(10.0))).batch(5)
show("dataset of weights", lambda: rounded(made().fit(weighted, verbose=0)))
import warnings
warnings.simplefilter("ignore")
show("generator", lambda: rounded(made().fit(((tf.sparse.slice(x, [i, 0], [5, 6]), labels[i:i + 5]) for i in (0, 5)), verbose=0)))

# Results that are sparse or ragged
inp = keras.Input((6,), sparse=True)
show("sparse results", lambda: keras.Model(inp, layers.Identity()(inp)).predict(x, batch_size=4, verbose=0))
words = keras.Input((None,), dtype="int32", ragged=True)
table = layers.Embedding(9, 2, embeddings_initializer="ones")
ragged = tf.ragged.constant([[1, 2, 3], [4], [5, 6], [7, 8, 1, 2], [3]])
show("ragged results", lambda: keras.Model(words, table(words)).predict(ragged, batch_size=2, verbose=0))


class Mean(layers.Layer):
    def call(self, values):
        return tf.reduce_mean(values, axis=1)

    def compute_output_spec(self, values):
        return keras.KerasTensor((values.shape[0], values.shape[2]), values.dtype)


reader = keras.Model(words, layers.Dense(1, kernel_initializer="ones")(Mean()(table(words))))
reader.compile(keras.optimizers.SGD(0.1), "mse")
targets = np.arange(5.0).reshape(5, 1)
show("ragged call", lambda: reader(ragged))
show("ragged fit", lambda: rounded(reader.fit(ragged, targets, batch_size=2, epochs=2, shuffle=False, verbose=0)))
show("ragged evaluate", lambda: reader.evaluate(ragged, targets, batch_size=2, verbose=0))
show("ragged predict", lambda: reader.predict(ragged, batch_size=2, verbose=0))
show("ragged dataset", lambda: rounded(reader.fit(tf.data.Dataset.from_tensor_slices((ragged, targets)).batch(2), verbose=0)))
