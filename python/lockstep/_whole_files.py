"""Files that are there whole or not at all."""

import contextlib
import os
import threading
import uuid

job = []  # the newest strategy over several processes, by a weak reference


@contextlib.contextmanager
def replacing(path, still=lambda: True):
    """A name to write a file under, which then takes the place of `path`: who reads that, whenever it is, finds the old file or
    the new one, though others write it at the same time. `still`: asked at the end whether it is to do so."""
    path = os.fspath(path)
    unfinished = f"{path}.{uuid.uuid4().hex[:12]}.unfinished"
    try:
        yield unfinished
        if still():
            os.replace(unfinished, path)
        else:
            os.remove(unfinished)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise


def of_workers():
    """The strategy whose workers write one file together: that of this process's job, on the thread where they meet; or None."""
    return job[0]() if job and threading.current_thread() is threading.main_thread() else None


def write_whole(path, data, overwrite=True):
    """Writes bytes to a file, in place of what is there. Of the workers of a job that come with one path, one does, and the
    others wait until it has. Raises: ValueError where a file is there that must not be overwritten."""
    strategy = of_workers()
    still = (lambda: True) if strategy is None else strategy._native.holds

    def write():
        if not overwrite and os.path.exists(path):
            raise ValueError(f"The file {path} is there; give overwrite=True")
        with replacing(path, still) as unfinished, open(unfinished, "wb") as file:
            file.write(data)
    if strategy is None:
        write()
    else:
        strategy._native.on_one(os.path.abspath(path), write)
