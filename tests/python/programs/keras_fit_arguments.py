"""Numbers and names that Keras refuses or takes, cells of recurrent layers, dtypes of variables, counts of saves."""
import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras


def tried(what, call, text=True):
    try:
        print(what, call())
    except Exception as error:  # whichever it is, its kind is shown
        print(what, type(error).__name__, str(error).split("\n")[0][:330] if text else "")


def of_kind(what, call):
    tried(what, call, False)


def made():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


model, x, y = made(), np.ones((6, 2), "float32"), np.ones((6, 1), "float32")


def fitted(**options):
    return len(model.fit(x, y, **{"verbose": 0, **options}).history.get("loss", []))


for value in (0, None, 100, True, np.int64(2)):
    tried(f"batch_size={value}", lambda: fitted(batch_size=value))
for value in (2.5, "a"):
    of_kind(f"batch_size={value}", lambda: fitted(batch_size=value))
    of_kind("evaluate", lambda: model.evaluate(x, y, batch_size=value, verbose=0))
    of_kind("predict", lambda: model.predict(x, batch_size=value, verbose=0))
for value in (0, 2, -2, 1.5, "3", None, np.int64(2)):
    tried(f"epochs={value}", lambda: fitted(epochs=value))
tried("initial_epoch", lambda: fitted(initial_epoch=5, epochs=3))
for value in (0.01, 0.5, 0.99, 1.0):
    tried(f"validation_split={value}", lambda: fitted(validation_split=value))
of_kind("validation_split='a'", lambda: fitted(validation_split="a"))
for value in (0, 2, 1.5):
    tried(f"steps_per_epoch={value}", lambda: fitted(steps_per_epoch=value))
tried("validation_freq", lambda: fitted(validation_freq=0))
tried("sample_weight", lambda: fitted(sample_weight=np.ones(3)))
of_kind("validation_data", lambda: fitted(validation_data=(x,)))
tried("validation_data", lambda: fitted(validation_data=("a", "b", "c", "d")))
of_kind("callbacks", lambda: fitted(callbacks=[3]))
for option in ({"batch_size": 0}, {"steps": 0}):
    print(option, model.predict(x, verbose=0, **option).shape, model.evaluate(x, y, verbose=0, **option) >= 0)
rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
tried("y of a dataset", lambda: model.fit(rows, y, verbose=0))
tried("weights of a dataset", lambda: model.fit(rows, sample_weight=y, verbose=0))

# Names of files.
os.chdir(tempfile.mkdtemp())
for name in ("a", "a.h5", "a.keras", "a.weights.h5", "a.ckpt", "a.weights", "b/", "a.weights.h5.bak"):
    tried(f"save {name}", lambda: model.save_weights(name))
    tried(f"load {name}", lambda: model.load_weights(name))
tried("by_name", lambda: model.load_weights("a.weights.h5", by_name=True))
tried("missing", lambda: model.load_weights("none.weights.h5"))
tried("save", lambda: model.save("x"))
tried("load_model", lambda: keras.models.load_model("none.keras"))
tried("load_model", lambda: keras.models.load_model("x"))
wide = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, name="wide")])
deep = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1), keras.layers.Dense(2, name="second")])
for other in (wide, deep):
    tried("another form", lambda: other.load_weights("a.weights.h5"))
    tried("skipped", lambda: other.load_weights("a.weights.h5", skip_mismatch=True))
unbuilt = keras.Sequential([keras.layers.Dense(1)])
tried("unbuilt", lambda: unbuilt.save_weights("u.weights.h5"))
tried("unbuilt", lambda: unbuilt.load_weights("a.weights.h5"))
for name, options in (("a.h5", {"save_weights_only": True}), ("a", {}), ("a.keras", {"save_weights_only": True}),
                      ("a.keras", {"save_freq": "x"})):
    tried(f"checkpoints to {name}", lambda: keras.callbacks.ModelCheckpoint(name, **options))
print(sorted(os.listdir(".")))

# Dtypes of variables are names.
dense = keras.layers.Dense(2)
dense.build((None, 3))
print(repr(dense.kernel.dtype), f"{dense.kernel.dtype}", dense.kernel.dtype == tf.float32, dense.kernel.dtype == "float32",
      dense.kernel.dtype.startswith("float"), np.zeros(2, dense.kernel.dtype).dtype, tf.zeros([2], dense.kernel.dtype).dtype,
      tf.as_dtype(dense.kernel.dtype), tf.cast([1, 2], dense.kernel.dtype).dtype)
optimizer = keras.optimizers.Adam()
optimizer.build([dense.kernel])
print(repr(optimizer.iterations.dtype), sorted({str(one.dtype) for one in optimizer.variables}), keras.Variable([1.0]).dtype)
mean = keras.metrics.Mean(name="mine")
print([(one.name, one.path, one.dtype) for one in mean.variables])

# Cells.
for kind in (keras.layers.LSTM, keras.layers.GRU, keras.layers.SimpleRNN):
    layer = kind(3, dropout=0.1, kernel_initializer="ones", recurrent_initializer="ones", name="row")
    print(layer.cell.built, layer.cell.units, layer.cell.state_size)
    layer.build((None, 4, 2))
    cell = layer.cell
    print(type(cell).__name__, cell.built, cell.output_size, cell.kernel.shape, cell.recurrent_kernel.shape, cell.bias.shape,
          cell.dropout, len(cell.weights), cell.activation.__name__, cell.use_bias, layer.state_size, layer.cell is cell)
    state = cell.get_initial_state(batch_size=2)
    output, after = cell(np.ones((2, 2), "float32"), state)
    print(np.round(output.numpy()[0], 4).tolist(), len(after), cell.kernel is layer.weights[0])
    whole = kind(3, kernel_initializer="ones", recurrent_initializer="ones")(np.ones((2, 1, 2), "float32"))
    print(bool(np.allclose(whole, output, atol=1e-6)))

# Counts of saves.
checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
print(checkpoint.save_counter.numpy(), checkpoint.save_counter.dtype, checkpoint.save_counter.name)
print(checkpoint.save("ck"), checkpoint.save("ck"), int(checkpoint.save_counter))
other = tf.train.Checkpoint(v=tf.Variable(0.0))
other.restore(tf.train.latest_checkpoint("."))
print(int(other.save_counter), other.save("ck"))
other.save_counter.assign_add(10)
print(other.save("ck"), int(other.save_counter), tf.train.Checkpoint(v=tf.Variable(2.0)).write("written"))
print([name for name, _ in tf.train.list_variables("ck-1")], [name for name, _ in tf.train.list_variables("written")])
third = tf.train.Checkpoint(v=tf.Variable(0.0))
third.read("written")
print(int(third.save_counter), third.save("third"))
manager = tf.train.CheckpointManager(third, "managed", 3)
manager.save()
manager.save(checkpoint_number=7)
print(manager.checkpoints, int(third.save_counter))

tried("no checkpoint", lambda: third.restore("nothing"))
for options in ({"name": "none"}, {"index": 9}, {}, {"name": "wide", "index": 0}, {"index": 0}):
    tried(f"layer {options}", lambda: wide.get_layer(**options).name)
