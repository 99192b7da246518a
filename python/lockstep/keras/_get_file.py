"""`keras.utils.get_file`: files from addresses, kept in a cache."""

import hashlib
import os
import pathlib
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import warnings

from .. import _refused
from ._archives import extract_archive

_BLOCK = 1 << 16
_SECONDS = 60  # without a byte from a server, after which a download fails


def keras_home():
    """The folder of Keras's cache: KERAS_HOME, or ~/.keras."""
    return os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")


def print_message(text):
    """Prints a line where interactive logging is enabled; otherwise it is logged."""
    from . import utils
    if utils.is_interactive_logging_enabled():
        print(text, flush=True)
    else:
        import logging
        logging.getLogger("lockstep").info(text)


def _hash_of(path, algorithm):
    made = hashlib.new(algorithm, usedforsecurity=algorithm != "md5")
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            made.update(block)
    return made.hexdigest()


def _has_hash(path, file_hash, algorithm):
    _refused.one_of("get_file", "hash_algorithm", algorithm, ("auto", "md5", "sha256"))
    if algorithm == "auto":
        algorithm = "sha256" if len(str(file_hash)) == 64 else "md5"
    return _hash_of(path, algorithm) == str(file_hash)


def _opened(origin):
    """An open address, or a path. Raises: Exception with Keras's text where it cannot be reached."""
    try:
        if not urllib.parse.urlsplit(origin).scheme and os.path.isfile(origin):
            origin = pathlib.Path(origin).absolute().as_uri()
        return urllib.request.urlopen(origin, timeout=_SECONDS)
    except urllib.error.HTTPError as error:
        raise Exception(f"URL fetch failure on {origin}: {error.code} -- {error.msg}") from error
    except urllib.error.URLError as error:
        raise Exception(f"URL fetch failure on {origin}: {error.errno} -- {error.reason}") from error


def _download(origin, target):
    """Copies what lies at an address to a file, which appears only when it is whole."""
    from .utils import Progbar, is_interactive_logging_enabled
    print_message(f"Downloading data from {origin}")
    with _opened(origin) as source:
        length = source.headers.get("Content-Length")
        total = int(length) if length and length.isdigit() else None
        partial = f"{target[:len(target) - len(os.path.basename(target)) + 80]}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            bar, done = Progbar(total), 0
            with open(partial, "xb") as out:
                while block := source.read(_BLOCK):
                    out.write(block)
                    done += len(block)
                    if is_interactive_logging_enabled():
                        bar.update(done, finalize=False)
            if total is not None and done < total:
                raise Exception(f"URL fetch failure on {origin}: None -- retrieval incomplete: got only {done} out of {total} bytes")
            if is_interactive_logging_enabled():
                bar.update(done, finalize=True)
            os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise


def _folder(cache_dir, cache_subdir):
    """The folder of files, which is made; below the folder for temporary files where the cache cannot be written."""
    base = os.path.expanduser(keras_home() if cache_dir is None else cache_dir)
    if cache_dir is None:
        try:
            os.makedirs(base, exist_ok=True)
        except OSError:
            pass
    if not os.access(base, os.W_OK):
        base = os.path.join("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir(), ".keras")
    made = os.path.join(base, cache_subdir)
    os.makedirs(made, exist_ok=True)
    return made


def _name(fname, origin):
    if not fname:
        fname = os.path.basename(urllib.parse.urlsplit(origin).path)
        if fname in ("", ".", ".."):
            raise ValueError(f"Can't parse the file name from the origin provided: '{origin}'."
                             "Please specify the `fname` argument.")
    elif os.sep in fname or fname in (".", ".."):
        raise ValueError("Paths are no longer accepted as the `fname` argument. To specify the file's parent directory, use "
                         f"the `cache_dir` argument. Received: fname={fname}")
    return fname


def _places(folder, fname, given, extract):
    """(where the file is kept, where it is unpacked)"""
    if not extract:
        return os.path.join(folder, fname), None
    if given and "." in fname:
        return os.path.join(folder, fname), os.path.join(folder, fname[:fname.find(".")] + "_extracted")
    return os.path.join(folder, fname + "_archive"), os.path.join(folder, fname)


def get_file(fname=None, origin=None, untar=False, md5_hash=None, file_hash=None, cache_subdir="datasets",
             hash_algorithm="auto", extract=False, archive_format="auto", cache_dir=None, force_download=False):
    """The path of a file in the cache, where it is put from `origin` unless it is there: an http, https, ftp or file address,
    or a path.

    Args: fname: its name in the cache, or of the folder that it is unpacked to; that of `origin` by default. file_hash: its
    sha256 or md5, which is checked. cache_dir: KERAS_HOME or ~/.keras by default; `cache_subdir` in it holds the files.
    extract: unpacks a tar or zip archive, and gives the folder; members that would leave it are skipped.
    Raises: ValueError (no origin, a file with another hash), Exception where the address cannot be reached, DamagedFileError
    for archives that are damaged or unpack to far more than their size."""
    if origin is None:
        raise ValueError('Please specify the "origin" argument (URL of the file to download).')
    origin, fname = os.fspath(origin), None if fname is None else os.fspath(fname)
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    target, unpacked = _places(_folder(cache_dir, cache_subdir), _name(fname, origin), bool(fname), extract or untar)
    needed = force_download or not os.path.exists(target)
    if not needed and file_hash is not None and not _has_hash(target, file_hash, hash_algorithm):
        print_message(f"A local file was found, but it seems to be incomplete or outdated because the {hash_algorithm} file "
                      f"hash does not match the original value of {file_hash} so we will re-download the data.")
        needed = True
    if needed:
        _download(origin, target)
        if file_hash is not None and not _has_hash(target, file_hash, hash_algorithm):
            raise ValueError(f"Incomplete or corrupted file detected. The {hash_algorithm} file hash does not match the "
                             f"provided value of {file_hash}.")
    if unpacked is None:
        return target
    if not extract_archive(target, unpacked, "tar" if untar else archive_format):
        warnings.warn("Could not extract archive.", stacklevel=2)
    return unpacked
