"""Round trips of files with the real TensorFlow, safetensors, TensorBoard and NumPy, bit by bit.

usage: round_trips.py LOCKSTEP_FORMATS LOCKSTEP

Prints a line for each trip. Exit status: 0 all agree, 1 one does not, 77 skipped: a package is missing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
try:
    import ml_dtypes
    import numpy as np
    import safetensors.numpy as safetensors
    import tensorboard  # noqa: F401
    import tensorflow as tf
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

FORMATS, LOCKSTEP = sys.argv[1:3]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def convert(source, target, *flags):
    run(LOCKSTEP, "checkpoint", "convert", source, target, *flags)
    run(LOCKSTEP, "checkpoint", "verify", target)


def same(name, got, wanted):
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.dtype == wanted.dtype, f"{name}: {got.dtype}, expected {wanted.dtype}"
    assert got.shape == wanted.shape, f"{name}: {got.shape}, expected {wanted.shape}"
    if got.dtype == object:
        assert got.tolist() == wanted.tolist(), f"{name} differs"
    else:
        assert got.tobytes() == wanted.tobytes(), f"{name} differs"


def arrays(bfloat16=True):
    draw = np.random.default_rng(7)
    made = {"layer/kernel": draw.standard_normal((5, 7)).astype("f4"),
            "layer/bias": np.array([0, -0.0, np.inf, -np.inf, np.nan], "f4"),
            "deep/er/name": draw.standard_normal((2, 3, 4)),
            "half": draw.standard_normal(9).astype("f2"),
            "scalar": np.array(2 ** 62 + 1, "i8"),
            "ints": np.arange(-3, 3, dtype="i4").reshape(2, 3),
            "small": np.arange(4, dtype="i2"), "bytes": np.arange(256).astype("u1"),
            "signed": np.arange(-4, 4, dtype="i1"),
            "flags": np.array([True, False]), "empty": np.zeros((0, 3), "f4")}
    if bfloat16:
        made["brain"] = draw.standard_normal(5).astype(ml_dtypes.bfloat16)
    return made


def bundle_to_others(folder):
    """TensorFlow's checkpoint -> safetensors, .npz, a save."""
    prefix = str(folder / "tf")
    made = arrays()
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(made), shape_and_slices=[""] * len(made),
                      tensors=[tf.constant(v) for v in made.values()])
    convert(prefix, str(folder / "t.safetensors"))
    for name, value in safetensors.load_file(folder / "t.safetensors").items():
        same(name, value, made.pop(name))
    assert not made
    made = arrays()
    convert(prefix, str(folder / "t.npz"))
    with np.load(folder / "t.npz") as loaded:
        for name, value in made.items():
            got = loaded[name]
            same(name, got.view(ml_dtypes.bfloat16) if name == "brain" else got, value)
    convert(prefix, str(folder / "t.lockstep"))
    run(LOCKSTEP, "checkpoint", "diff", prefix, str(folder / "t.lockstep"))


def parts_are_joined(folder):
    """Slices that TensorFlow has saved -> whole tensors."""
    whole = np.random.default_rng(3).standard_normal((300, 70)).astype("f4")
    prefix = str(folder / "parts")
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["w", "w", "w"],
                      shape_and_slices=["300 70 0,100:-", "300 70 100,200:0,64", "300 70 100,200:64,6"],
                      tensors=[whole[:100], whole[100:, :64], whole[100:, 64:]])
    convert(prefix, str(folder / "w.npz"))
    with np.load(folder / "w.npz") as loaded:
        same("w", loaded["w"], whole)


def others_to_bundle(folder):
    """safetensors -> a checkpoint that TensorFlow lists, loads and restores."""
    made = arrays()
    safetensors.save_file(made, folder / "s.safetensors", {"format": "np"})
    prefix = str(folder / "ours")
    convert(str(folder / "s.safetensors"), prefix)
    reader = tf.train.load_checkpoint(prefix)
    names = {name + "/.ATTRIBUTES/VARIABLE_VALUE" for name in made} | {"_CHECKPOINTABLE_OBJECT_GRAPH"}
    assert {name for name, _ in tf.train.list_variables(prefix)} == names
    for name, value in made.items():
        same(name, reader.get_tensor(name + "/.ATTRIBUTES/VARIABLE_VALUE"), value)
    variables = {name: tf.Variable(np.zeros_like(value)) for name, value in made.items()}
    tree = {}
    for name, variable in variables.items():
        *path, last = name.split("/")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = variable

    def objects(place):
        return tf.train.Checkpoint(**{k: objects(v) if isinstance(v, dict) else v
                                      for k, v in place.items()})
    objects(tree).read(prefix).assert_consumed()
    for name, value in made.items():
        same(name, variables[name].numpy(), value)
    convert(prefix, str(folder / "again.safetensors"))
    for name, value in safetensors.load_file(folder / "again.safetensors").items():
        same(name, value, made[name])


def numpy_to_others(folder):
    """.npz, stored and deflated, and .npy -> safetensors and back."""
    made = arrays(bfloat16=False)
    made["fortran"] = np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3))
    for save in (np.savez, np.savez_compressed):
        save(folder / "n.npz", **made)
        convert(str(folder / "n.npz"), str(folder / "n.safetensors"))
        for name, value in safetensors.load_file(folder / "n.safetensors").items():
            same(name, value, made[name].astype(made[name].dtype.newbyteorder("<"), order="C"))
    np.save(folder / "words.npy", np.array(["", "Größe", "x"]))
    shown = run(LOCKSTEP, "checkpoint", "show", str(folder / "words.npy"), "array")
    assert "Größe" in shown, shown
    np.save(folder / "a.npy", made["deep/er/name"])
    convert(str(folder / "a.npy"), str(folder / "b.npy"))
    assert (folder / "a.npy").read_bytes() == (folder / "b.npy").read_bytes()


def strings(folder):
    """A checkpoint of strings -> a save -> a checkpoint."""
    words = [b"", b"two", b"\0\xff", b"x" * 300]
    tf.raw_ops.SaveV2(prefix=str(folder / "w"), tensor_names=["a", "b"], shape_and_slices=["", ""],
                      tensors=[tf.constant([words]), tf.constant(b"scalar")])
    convert(str(folder / "w"), str(folder / "w.lockstep"))
    convert(str(folder / "w.lockstep"), str(folder / "w2"))
    reader = tf.train.load_checkpoint(str(folder / "w2"))
    assert reader.get_tensor("a/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [words]
    assert reader.get_tensor("b/.ATTRIBUTES/VARIABLE_VALUE") == b"scalar"


def records(folder):
    """Records of Examples, each written by one and read by the other."""
    run(FORMATS, "records", str(folder))
    for name in ("NONE", "GZIP", "ZLIB"):
        compression = "" if name == "NONE" else name
        path = str(folder / name)
        read = list(tf.data.TFRecordDataset([path], compression).as_numpy_iterator())
        assert len(read) == 100
        for i, record in enumerate(read):
            feature = tf.train.Example.FromString(record).features.feature
            assert list(feature["i"].int64_list.value) == [i, -i]
            same("f", np.array(feature["f"].float_list.value, "f4"), np.full(i % 5, np.float32(i) / np.float32(7)))
            assert list(feature["s"].bytes_list.value) == [f"text {i}".encode(), b""]
        again = str(folder / (name + ".tf"))
        with tf.io.TFRecordWriter(again, tf.io.TFRecordOptions(compression)) as writer:
            for record in read:
                writer.write(record)
        lines = run(FORMATS, "hex", again, name).splitlines()
        assert lines == [record.hex() for record in read], name


def keras_model():
    import keras
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, activation="relu"),
                              keras.layers.BatchNormalization(), keras.layers.Dropout(0.0),
                              keras.layers.Dense(2)])
    model.compile("adam", "mse")
    x = (np.arange(32) % 7 / 7 - 0.3).astype("f4").reshape(8, 4)
    return model, x, np.full((8, 2), 0.5, "f4")


def keras_values(model):
    values = {f"model/{i}": w.numpy() for i, w in enumerate(model.weights)}
    for i, variable in enumerate(model.optimizer.variables):
        value = variable.numpy()
        values[f"optimizer/{i}"] = value.astype("i8") if i == 0 else value
    return values


def keras_loads_ours(folder):
    """A model with its optimizer's slots, trained here, is restored by Keras."""
    run(FORMATS, "keras-save", str(folder))
    model, x, y = keras_model()
    model.optimizer.build(model.trainable_variables)
    path = tf.train.latest_checkpoint(str(folder))
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).restore(path).assert_existing_objects_matched()
    with np.load(folder / "values.npz") as ours:
        theirs = keras_values(model)
        assert set(ours) == set(theirs), set(ours) ^ set(theirs)
        for name, value in theirs.items():
            same(name, ours[name], value)


def we_load_keras(folder):
    """A model with its optimizer's slots, trained by Keras, is restored here."""
    model, x, y = keras_model()
    model.fit(x, y, epochs=2, verbose=0)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(str(folder / "keras"))
    run(FORMATS, "keras-load", path, str(folder / "loaded.npz"))
    with np.load(folder / "loaded.npz") as ours:
        for name, value in keras_values(model).items():
            same(name, ours[name], value)


def events(folder):
    """Every kind of summary, as TensorBoard's EventAccumulator reads it."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator, STORE_EVERYTHING_SIZE_GUIDANCE
    from tensorboard.plugins.hparams import metadata
    run(FORMATS, "events", str(folder / "run"))
    read = EventAccumulator(str(folder / "run"), STORE_EVERYTHING_SIZE_GUIDANCE)
    read.Reload()

    def tensors(tag):
        return [(event.step, tf.make_ndarray(event.tensor_proto)) for event in read.Tensors(tag)]
    assert [(step, float(v)) for step, v in tensors("loss")] == [(0, 1.5), (1, 0.75), (2, 0.5)]
    values = np.array([i * i % 37 - 5 for i in range(100)], "f4")
    with tempfile.TemporaryDirectory() as theirs:
        with tf.summary.create_file_writer(theirs).as_default():
            tf.summary.histogram("values", values, step=1)
        real = EventAccumulator(theirs, STORE_EVERYTHING_SIZE_GUIDANCE)
        real.Reload()
        same("histogram", tensors("values")[0][1], tf.make_ndarray(real.Tensors("values")[0].tensor_proto))
        assert (real.SummaryMetadata("values").plugin_data.plugin_name ==
                read.SummaryMetadata("values").plugin_data.plugin_name)
    pixels = (np.arange(90) * 11 % 256).astype("u1").reshape(2, 3, 5, 3)
    shown = tensors("pixels")[0][1]
    assert shown[:2].tolist() == [b"5", b"3"]
    for i in range(2):
        same("image", tf.io.decode_png(shown[2 + i]).numpy(), pixels[i])
    gray = tf.image.convert_image_dtype(np.array([0, .25, .5, 1], "f4").reshape(2, 2, 1), tf.uint8, saturate=True)
    same("gray", tf.io.decode_png(tensors("gray")[0][1][2]).numpy(), gray.numpy())
    assert tensors("note")[0][1].tolist() == [b"**bold**", b"plain"]
    start = metadata.parse_session_start_info_plugin_data(
        read.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
    assert start.hparams["rate"].number_value == 0.25 and start.hparams["rule"].string_value == "adam"
    assert start.hparams["on"].bool_value and start.group_name == "trial"
    experiment = metadata.parse_experiment_plugin_data(
        read.SummaryMetadata("_hparams_/experiment").plugin_data.content)
    assert [info.name for info in experiment.hparam_infos] == ["rate", "rule"]
    assert experiment.metric_infos[0].name.tag == "loss"
    end = metadata.parse_session_end_info_plugin_data(
        read.SummaryMetadata("_hparams_/session_end_info").plugin_data.content)
    assert end.status == 1 and end.end_time_secs == 12


def main():
    failed = 0
    trips = (bundle_to_others, parts_are_joined, others_to_bundle, numpy_to_others, strings, records,
             keras_loads_ours, we_load_keras, events)
    for trip in trips:
        with tempfile.TemporaryDirectory() as folder:
            try:
                trip(pathlib.Path(folder))
                print(f"ok: {trip.__doc__}")
            except Exception as error:  # each trip reports for itself
                failed += 1
                print(f"FAILED: {trip.__doc__} {type(error).__name__}: {error}")
    print(f"{len(trips) - failed} of {len(trips)} round trips agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
