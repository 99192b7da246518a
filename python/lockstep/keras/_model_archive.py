"""`.keras` files as zip archives, read without trust.

The directory of the archive is checked before any member is unpacked: names are unique and stay below the archive,
no member is a link, and the declared sizes are bounded. The weights are read in place if they are stored, else they
are unpacked to a temporary file, never into memory."""

import contextlib
import io
import json
import os
import shutil
import stat
import struct
import tempfile
import zipfile

from .. import _native
from .._damage import reading, refuse

_MOST_OF_DIRECTORY = 16 << 20  # bytes
_MOST_OF_CONFIG = 64 << 20
_MOST_OF_CONTAINERS = 250_000  # dicts and lists of a config
_SLACK = 64 << 20  # bytes of a packed member besides what the model needs
_SMALL = 16 << 20  # bytes of weights besides those of the file
_RATIO = 100  # a packed asset above `_SLACK` expands to this many times its size at most


@contextlib.contextmanager
def weight_limit(count):
    """The time in which layers of the package may create weights of at most so many bytes."""
    before = _native.set_weight_limit(count)
    try:
        yield
    finally:
        _native.set_weight_limit(before)


def lift_weight_limit():
    """Takes the limit away: a class of the user's own may keep weights that the file does not have."""
    _native.set_weight_limit(None)


class _Window(io.RawIOBase):
    """A part of a file as a file."""

    def __init__(self, file, begin, size):
        self._file, self._begin, self._size, self._place = file, begin, size, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._place

    def seek(self, offset, whence=os.SEEK_SET):
        self._place = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence])
        return self._place

    def readinto(self, buffer):
        view = memoryview(buffer)[:max(0, self._size - self._place)]
        self._file.seek(self._begin + self._place)
        count = self._file.readinto(view)
        self._place += count
        return count


def _directory_size(file):
    """Bytes of the archive's directory, as the archive declares them."""
    size = file.seek(0, os.SEEK_END)
    begin = max(0, size - (1 << 16) - 22 - 76)
    file.seek(begin)
    tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or place + 22 > len(tail):
        return 0
    declared = struct.unpack_from("<I", tail, place + 12)[0]
    if tail[max(0, place - 20):place].startswith(b"PK\x06\x07") and place >= 76:
        declared = max(declared, struct.unpack_from("<Q", tail, place - 76 + 40)[0])
    return declared


def _require_safe_name(path, info):
    parts = info.filename.split("/")
    if info.filename.startswith("/") or ".." in parts or "\\" in info.filename or "\0" in info.filename or ":" in parts[0]:
        refuse(path, f"the name of the archive's member {info.filename!r} leaves the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        refuse(path, f"the archive's member {info.filename!r} is a link")


class ModelArchive:
    """A `.keras` file. Raises: DamagedFileError."""

    def __init__(self, path):
        self._path = path
        self._file = open(path, "rb")
        try:
            with reading(path):
                if _directory_size(self._file) > _MOST_OF_DIRECTORY:
                    refuse(path, f"the archive's directory is above {_MOST_OF_DIRECTORY} bytes")
                self._zip = zipfile.ZipFile(self._file)
                self._members = {}
                for info in self._zip.infolist():
                    _require_safe_name(path, info)
                    if info.filename in self._members:
                        refuse(path, f"the archive has two members of the name {info.filename!r}")
                    self._members[info.filename] = info
        except BaseException:
            self._file.close()
            raise

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _member(self, name):
        if name not in self._members:
            refuse(self._path, f"the archive has no member {name!r}")
        return self._members[name]

    def config(self):
        """The dict of `config.json`."""
        with reading(self._path):
            info = self._member("config.json")
            if info.file_size > _MOST_OF_CONFIG or info.file_size > max(8 << 20, _RATIO * info.compress_size):
                refuse(self._path, f"config.json declares {info.file_size} bytes in {info.compress_size}")
            return parsed_config(self._path, self._zip.read(info))

    @contextlib.contextmanager
    def weights(self, model_bytes):
        """The file of the weights of a model of so many bytes, optimizer included, once its checksum is compared."""
        with reading(self._path):
            info = self._member("model.weights.h5")
            stored = info.compress_type == zipfile.ZIP_STORED
            if not stored and info.file_size > _SLACK + 4 * model_bytes:
                refuse(self._path, f"model.weights.h5 declares {info.file_size} bytes for a model of {model_bytes}")
            source = self._unpacked(info, None if stored else tempfile.TemporaryFile())
        with source:
            yield source

    def weights_bound(self):
        """The bytes that the weights of the model may take: about those of the file."""
        info = self._member("model.weights.h5")
        stored = info.compress_type == zipfile.ZIP_STORED
        return _SMALL + (info.file_size if stored else min(info.file_size, _SMALL + 16 * info.compress_size))

    def _unpacked(self, info, target):
        """A member's bytes in `target`, or without one in place."""
        with self._zip.open(info) as packed:
            while True:
                piece = packed.read(1 << 20)
                if not piece:
                    break
                if target is not None:
                    target.write(piece)
        if target is not None:
            target.seek(0)
            return target
        self._file.seek(info.header_offset)
        name, extra = struct.unpack("<HH", self._file.read(30)[26:30])
        return io.BufferedReader(_Window(self._file, info.header_offset + 30 + name + extra, info.file_size))

    def extract_assets(self, folder):
        """Writes the members below `assets/` into a folder."""
        with reading(self._path):
            assets = [info for name, info in self._members.items() if name.startswith("assets/") and not info.is_dir()]
            for info in assets:
                if info.file_size > max(_SLACK, _RATIO * info.compress_size):
                    refuse(self._path, f"{info.filename} declares {info.file_size} bytes in {info.compress_size}")
            for info in assets:
                target = os.path.join(folder, *info.filename.split("/"))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with self._zip.open(info) as packed, open(target, "wb") as file:
                    shutil.copyfileobj(packed, file, 1 << 20)


def parsed_config(path, text):
    """The dict of a JSON text. Raises: DamagedFileError."""
    with reading(path):
        if text.count(b"{") + text.count(b"[") > _MOST_OF_CONTAINERS:
            refuse(path, f"the config has above {_MOST_OF_CONTAINERS} lists and dicts")
        config = json.loads(text.decode("utf-8"))
        if not isinstance(config, dict):
            refuse(path, f"the config must be a dict; got {type(config).__name__}")
        return config


def open_archive(path):
    """The archive of a path that ends in `.keras`. Raises: ValueError for a path without a zip archive."""
    if not os.path.isfile(path) or not zipfile.is_zipfile(path):
        raise ValueError(f"File not found: filepath={path}. Please ensure the file is an accessible `.keras` zip file.")
    return ModelArchive(path)
