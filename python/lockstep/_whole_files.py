"""Files that are there whole or not at all."""

import contextlib
import os
import uuid


@contextlib.contextmanager
def replacing(path):
    """A name to write a file under, which then takes the place of `path`: who reads that, whenever it is, finds the old file or
    the new one, though others write it at the same time, as all workers of a job may."""
    path = os.fspath(path)
    unfinished = f"{path}.{uuid.uuid4().hex[:12]}.unfinished"
    try:
        yield unfinished
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise


def write_whole(path, data):
    """Writes bytes to a file, in place of what is there."""
    with replacing(path) as unfinished, open(unfinished, "wb") as file:
        file.write(data)
