"""Small .npz, .safetensors, TFRecord, IDX and checkpoint files that unpack to much, or declare much: each is refused within
100 MB of memory plus the file's size. `lockstep checkpoint ls` and `verify` list and check such a file within the same memory."""
import gzip
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy
import test_unpacking_bombs as bombs

LARGE = 1 << 30


def array_bomb(path, name, shape, size):
    """An .npz with one array `name` of zeros: its header declares `shape`, and it unpacks to `size` bytes of elements."""
    head = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": shape})
    head = head.getvalue()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros, _ = bombs.zeros_packed(size)
    data = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH) + zeros
    crc = zlib.crc32(head)
    for _ in range(size >> 20):
        crc = zlib.crc32(bytes(1 << 20), crc)
    full = size + len(head)
    member = f"{name}.npy".encode()
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0x21, crc, len(data), full, len(member), 0) + member + data
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 0x21, crc, len(data), full, len(member), 0, 0, 0, 0, 0, 0)
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(entry) + len(member), len(local), 0)
    pathlib.Path(path).write_bytes(local + entry + member + end)


def masked(data):
    """The masked CRC-32C of a few bytes, by bits."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


class ArrayBombs(unittest.TestCase):
    refused = bombs.Bombs.refused

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_arrays_that_unpack_to_gigabytes(self):
        for name, shape in (("larger", (LARGE // 16, 4)), ("declared", (4, 3))):
            path = self.path(f"{name}.npz")
            array_bomb(path, "dense/kernel", shape, LARGE)
            with self.subTest(name):
                self.refused(path, "model.load_weights(path)")

    def test_arrays_with_a_wrong_checksum(self):
        path = self.path("crc.npz")
        array_bomb(path, "dense/kernel", (LARGE // 16, 4), LARGE)
        data = bytearray(pathlib.Path(path).read_bytes())
        for place in (14, data.rfind(b"PK\x01\x02") + 16):
            data[place] ^= 1
        pathlib.Path(path).write_bytes(data)
        status, peak, output = self.command("verify", path)
        self.assertEqual(status, 1, output)
        self.assertIn("checksum", output)
        self.assertLess(peak, bombs.MEMORY + len(data))

    def command(self, *arguments):
        """Runs `lockstep checkpoint`. Returns: (status, its peak memory, its output)."""
        script = ("import resource, subprocess, sys\n"
                  "ran = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
                  "print(ran.stdout + ran.stderr)\n"
                  "print(ran.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)")
        ran = subprocess.run([sys.executable, "-c", script, os.environ["LOCKSTEP_COMMAND"], "checkpoint", *arguments],
                             capture_output=True, text=True, timeout=300)
        *output, figures = ran.stdout.strip().splitlines()
        status, peak = map(int, figures.split())
        return status, peak, "\n".join(output)

    @unittest.skipUnless("LOCKSTEP_COMMAND" in os.environ, "the command is not built")
    def test_listing_and_verifying_take_no_memory_for_elements(self):
        path = self.path("listed.npz")
        array_bomb(path, "a", (LARGE // 16, 4), LARGE)
        for command, expected in (("ls", f"float32[{LARGE // 16},4]"), ("verify", f"1 tensors, {LARGE} bytes")):
            with self.subTest(command):
                status, peak, output = self.command(command, path)
                self.assertEqual(status, 0, output)
                self.assertIn(expected, output)
                self.assertLess(peak, bombs.MEMORY + os.path.getsize(path))

    def test_headers_of_millions_of_values(self):
        for name, header in (("lists", b'{"a":[' + b"[]," * 10_000_000 + b"[]]}"),
                             ("keys", b"{" + b",".join(b'"%d":0' % one for one in range(2_000_000)) + b"}")):
            path = self.path(f"{name}.safetensors")
            pathlib.Path(path).write_bytes(struct.pack("<Q", len(header)) + header)
            with self.subTest(name):
                self.refused(path, "model.load_weights(path)")

    def test_compressed_records_that_declare_gigabytes(self):
        for name, rest in (("short", LARGE - (1 << 20)), ("checksum", LARGE + 4)):
            path = self.path(f"{name}.gz")
            length = struct.pack("<Q", LARGE)
            with gzip.open(path, "wb", 9) as file:
                file.write(length + struct.pack("<I", masked(length)))
                for _ in range(rest >> 20):
                    file.write(bytes(1 << 20))
                file.write(bytes(rest & 0xfffff))
            with self.subTest(name):
                self.refused(path, "for _ in tf.data.TFRecordDataset(path, 'GZIP'):\n    pass")

    def test_compressed_images_that_declare_gigabytes(self):
        arrays = {"train-images": (3, 28, 28), "train-labels": (3,), "t10k-images": (3, 28, 28), "t10k-labels": (3,)}
        for name, shape in arrays.items():
            head = bytes([0, 0, 8, len(shape)]) + b"".join(one.to_bytes(4, "big") for one in shape)
            pathlib.Path(self.path(f"{name}-idx{len(shape)}-ubyte.gz")).write_bytes(gzip.compress(head + bytes(int(numpy.prod(shape)))))
        path = self.path("train-images-idx3-ubyte.gz")
        with gzip.open(path, "wb", 9) as file:
            file.write(bytes([0, 0, 8, 3]) + b"".join(one.to_bytes(4, "big") for one in (LARGE // 784 + 1, 28, 28)))
            for _ in range(LARGE >> 20):
                file.write(bytes(1 << 20))
        self.refused(path, "keras.datasets.mnist.load_data(path.rsplit('/', 1)[0])")


if __name__ == "__main__":
    unittest.main()
