"""Damaged files: every reader raises one class of error, and nothing crashes or hangs.

Model files raise ValueError, as in Keras; records, checkpoints and datasets raise DataLossError. The readers' own class,
`tf.errors.DamagedFileError`, is both. Each case is a good file with one mutation of its bytes or of its structure; the
generator's seed is printed. `test_damaged_files.py FORMAT SECONDS [SEED]` runs one format for longer."""
import copy
import faulthandler
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
import zipfile

import numpy

import lockstep as tf

keras = tf.keras
HAS_H5PY = __import__("importlib.util").util.find_spec("h5py") is not None
SEED = int(os.environ.get("LOCKSTEP_FUZZ_SEED", "40"))
_OTHERS = [None, True, -1, 0, 2 ** 40, 1e308, float("nan"), "", "a", "\udc00", [], [[]], {}, {"class_name": "Dense"}, [None] * 3,
           {"class_name": "Dense", "config": {}}, {"class_name": "function", "config": "relu"}, {"class_name": "__lambda__", "config": 3}]


def mutated_bytes(draw, data):
    """The bytes with one mutation: cut off, bytes changed, a range zeroed, removed or repeated."""
    data = bytearray(data)
    kind, size = draw.randrange(6), len(data)
    begin = draw.randrange(size) if size else 0
    end = min(size, begin + draw.choice([1, 2, 4, 8, 64, 1000]))
    if kind == 0:
        del data[begin:]
    elif kind == 1:
        for _ in range(draw.choice([1, 1, 2, 8])):
            if size:
                data[draw.randrange(size)] ^= 1 << draw.randrange(8)
    elif kind == 2:
        data[begin:end] = bytes(draw.randrange(256) for _ in range(end - begin))
    elif kind == 3:
        data[begin:end] = draw.choice([b"\0", b"\xff"]) * (end - begin)
    elif kind == 4:
        del data[begin:end]
    else:
        data[begin:begin] = data[begin:end]
    return bytes(data)


def mutated_json(draw, value):
    """The value with one part replaced by a value of another type, removed, or nested deeply."""
    value = copy.deepcopy(value)
    holder = value
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return value
        key = draw.choice(keys)
        if isinstance(holder[key], (dict, list)) and holder[key] and draw.random() < 0.75:
            holder = holder[key]
            continue
        kind = draw.randrange(4)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[str(draw.choice(["name", "units", "class_name", "config", "zz"]))] = holder.pop(key)
        else:
            holder[key] = copy.deepcopy(draw.choice(_OTHERS))
        return value


def _dumped(value):
    return json.dumps(value).encode("utf-8", "surrogatepass")


class KerasFile:
    """`.keras`: bytes, the members of the archive, values of the config, datasets of the weights."""

    caught = (ValueError,)

    def __init__(self, folder):
        self.path = os.path.join(folder, "m.keras")
        inputs = keras.Input((4,))
        hidden = keras.layers.Dense(3, activation="relu")(inputs)
        model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.BatchNormalization()(hidden) * 2.0))
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(numpy.zeros([4, 4], "float32"), numpy.zeros([4, 1], "float32"), verbose=0)
        model.save(self.path)
        with zipfile.ZipFile(self.path) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.data = pathlib.Path(self.path).read_bytes()
        self.model = model

    def mutate(self, draw):
        kind = draw.randrange(5)
        if kind == 0:
            pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))
            return
        members = dict(self.members)
        if kind == 1:
            name = draw.choice(list(members))
            members[draw.choice(["../a", "b", "/c", "config.json "])] = members.pop(name)
        elif kind == 2:
            name = draw.choice(list(members))
            members[name] = mutated_bytes(draw, members[name])
        elif kind == 3:
            members["config.json"] = _dumped(mutated_json(draw, json.loads(members["config.json"])))
        else:
            members["model.weights.h5"] = mutated_h5(draw, members["model.weights.h5"])
        with zipfile.ZipFile(self.path, "w", draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
            for name, data in members.items():
                archive.writestr(name, data)

    def load(self):
        keras.models.load_model(self.path)


def mutated_h5(draw, data):
    """An HDF5 file with one dataset or group removed, or replaced."""
    import h5py
    file = io.BytesIO(data)
    with h5py.File(file, "a") as root:
        names = []
        root.visit(names.append)
        name = draw.choice(names)
        kind = draw.randrange(7)
        one = root[name]
        del root[name]
        if kind == 1:
            root.create_dataset(name, data=draw.choice([3, b"text", [1, 2, 3], numpy.zeros([0, 2]), numpy.array([b"a", b"b"])]))
        elif kind == 2:
            root.create_group(name)
        elif kind == 3:
            root[name] = h5py.SoftLink(draw.choice(["/", "/nowhere", "/" + names[0]]))
        elif kind == 4:
            root[name] = h5py.ExternalLink("/etc/hostname", "/x")
        elif kind == 5 and isinstance(one, h5py.Dataset) and one.shape:
            root.create_dataset(name, [2 ** 30, *one.shape], one.dtype, chunks=True, compression="gzip")
        elif kind == 6 and isinstance(one, h5py.Dataset) and one.shape:
            root.create_dataset(name, one.shape, one.dtype, external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])
    return file.getvalue()


class WeightsFile(KerasFile):
    """`.weights.h5`."""

    def __init__(self, folder):
        super().__init__(folder)
        self.path = os.path.join(folder, "m.weights.h5")
        self.data = self.members["model.weights.h5"]

    def mutate(self, draw):
        make = mutated_bytes if draw.random() < 0.5 else mutated_h5
        pathlib.Path(self.path).write_bytes(make(draw, self.data))

    def load(self):
        self.model.load_weights(self.path)


class LegacyFile(KerasFile):
    """`.h5` of a whole model."""

    def __init__(self, folder):
        super().__init__(folder)
        self.path = os.path.join(folder, "m.h5")
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(numpy.zeros([4, 4], "float32"), numpy.zeros([4, 2], "float32"), verbose=0)
        model.save(self.path)
        self.model, self.data = model, pathlib.Path(self.path).read_bytes()

    def mutate(self, draw):
        kind = draw.randrange(3)
        make = (mutated_bytes, mutated_h5, mutated_attribute)[kind]
        pathlib.Path(self.path).write_bytes(make(draw, self.data))
        self.kind = draw.randrange(3)

    def load(self):
        if self.kind == 0:
            self.model.load_weights(self.path, by_name=True)
        elif self.kind == 1:
            self.model.load_weights(self.path)
        else:
            keras.models.load_model(self.path)


def mutated_attribute(draw, data):
    """An HDF5 file with one attribute removed or replaced."""
    import h5py
    file = io.BytesIO(data)
    with h5py.File(file, "a") as root:
        holders = [root]
        root.visititems(lambda name, one: holders.append(one) if len(one.attrs) else None)
        holder = draw.choice(holders)
        name = draw.choice(list(holder.attrs))
        value = holder.attrs[name]
        if draw.random() < 0.2 or name in ("backend", "keras_version"):
            del holder.attrs[name]
        elif name.endswith("_config"):
            holder.attrs[name] = _dumped(mutated_json(draw, json.loads(value)))
        else:
            holder.attrs[name] = draw.choice([3, [1.5], "a", [b"a", b"/", b"..", b"dense"], numpy.zeros([0]), [b"\xff"]])
    return file.getvalue()


class ConfigText:
    """JSON of `to_json`."""

    caught = (ValueError,)

    def __init__(self, folder):
        model = keras.Sequential([keras.Input((6, 4)), keras.layers.Bidirectional(keras.layers.LSTM(3)), keras.layers.Dropout(0.5),
                                  keras.layers.Lambda(keras.activations.relu),
                                  keras.layers.Dense(2, kernel_regularizer="l2", kernel_initializer=keras.initializers.Constant(1.0))])
        self.text = model.to_json()

    def mutate(self, draw):
        text = self.text.encode()
        kind = draw.randrange(4)
        self.given = mutated_bytes(draw, text) if kind == 0 else b"[" * draw.choice([10, 5000, 300000]) if kind == 1 and \
            draw.random() < 0.05 else _dumped(mutated_json(draw, json.loads(text)))

    def load(self):
        keras.models.model_from_json(self.given)


class ImageArrays:
    """`mnist.npz`, and a gzip file of IDX."""

    caught = (ValueError,)

    def __init__(self, folder):
        self.folder, self.path = folder, os.path.join(folder, "mnist.npz")
        arrays = {name: numpy.zeros([3, 28, 28] if name[0] == "x" else [3], "uint8") for name in ("x_train", "y_train", "x_test", "y_test")}
        numpy.savez_compressed(self.path, **arrays)
        self.data = pathlib.Path(self.path).read_bytes()
        for name, array in (("train-images", "x_train"), ("train-labels", "y_train"), ("t10k-images", "x_test"), ("t10k-labels", "y_test")):
            shape = arrays[array].shape
            head = bytes([0, 0, 8, len(shape)]) + b"".join(one.to_bytes(4, "big") for one in shape)
            pathlib.Path(folder, f"{name}-idx{len(shape)}-ubyte.gz").write_bytes(gzip.compress(head + arrays[array].tobytes()))
        self.idx = os.path.join(folder, "train-images-idx3-ubyte.gz")
        self.packed = pathlib.Path(self.idx).read_bytes()

    def mutate(self, draw):
        self.kind = draw.randrange(3)
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))
        packed = mutated_bytes(draw, self.packed) if self.kind == 1 else gzip.compress(mutated_bytes(draw, gzip.decompress(self.packed)))
        pathlib.Path(self.idx).write_bytes(packed)

    def load(self):
        keras.datasets.mnist.load_data(self.path if self.kind == 0 else self.folder)


class _Weights:
    caught = (ValueError,)

    def __init__(self, folder):
        self.path = os.path.join(folder, self.name)
        self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
        self.model.save_weights(self.path)
        self.data = pathlib.Path(self.path).read_bytes()

    def mutate(self, draw):
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))

    def load(self):
        self.model.load_weights(self.path)


class Npz(_Weights):
    """`.npz` of `save_weights`."""

    name = "m.npz"


class Safetensors(_Weights):
    """`.safetensors` of `save_weights`."""

    name = "m.safetensors"


class Checkpoint:
    """A TensorBundle: its index and its data, by all of their readers."""

    caught = (tf.errors.DataLossError,)

    def __init__(self, folder):
        self.folder = os.path.join(folder, "checkpoint")
        self.value = tf.Variable(tf.range(50.0))
        self.checkpoint = tf.train.Checkpoint(value=self.value, text=tf.Variable("a"), step=tf.Variable(3, dtype="int64"))
        self.path = self.checkpoint.save(os.path.join(self.folder, "c"))
        self.files = {one: one.read_bytes() for one in pathlib.Path(self.folder).iterdir()}

    def mutate(self, draw):
        chosen = draw.choice(sorted(self.files))
        for one, data in self.files.items():
            one.write_bytes(mutated_bytes(draw, data) if one == chosen else data)
        self.kind = draw.randrange(3)
        if chosen.name == "checkpoint":
            self.kind = 2

    def load(self):
        if self.kind == 0:
            self.checkpoint.restore(self.path).assert_consumed()
        elif self.kind == 1:
            reader = tf.train.load_checkpoint(self.path)
            for name in reader.get_variable_to_shape_map():
                reader.get_tensor(name)
        else:
            tf.train.latest_checkpoint(self.folder)
            tf.train.get_checkpoint_state(self.folder)


class Records:
    """TFRecord files."""

    caught = (tf.errors.DataLossError,)
    compression = None

    def __init__(self, folder):
        self.path = os.path.join(folder, "r.tfrecord")
        with tf.io.TFRecordWriter(self.path, self.compression) as writer:
            for size in (0, 3, 200):
                writer.write(b"x" * size)
        self.data = pathlib.Path(self.path).read_bytes()

    def mutate(self, draw):
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))

    def load(self):
        for _ in tf.data.TFRecordDataset(self.path, self.compression or ""):
            pass


class GzipRecords(Records):
    """TFRecord files within gzip."""

    compression = "GZIP"


class Events(Records):
    """Event files of TensorBoard."""

    def __init__(self, folder):
        writer = tf.summary.create_file_writer(os.path.join(folder, "logs"))
        with writer.as_default():
            tf.summary.scalar("a", 1.0, 1)
            tf.summary.text("b", "c", 2)
        writer.close()
        self.path = str(next(pathlib.Path(folder, "logs").iterdir()))
        self.data = pathlib.Path(self.path).read_bytes()

    def load(self):
        for _ in tf.compat.v1.train.summary_iterator(self.path):
            pass


class SavedDataset:
    """`Dataset.save`, by `Dataset.load`."""

    caught = (tf.errors.DataLossError,)

    def __init__(self, folder):
        self.folder = os.path.join(folder, "dataset")
        tf.data.Dataset.from_tensor_slices({"a": numpy.arange(3.0), "b": [b"x", b"yy", b""]}).save(self.folder)
        self.files = {one: one.read_bytes() for one in pathlib.Path(self.folder).iterdir()}

    def mutate(self, draw):
        chosen = draw.choice(sorted(self.files))
        for one, data in self.files.items():
            if one == chosen and one.suffix == ".json" and draw.random() < 0.6:
                one.write_bytes(_dumped(mutated_json(draw, json.loads(data))))
            elif one == chosen and one.suffix == ".data" and draw.random() < 0.6:
                one.write_bytes(self.other_records(draw, one))
            else:
                one.write_bytes(mutated_bytes(draw, data) if one == chosen else data)

    def other_records(self, draw, path):
        """The same file with one record's content mutated under right checksums."""
        path.write_bytes(self.files[path])
        records = [one.numpy() for one in tf.data.TFRecordDataset(str(path))]
        place = draw.randrange(len(records))
        records[place] = mutated_bytes(draw, records[place])
        with tf.io.TFRecordWriter(str(path)) as writer:
            for one in records:
                writer.write(one)
        return path.read_bytes()

    def load(self):
        for _ in tf.data.Dataset.load(self.folder):
            pass


class MetaGraph:
    """A `.meta` file."""

    as_text = False

    caught = (tf.errors.DataLossError, ValueError, tf.errors.OpError)

    def __init__(self, folder):
        self.path = os.path.join(folder, "g.meta")
        with tf.Graph().as_default():
            x = tf.compat.v1.placeholder(tf.float32, [2, 2], "x")
            tf.matmul(x, tf.Variable(numpy.eye(2, dtype="float32"), name="v"), name="y")
            tf.compat.v1.train.export_meta_graph(self.path, as_text=self.as_text)
        self.data = pathlib.Path(self.path).read_bytes()

    def mutate(self, draw):
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))

    def load(self):
        with tf.Graph().as_default():
            tf.compat.v1.train.import_meta_graph(self.path)


class MetaGraphText(MetaGraph):
    """A `.meta` file as text."""

    as_text = True


class Vocabulary:
    """A file of words."""

    caught = (ValueError, tf.errors.OpError)

    def __init__(self, folder):
        self.path = os.path.join(folder, "words.txt")
        self.data = "wort\nwörter\nein\n".encode()

    def mutate(self, draw):
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, self.data))
        self.kind = draw.randrange(3)

    def load(self):
        if self.kind == 0:
            keras.layers.StringLookup(vocabulary=self.path)
        elif self.kind == 1:
            keras.layers.TextVectorization(vocabulary=self.path)
        else:
            tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                self.path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)


class OwnSave(_Weights):
    """A directory with one save of Lockstep's own format."""

    name = os.path.join("saves", "save-1.lockstep")
    caught = (ValueError, tf.errors.NotFoundError)

    def __init__(self, folder):
        os.mkdir(os.path.join(folder, "saves"))
        self.path = os.path.join(folder, self.name)
        self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
        self.model._bridge().save_weights(self.path)
        self.data = pathlib.Path(self.path).read_bytes()

    def load(self):
        self.model.load_weights(os.path.dirname(self.path))


class Npy:
    """`.npy`, by the command `lockstep checkpoint`."""

    caught = (ValueError,)

    def __init__(self, folder):
        self.path = os.path.join(folder, "a.npy")
        self.arrays = []
        for array in (numpy.arange(12.0).reshape(3, 4), numpy.array(["a", "bcd"]), numpy.zeros([2, 3], ">i4", order="F")):
            file = io.BytesIO()
            numpy.save(file, array)
            self.arrays.append(file.getvalue())

    def mutate(self, draw):
        pathlib.Path(self.path).write_bytes(mutated_bytes(draw, draw.choice(self.arrays)))
        self.command = draw.choice(["ls", "verify", "show"])

    def load(self):
        words = [os.environ["LOCKSTEP_COMMAND"], "checkpoint", self.command, self.path]
        ran = subprocess.run([*words, "array"] if self.command == "show" else words, capture_output=True, text=True)
        if ran.returncode == 1 and self.path in ran.stderr:
            raise ValueError(ran.stderr)
        if ran.returncode != 0:
            raise RuntimeError(f"status {ran.returncode}: {ran.stderr}")


class Csv:
    """CSV files, plain and within gzip, with given and with found kinds of columns."""

    caught = (ValueError, tf.errors.OpError)

    def __init__(self, folder):
        self.path = os.path.join(folder, "a.csv")
        self.data = 'a,b,c\n1,2.5,"x, y"\n3,-1e3,z\n,,\n'.encode()

    def mutate(self, draw):
        self.kind = draw.randrange(3)
        data = mutated_bytes(draw, self.data)
        if self.kind == 2:
            data = mutated_bytes(draw, gzip.compress(self.data)) if draw.random() < 0.5 else gzip.compress(data)
        pathlib.Path(self.path).write_bytes(data)

    def load(self):
        if self.kind == 0:
            made = tf.data.experimental.make_csv_dataset(self.path, 2, num_epochs=1, shuffle=False)
        else:
            made = tf.data.experimental.CsvDataset(self.path, [tf.int32, tf.float32, tf.string], "GZIP" if self.kind == 2 else None, header=True)
        for _ in made:
            pass


FORMATS = {one.__name__: one for one in (KerasFile, WeightsFile, LegacyFile, ConfigText, ImageArrays, Npz, Safetensors, Checkpoint,
                                         Records, GzipRecords, Events, SavedDataset, MetaGraph, MetaGraphText, Vocabulary,
                                         OwnSave, Npy, Csv)}
_NEEDS_H5PY = ("KerasFile", "WeightsFile", "LegacyFile")


def can_run(format):
    """Whether the format's packages and programs are there."""
    return (HAS_H5PY or format not in _NEEDS_H5PY) and (format != "Npy" or "LOCKSTEP_COMMAND" in os.environ)


def may_pass(error, caught):
    """Whether an error is of the format's class; a name of a class or function that is none stays a TypeError, as in Keras."""
    return isinstance(error, caught) or isinstance(error, TypeError) and "Could not locate" in str(error)


def fuzz(format, seed, cases=None, seconds=None):
    """Runs mutations of a format. Returns: (cases, [what came through that should not])."""
    draw = random.Random(f"{format} {seed}")
    folder = tempfile.mkdtemp()
    wrong, count, began = [], 0, time.monotonic()
    try:
        one = FORMATS[format](folder)
        while count < cases if seconds is None else time.monotonic() - began < seconds:
            count += 1
            one.mutate(draw)
            faulthandler.dump_traceback_later(60, exit=True)
            start = time.monotonic()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    one.load()
            except Exception as error:
                if not may_pass(error, one.caught):
                    wrong.append(f"case {count}: {type(error).__name__}: {str(error)[:300]}")
            faulthandler.cancel_dump_traceback_later()
            if time.monotonic() - start > 10:
                wrong.append(f"case {count}: took {time.monotonic() - start:.0f} s")
    finally:
        shutil.rmtree(folder)
    return count, wrong


class DamagedFiles(unittest.TestCase):
    def test_one_class_of_error_comes_through(self):
        print(f"seed {SEED}; LOCKSTEP_FUZZ_SEED sets another one")
        for format in FORMATS:
            if not can_run(format):
                continue
            with self.subTest(format=format):
                count, wrong = fuzz(format, SEED, cases=150)
                self.assertEqual(wrong, [])
                self.assertEqual(count, 150)


@unittest.skipUnless(HAS_H5PY, "needs h5py")
class WeightsWithoutPlace(unittest.TestCase):
    def test_weights_that_the_model_has_no_part_for_are_an_error(self):
        def model(*units):
            return keras.Sequential([keras.Input((3,))] + [keras.layers.Dense(one, name=f"d{place}") for place, one in enumerate(units)])
        with tempfile.TemporaryDirectory() as folder:
            for name in ("m.weights.h5", "m.npz", "m.safetensors"):
                path = os.path.join(folder, name)
                model(4, 2).save_weights(path)
                with self.subTest(name), self.assertRaises(ValueError):
                    model(4).load_weights(path)
                with self.subTest(name), self.assertRaises(ValueError):
                    model(4, 2, 1).load_weights(path)
            path = os.path.join(folder, "m.weights.h5")
            model(4, 2).load_weights(path)
            with self.assertWarnsRegex(UserWarning, "no part there"):
                model(4).load_weights(path, skip_mismatch=True)

    def test_errors_of_users_code_pass_unchanged(self):
        class Own(keras.layers.Layer):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                if Own.fails:
                    raise KeyError("mine")

            def call(self, inputs):
                return inputs

        Own.fails = False
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.keras")
            keras.Sequential([keras.Input((3,)), Own()]).save(path)
            keras.models.load_model(path, custom_objects={"Own": Own})
            Own.fails = True
            with self.assertRaisesRegex(KeyError, "mine"):
                keras.models.load_model(path, custom_objects={"Own": Own})
            with self.assertRaisesRegex(TypeError, "Could not locate class 'Own'"):
                keras.models.load_model(path)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        seed = sys.argv[3] if len(sys.argv) > 3 else str(time.time_ns())
        count, wrong = fuzz(sys.argv[1], seed, seconds=float(sys.argv[2]))
        print(f"{sys.argv[1]}: seed {seed}, {count} cases, {len(wrong)} wrong")
        print("\n".join(wrong[:40]))
        sys.exit(bool(wrong))
    unittest.main()
