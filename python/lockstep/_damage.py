"""One class of error for damaged files: what parsers raise about a file's content becomes a DamagedFileError with its name."""

import contextlib
import struct
import sys
import zipfile
import zlib

from . import errors

_WAYS = (ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError, OSError,
         RuntimeError, TypeError, ValueError, errors.OpError, struct.error, zipfile.BadZipFile, zlib.error)
_OF_SYSTEM = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, InterruptedError, TimeoutError,
              ConnectionError, errors.NotFoundError, errors.PermissionDeniedError, errors.CancelledError, errors.AbortedError,
              errors.UnavailableError)


def no_damage(error):
    """Marks an error that says nothing about damage, as an unknown class in a config, so that `reading` lets it through."""
    error._is_no_damage = True
    return error


def is_no_damage(error):
    """Whether `no_damage` has marked an error."""
    return getattr(error, "_is_no_damage", False)


def refuse(path, text):
    """Raises: DamagedFileError."""
    raise errors.DamagedFileError(None, None, f"[load] {path} is damaged or refused: {text}")


def _is_of_user(error):
    """Whether code outside of the package and of what it parses files with was running."""
    place = error.__traceback__
    while place is not None:
        name = str(place.tb_frame.f_globals.get("__name__", "")).split(".")[0]
        if name not in ("lockstep", "h5py", "numpy", "zipfile") and (name == "__main__" or name not in sys.stdlib_module_names):
            return True
        place = place.tb_next
    return False


@contextlib.contextmanager
def reading(path, unchanged=()):
    """The time in which the content of a file is parsed. Raises: DamagedFileError; errors of the operating system, of users'
    code, about names of classes, and those of the classes `unchanged` as they are."""
    try:
        yield
    except (errors.DamagedFileError, *_OF_SYSTEM, *unchanged):
        raise
    except _WAYS as error:
        if is_no_damage(error) or _is_of_user(error):
            raise
        text = f"[load] {path} is damaged or refused: {type(error).__name__}: {str(error)[:2000]}"
        raise errors.DamagedFileError(None, None, text) from error
