"""MNIST: `keras.datasets.mnist`."""

import os
import zipfile

from ..._damage import reading, refuse

_MOST = 64 << 20  # bytes of one array; the images of MNIST are 47 MB


def _load(path, folder):
    import numpy
    places = [path] if os.path.isabs(path) or os.path.exists(path) else []
    for variable in ("LOCKSTEP_DATA", "KERAS_HOME"):
        if variable in os.environ:
            root = os.environ[variable]
            places += [os.path.join(root, path), os.path.join(root, "datasets", path),
                       os.path.join(root, folder), root]
    places.append(os.path.join(os.path.expanduser("~"), ".keras", "datasets", path))
    for place in places:
        if os.path.isfile(place):
            with reading(place):
                with zipfile.ZipFile(place) as archive:
                    if any(one.file_size > _MOST for one in archive.infolist()):
                        refuse(place, f"an array is above {_MOST} bytes")
                with numpy.load(place, allow_pickle=False) as file:
                    return ((file["x_train"], file["y_train"]), (file["x_test"], file["y_test"]))
        if os.path.isdir(place):
            found = _from_idx(place)
            if found is not None:
                return found
    raise FileNotFoundError(
        f"[{folder}] nothing is downloaded; got no file in {places}; pass load_data(path) the path of "
        "mnist.npz or of the folder with the four IDX files, or set LOCKSTEP_DATA to it")


def _from_idx(folder):
    import gzip
    import numpy

    def read(name):
        for ending in ("", ".gz"):
            for joint in ("-", "."):
                path = os.path.join(folder, name.replace("-idx", joint + "idx") + ending)
                if os.path.exists(path):
                    opener = gzip.open if ending else open
                    with reading(path):
                        with opener(path, "rb") as file:
                            data = file.read(_MOST + 1)
                        if len(data) > _MOST:
                            refuse(path, f"it is above {_MOST} bytes")
                        axes = data[3]
                        sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(axes)]
                        return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * axes).reshape(sizes).copy()
        return None
    parts = [read(name) for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                     "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")]
    if any(one is None for one in parts):
        return None
    return (parts[0], parts[1]), (parts[2], parts[3])


def load_data(path="mnist.npz"):
    """((x_train, y_train), (x_test, y_test)) as uint8, from a local file.

    Args: path: of `mnist.npz`, or of a folder with the four IDX files (plain or gzip). Relative paths are
    looked for here, under LOCKSTEP_DATA, KERAS_HOME and ~/.keras/datasets.
    Raises: FileNotFoundError naming the places."""
    return _load(path, "mnist")
