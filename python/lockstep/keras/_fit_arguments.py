"""The numbers that `fit`, `evaluate` and `predict` take, and names of files, refused where Keras refuses them."""

import math
import operator
import os

from .. import nest
from . import _row_batches

_FORMATS = (".weights.h5", ".safetensors", ".npz")


def batch_size_of(given):
    """How many examples a batch has: 32 for None and 0. Raises: TypeError for no whole number; ValueError below 0."""
    if given is None:
        return 32
    size = operator.index(given)
    if size < 0:
        raise ValueError(f"`batch_size` must be positive; got {given}; give the number of examples of a batch, or None for 32")
    return size or 32


def epochs_of(given, initial_epoch):
    """The number after the last epoch; none are trained where it is not above the first. Raises: TypeError for no whole
    number."""
    return max(operator.index(given), operator.index(initial_epoch), 0)


def evaluates_after(epoch, validation_freq):
    """Whether the validation data are evaluated after an epoch, counted from 0: every so many epochs, or after those of a list,
    counted from 1. Raises: ValueError for another value."""
    if isinstance(validation_freq, int):
        return (epoch + 1) % validation_freq == 0
    if isinstance(validation_freq, list):
        return epoch + 1 in validation_freq
    raise ValueError(f"Expected `validation_freq` to be a list or int. Received: validation_freq={validation_freq} of the type "
                     f"{type(validation_freq)}.")


def require_known(options, function, known=()):
    """Raises: TypeError for an option that the function does not have."""
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def array_of(value):
    """What pandas made as an array, a column of a Series; a sparse matrix of SciPy as a sparse tensor; other values as they
    are."""
    if _row_batches.is_scipy(value):
        return _row_batches.of_scipy(value)
    if type(value).__module__.partition(".")[0] != "pandas" or not hasattr(value, "to_numpy"):
        return value
    array = value.to_numpy()
    if array.dtype == object:
        array = value.astype("float32").to_numpy()
    return array[:, None] if array.ndim == 1 else array


def steps_of(given, name):
    """How many batches are taken, None for all. Raises: TypeError for no whole number; ValueError below 0."""
    if not given:
        return None
    steps = operator.index(given)
    if steps < 0:
        raise ValueError(f"`{name}` must be positive; got {given}; give the number of batches, or None for all")
    return steps


def require_split(x, validation_split):
    """Raises: ValueError where one of both parts of the examples has none; TypeError for no number."""
    leaves = [one for one in nest.flatten(x) if getattr(one, "shape", None)]
    count = leaves[0].shape[0] if leaves else len(x) if hasattr(x, "__len__") else 0
    if not 0 < math.floor(count * (1.0 - validation_split)) < count:
        raise ValueError(f"Training data contains {count} samples, which is not sufficient to split it into a validation and "
                         f"training set as specified by `validation_split={validation_split}`. Either provide more data, or a "
                         "different value for the `validation_split` argument.")


def require_pair(data):
    """Raises: ValueError for `validation_data` that is no (x, y) or (x, y, sample_weight)."""
    if len(data) > 3:
        raise ValueError("Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: "
                         f"{data}")
    if len(data) < 2:
        raise ValueError("None values not supported; `validation_data` has no targets: give (x, y)")


def require_saved_name(filepath):
    """Raises: ValueError for a name that says no format of weights."""
    if not str(filepath).endswith(_FORMATS):
        raise ValueError(f"The filename must end in `.weights.h5`. Received: filepath={filepath}")


def require_loaded_name(filepath, by_name):
    """Raises: ValueError for a name that says no format of weights, and is no checkpoint that is there; for `by_name`, which
    only files of before Keras 3 have."""
    path = str(filepath)
    if by_name and path.endswith((".keras", ".weights.h5")):
        raise ValueError(f"`by_name` only supports loading legacy '.h5' or '.hdf5' files. Received: {filepath}")
    if not path.endswith((".keras", ".h5", ".hdf5", *_FORMATS)) and not os.path.isdir(path) \
            and not os.path.exists(path + ".index"):
        raise ValueError(f"File format not supported: filepath={filepath}. Keras 3 only supports V3 `.keras` files, "
                         "`.weights.h5` files, legacy H5 format files (`.h5` extension), or Orbax checkpoints.")
