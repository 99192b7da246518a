"""Names of files."""

from .._tensor import Tensor


def _names_of(filenames):
    if getattr(filenames, "_is_dataset", False):
        filenames = list(filenames.as_numpy_iterator())
    if isinstance(filenames, Tensor):
        filenames = filenames.numpy()
        filenames = filenames.tolist() if hasattr(filenames, "tolist") else [filenames]
    filenames = filenames if isinstance(filenames, (list, tuple)) else [filenames]
    return [one.decode() if isinstance(one, bytes) else str(
        one.numpy().decode() if isinstance(one, Tensor) else one) for one in filenames]
