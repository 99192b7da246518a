"""Files and folders: `tf.io.gfile`. What the system refuses is an error of `tf.errors`."""

import collections
import contextlib
import glob as _glob
import os
import shutil

from . import errors


_SCHEME = "file://"


def _path(path):
    """The path as text, without "file://"."""
    if hasattr(path, "numpy"):
        path = path.numpy()
    path = os.fspath(path)
    path = path.decode() if isinstance(path, bytes) else path
    return path.removeprefix(_SCHEME)


@contextlib.contextmanager
def _told():
    try:
        yield
    except FileNotFoundError as error:
        raise errors.NotFoundError(None, None, f"{error.filename}; No such file or directory") from None
    except FileExistsError as error:
        raise errors.AlreadyExistsError(None, None, f"{error.filename}; file already exists") from None
    except PermissionError as error:
        raise errors.PermissionDeniedError(None, None, f"{error.filename}; Permission denied") from None
    except (IsADirectoryError, NotADirectoryError) as error:
        raise errors.FailedPreconditionError(None, None, f"{error.filename}; {error.strerror}") from None


def exists(path):
    """Whether there is a file or folder."""
    return os.path.exists(_path(path))


def isdir(path):
    """Whether it is a folder."""
    return os.path.isdir(_path(path))


def makedirs(path):
    """Makes a folder, and those above it, where they are not there yet."""
    with _told():
        os.makedirs(_path(path), exist_ok=True)


def mkdir(path):
    """Makes a folder. Raises: NotFoundError where the one above it is not there."""
    with _told():
        os.mkdir(_path(path))


def glob(pattern):
    """The paths that fit a pattern, or one of several."""
    patterns = [pattern] if isinstance(pattern, (str, bytes)) or hasattr(pattern, "__fspath__") else pattern
    return [_scheme_of(each) + one for each in patterns for one in matching(_path(each))]


def _scheme_of(path):
    """"file://" where a path begins so."""
    text = os.fsdecode(path.numpy() if hasattr(path, "numpy") else path)
    return _SCHEME if text.startswith(_SCHEME) else ""


def matching(pattern):
    """The paths that fit, in order; as in TensorFlow a pattern without a folder gives "./NAME", a name itself."""
    found = sorted(_glob.glob(pattern))
    return [one if os.path.dirname(pattern) or not _glob.has_magic(pattern) else "./" + one for one in found]


def listdir(path):
    """The names in a folder. Raises: NotFoundError."""
    if not isdir(path):
        raise errors.NotFoundError(None, None, "Could not find directory")
    with _told():
        return sorted(os.listdir(_path(path)))


def remove(path):
    """Deletes a file. Raises: NotFoundError."""
    with _told():
        os.remove(_path(path))


def rmtree(path):
    """Deletes a folder and all in it. Raises: NotFoundError."""
    with _told():
        shutil.rmtree(_path(path))


def join(path, *paths):
    """Parts of a path as one."""
    return _scheme_of(path) + os.path.join(_path(path), *[_path(one) for one in paths])


def _free(path, overwrite):
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


def copy(src, dst, overwrite=False):
    """Copies a file. Raises: AlreadyExistsError without `overwrite`, NotFoundError."""
    _free(dst, overwrite)
    with _told():
        shutil.copyfile(_path(src), _path(dst))


def rename(src, dst, overwrite=False):
    """Moves a file or folder. Raises: AlreadyExistsError without `overwrite`, NotFoundError."""
    _free(dst, overwrite)
    with _told():
        os.replace(_path(src), _path(dst))


Stat = collections.namedtuple("FileStatistics", ["length", "mtime_nsec", "is_directory"])


def stat(path):
    """`length` in bytes, `mtime_nsec` and `is_directory`. Raises: NotFoundError."""
    with _told():
        found = os.stat(_path(path))
    return Stat(found.st_size, found.st_mtime_ns, isdir(path))


def walk(top, topdown=True, onerror=None):
    """(folder, folders in it, files in it) of a folder and all below."""
    for folder, folders, files in os.walk(_path(top), topdown, onerror):
        yield _scheme_of(top) + folder, sorted(folders), sorted(files)


class GFile:
    """A file, opened when it is first read or written. Raises: NotFoundError then."""

    def __init__(self, name, mode="r"):
        self._name, self._mode, self._file = name, mode, None
        if mode not in ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "rb+", "wb+", "ab+"):
            raise errors.InvalidArgumentError(None, None, f"Invalid mode {mode!r}")

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _opened(self):
        if self._file is None:
            with _told():
                newline = {} if "b" in self._mode else {"newline": ""}
                self._file = open(_path(self._name), self._mode, **newline)
        return self._file

    def read(self, n=-1):
        """The rest, or `n` characters or bytes of it."""
        return self._opened().read(n)

    def readline(self):
        """The next line, without carriage returns; empty at the end."""
        line = self._opened().readline()
        return line.replace(b"\r" if isinstance(line, bytes) else "\r", line[:0])

    def readlines(self):
        """The lines that are left, without carriage returns."""
        return list(self)

    def write(self, file_content):
        """Writes text, or bytes where the mode says so."""
        if hasattr(file_content, "numpy"):
            file_content = file_content.numpy()
        if "b" not in self._mode and isinstance(file_content, bytes):
            file_content = file_content.decode()
        elif "b" in self._mode and isinstance(file_content, str):
            file_content = file_content.encode()
        self._opened().write(file_content)

    def size(self):
        return stat(self._name).length

    def seek(self, offset=None, whence=0, position=None):
        self._opened().seek(position if offset is None else offset, whence)

    def tell(self):
        return self._opened().tell()

    def seekable(self):
        return True

    def flush(self):
        if self._file is not None:
            self._file.flush()

    def close(self):
        if self._file is not None:
            self._file.close()
        self._file = None

    def __iter__(self):
        return iter(self.readline, b"" if "b" in self._mode else "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
