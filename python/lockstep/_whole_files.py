"""Files that are there whole or not at all."""

import os


def write_whole(path, data):
    """Writes bytes to a file, in place of what is there: who reads it, whenever it is, finds the old file or the new one."""
    path = os.fspath(path)
    with open(path + ".unfinished", "wb") as file:
        file.write(data)
    os.replace(path + ".unfinished", path)
