"""Small files that unpack to much: each is refused within 100 MB of memory, plus the file's size, and within seconds.

Each case runs in a process of its own, which reports its peak memory after the package is imported and a small model is
made, and again after the file is refused."""
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile
import zlib

import lockstep as tf

keras = tf.keras
HAS_H5PY = __import__("importlib.util").util.find_spec("h5py") is not None
MEMORY = 100 << 20
SECONDS = 20

LOADER = """
import resource, sys, time, warnings
warnings.simplefilter("ignore")
import lockstep as tf
keras = tf.keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="dense")])
model.compile("adam", "mse")
try:
    import h5py
except ImportError:
    pass
path = sys.argv[1]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
before, began = peak(), time.monotonic()
try:
    {load}
    print("accepted")
except (ValueError, tf.errors.DataLossError, tf.errors.ResourceExhaustedError) as error:
    print(type(error).__name__, str(error).replace(chr(10), " "))
print(peak() - before, time.monotonic() - began)
"""


def zeros_packed(size):
    """(a raw deflate stream of so many zeros, their CRC), made of one repeated block."""
    piece = 1 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    crc = 0
    for _ in range(size // piece):
        crc = zlib.crc32(bytes(piece), crc)
    return block * (size // piece) + packer.flush(), crc


def bomb_archive(path, members, bomb, size):
    """A zip archive of members, one of which, `bomb`, unpacks to `size` zeros."""
    data, crc = zeros_packed(size)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(bomb, data)
    whole = bytearray(pathlib.Path(path).read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(bomb)
        begin, directory = info.header_offset, archive.start_dir
    whole[begin + 8:begin + 10] = struct.pack("<H", 8)
    whole[begin + 14:begin + 26] = struct.pack("<III", crc, len(data), size)
    place = whole.rfind(b"PK\x01\x02", directory)
    whole[place + 10:place + 12] = struct.pack("<H", 8)
    whole[place + 16:place + 28] = struct.pack("<III", crc, len(data), size)
    pathlib.Path(path).write_bytes(whole)


@unittest.skipUnless(HAS_H5PY, "needs h5py")
class Bombs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        good = os.path.join(cls.folder, "good.keras")
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="dense")])
        model.compile("adam", "mse")
        model.save(good)
        with zipfile.ZipFile(good) as archive:
            cls.members = {name: archive.read(name) for name in archive.namelist()}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def refused(self, path, load="keras.models.load_model(path)"):
        script = LOADER.replace("{load}", textwrap.indent(load, "    ").strip())
        run = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, 0, run.stderr[-2000:])
        said, figures = run.stdout.strip().splitlines()[-2:]
        peak, seconds = map(float, figures.split())
        self.assertNotIn("accepted", said)
        self.assertIn(os.path.basename(path), said)
        self.assertLess(peak, MEMORY + os.path.getsize(path), said)
        self.assertLess(seconds, SECONDS, said)

    def path(self, name):
        return os.path.join(self.folder, name)

    def archive(self, name, **changed):
        path = self.path(name)
        with zipfile.ZipFile(path, "w") as archive:
            for member, data in {**self.members, **changed}.items():
                archive.writestr(member, data)
        return path

    def weights(self, change):
        import h5py
        file = io.BytesIO(self.members["model.weights.h5"])
        with h5py.File(file, "a") as root:
            change(root, h5py)
        return file.getvalue()

    def test_members_that_unpack_to_gigabytes(self):
        for bomb in ("model.weights.h5", "config.json"):
            with self.subTest(bomb):
                path = self.path(f"{bomb}.keras")
                bomb_archive(path, {name: data for name, data in self.members.items() if name != bomb}, bomb, 1 << 30)
                self.refused(path)
                if bomb == "model.weights.h5":
                    self.refused(path, "model.load_weights(path)")

    def test_assets_that_unpack_to_gigabytes(self):
        path = self.path("assets.keras")
        bomb_archive(path, self.members, "assets/layers/keeps/words", 1 << 30)
        self.refused(path, textwrap.dedent("""
            class Dense(keras.layers.Dense):
                def load_assets(self, folder):
                    pass
            keras.models.load_model(path, custom_objects={"Dense": Dense})"""))

    def test_configs_of_millions_of_lists(self):
        self.refused(self.archive("lists.keras", **{"config.json": b"[" + b"[]," * 10_000_000 + b"[]]"}))

    def test_directories_of_millions_of_members(self):
        path = self.path("directory.keras")
        entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
        data = b"".join(entry + b"%07d" % place for place in range(500_000))
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(data), 0, 0)
        pathlib.Path(path).write_bytes(data + end)
        self.refused(path)

    def test_datasets_that_declare_more_than_they_store(self):
        def shape(root, h5py):
            del root["layers/dense/vars/0"]
            root.create_dataset("layers/dense/vars/0", [1 << 15, 1 << 16], "f4", chunks=(1 << 10, 1 << 10), compression="gzip")

        def chunk(root, h5py):
            del root["layers/dense/vars/0"]
            made = root.create_dataset("layers/dense/vars/0", [4, 3], "f4", maxshape=(None, None), chunks=(1 << 14, 1 << 15), compression="gzip")
            made[0, 0] = 1.0

        def wide(root, h5py):
            del root["layers/dense/vars/0"]
            root.create_dataset("layers/dense/vars/0", [4, 3], "S1000000000")

        for change in (shape, chunk, wide):
            weights = self.weights(change)
            path = self.path(change.__name__ + ".weights.h5")
            pathlib.Path(path).write_bytes(weights)
            with self.subTest(change.__name__):
                self.refused(path, "model.load_weights(path)")
                self.refused(self.archive(change.__name__ + ".keras", **{"model.weights.h5": weights}))

    def test_own_loaders_get_no_oversized_arrays(self):
        def shape(root, h5py):
            root.create_dataset("layers/dense/vars/more", [1 << 15, 1 << 16], "f4", chunks=(1 << 10, 1 << 10), compression="gzip")
        path = self.archive("own.keras", **{"model.weights.h5": self.weights(shape)})
        self.refused(path, textwrap.dedent("""
            class Dense(keras.layers.Dense):
                def load_own_variables(self, store):
                    self.values = dict(store)
            try:
                keras.models.load_model(path, custom_objects={"Dense": Dense})
            except ValueError as error:
                raise ValueError(str(error) + path)"""))

    def test_layers_larger_than_the_weights(self):
        config = json.loads(self.members["config.json"])
        config["config"]["layers"][1]["config"]["units"] = 1 << 28
        self.refused(self.archive("units.keras", **{"config.json": json.dumps(config)}))

    def test_names_that_leave_the_archive(self):
        for number, name in enumerate(("../out", "/out", "assets/../../out", "assets/..\\out", "C:/out")):
            path = self.archive(f"name{number}.keras", **{name: b"x"})
            with self.subTest(name), self.assertRaisesRegex(tf.errors.DamagedFileError, "leaves the archive"):
                keras.models.load_model(path)
        path = self.path("link.keras")
        with zipfile.ZipFile(path, "w") as archive:
            for member, data in self.members.items():
                archive.writestr(member, data)
            link = zipfile.ZipInfo("assets/link")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc")
        with self.assertRaisesRegex(tf.errors.DamagedFileError, "is a link"):
            keras.models.load_model(path)

    def test_members_of_one_name(self):
        import warnings
        path = self.path("twice.keras")
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
            warnings.simplefilter("ignore")
            for member, data in [*self.members.items(), ("config.json", b"{}")]:
                archive.writestr(member, data)
        with self.assertRaisesRegex(tf.errors.DamagedFileError, "two members"):
            keras.models.load_model(path)

    def test_weights_outside_of_the_file(self):
        def external(root, h5py):
            del root["layers/dense/vars/0"]
            root.create_dataset("layers/dense/vars/0", [4, 3], "f4", external=[("/etc/passwd", 0, 48)])

        def virtual(root, h5py):
            del root["layers/dense/vars/0"]
            layout = h5py.VirtualLayout((4, 3), "f4")
            layout[:] = h5py.VirtualSource("/etc/passwd", "x", (4, 3))
            root.create_virtual_dataset("layers/dense/vars/0", layout)

        def link(root, h5py):
            del root["layers/dense"]
            root["layers/dense"] = h5py.ExternalLink("/tmp/other.h5", "/x")
        for change in (external, virtual, link):
            path = self.path(change.__name__ + ".weights.h5")
            pathlib.Path(path).write_bytes(self.weights(change))
            model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="dense")])
            with self.subTest(change.__name__), self.assertRaisesRegex(tf.errors.DamagedFileError, "another file|Link"):
                model.load_weights(path)


if __name__ == "__main__":
    unittest.main()
