"""Files by the names of version 1: `tf.gfile`."""

from ...gfile import *  # noqa: F401,F403
from ...gfile import (GFile, copy, exists, glob, isdir, listdir, makedirs, mkdir, remove, rename, rmtree, stat,  # noqa: F401
                      walk)

Open = FastGFile = GFile
Copy, Exists, Glob, IsDirectory, ListDirectory, MakeDirs, MkDir, Remove, Rename, DeleteRecursively, Stat, Walk = (
    copy, exists, glob, isdir, listdir, makedirs, mkdir, remove, rename, rmtree, stat, walk)
