# Ragged tensors as inputs of models and layers.
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
        if isinstance(one, tf.RaggedTensor):
            shown = keras.ops.round(one, 4) if one.dtype.is_floating else one
            print(name, "ragged", [plain(row) if len(one.shape) == 2 else [plain(part) for part in row] for row in shown],
                  one.dtype.name, one.shape)
        elif isinstance(one, keras.KerasTensor):
            print(name, "symbol", one.shape, one.dtype, one.sparse, one.ragged)
        else:
            print(name, plain(one))


rows = tf.ragged.constant([[1, 2, 3], [4], [], [2, 1]])
a = keras.Input((None,), dtype="int32", ragged=True)
show("input", lambda: a)
print(repr(keras.KerasTensor((None, None), ragged=True, name="r")))
print(a._keras_history.operation.get_config())
table = layers.Embedding(5, 2, weights=np.arange(10, dtype="float32").reshape(5, 2))
show("embedding symbol", lambda: table(a))
show("embedding", lambda: table(rows))
show("identity", lambda: layers.Identity()(rows))
model = keras.Model(a, table(a))
show("model", lambda: model(rows))
show("model of dense", lambda: model(tf.constant([[1, 2], [3, 4]])))
show("dense input", lambda: keras.Model(b := keras.Input((None,), dtype="int32"), table(b))(rows))
show("convert", lambda: [keras.ops.convert_to_tensor(rows), keras.ops.convert_to_numpy(rows)])
show("convert to dense", lambda: keras.ops.convert_to_tensor(rows, ragged=False))
print(keras.ops.is_tensor(rows), keras.ops.shape(rows)[1:])
show("cast", lambda: keras.ops.cast(rows, "float32"))
show("words", lambda: layers.StringLookup(vocabulary=["a", "b"])(tf.ragged.constant([["a"], ["b", "z"]])))
show("counts", lambda: layers.StringLookup(vocabulary=["a", "b"], output_mode="count")(tf.ragged.constant([["a"], ["b", "z"]])))
show("text", lambda: layers.TextVectorization(vocabulary=["a", "b"], ragged=True)(["a b", "b", "z a b"]))
numbers = tf.ragged.constant([[1.0, -2.0], [3.0]])
deep = table(rows)
for name in ("sum", "mean", "max", "min"):
    show(name, lambda: [getattr(keras.ops, name)(numbers, axis=1), getattr(keras.ops, name)(numbers)])
for name in ("relu", "negative", "exp", "square"):
    show(name, lambda: getattr(keras.ops, name)(numbers))
show("of two", lambda: [keras.ops.add(numbers, 1.0), keras.ops.multiply(numbers, numbers), keras.ops.subtract(numbers, numbers)])
show("layers", lambda: [layers.Activation("relu")(numbers), layers.Dropout(0.5)(numbers), layers.Rescaling(2.0, 1.0)(numbers),
                        layers.Add()([numbers, numbers]), layers.LayerNormalization()(deep), layers.Concatenate()([deep, deep])])
full = table(tf.ragged.constant([[1, 2], [3]]))
show("pooled", lambda: layers.GlobalAveragePooling1D()(full))
show("hashed", lambda: [layers.Hashing(3)(tf.ragged.constant([["a"], ["b", "z"]])).shape,
                        layers.Discretization([0.0, 1.0])(numbers), layers.CategoryEncoding(4)(tf.ragged.constant([[1, 2], [3]]))])
show("refused", lambda: layers.LSTM(2)(full))
show("config", lambda: keras.Model.from_config(model.get_config()).inputs[0])


@tf.function
def called(values):
    return model(values)


show("in a function", lambda: called(rows))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.reduce_sum(model(rows), axis=1) ** 2)
show("gradient", lambda: tf.convert_to_tensor(tape.gradient(loss, table.embeddings)))
