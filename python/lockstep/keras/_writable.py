"""Whether a training can be saved, which callbacks ask before its first step."""

import os
import tempfile

from ..distribute.cluster_resolver import is_chief

_PROBE_BYTES = 1 << 16


def require_writable(model, directory):
    """Makes the directory where it is missing, and writes a file without a name in it. Of several workers only the chief does.

    Raises: the OSError that a save would raise, with the directory's path."""
    if not is_chief(getattr(model.distribute_strategy, "cluster_resolver", None)):
        return
    try:
        os.makedirs(directory, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
    except OSError as error:
        raise type(error)(error.errno, f"Training cannot be saved there. {error.strerror}", os.fspath(directory)) from error


def fixed_directory(path):
    """The directory of a path in which {names} stand for values, up to the first part that has one."""
    fixed = path.partition("{")[0]
    return os.path.dirname(fixed) or "."
