"""Images brought into the form that the models want, and the names of ImageNet's classes: `keras.applications.imagenet_utils`."""

import json
import os

import numpy

from .. import backend, ops

_MEANS = {"caffe": [103.939, 116.779, 123.68], "torch": [0.485, 0.456, 0.406]}
_DEVIATIONS = [0.229, 0.224, 0.225]
_CLASSES = {}


def preprocess_input(x, data_format=None, mode="caffe"):
    """Pixels of 0 to 255 as a model wants them: "tf" from -1 to 1; "torch" from 0 to 1, then normalized by ImageNet's colors;
    "caffe" in the order blue, green, red, less ImageNet's means. Arrays of floats are changed in place, as in Keras.

    Raises: ValueError for another mode or data format."""
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}")
    data_format = backend.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError("Expected data_format to be one of `channels_first` or `channels_last`. "
                         f"Received: data_format={data_format}")
    is_array = isinstance(x, numpy.ndarray)
    if is_array and x.dtype.kind != "f":
        x = x.astype(backend.floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    axis = -1 if data_format == "channels_last" else 0 if len(x.shape) == 3 else 1
    if mode == "torch":
        x /= 255.0
    else:
        x = numpy.flip(x, axis) if is_array else ops.flip(x, axis)
    wide = [1] * len(x.shape)
    wide[axis] = 3
    x = _less(x, numpy.reshape(_MEANS[mode], wide), is_array)
    if mode == "torch":
        deviations = numpy.reshape(_DEVIATIONS, wide)
        x = numpy.divide(x, deviations.astype(x.dtype), out=x) if is_array else x / ops.convert_to_tensor(deviations, dtype=x.dtype)
    return x


def _less(x, means, is_array):
    if is_array:
        return numpy.subtract(x, means.astype(x.dtype), out=x)
    return x + ops.convert_to_tensor(-means, dtype=x.dtype)


def _class_names(path):
    """{number: [identifier, name]} of a file of ImageNet's classes. Raises: FileNotFoundError where there is none."""
    if path is None:
        path = os.environ.get("LOCKSTEP_IMAGENET_CLASSES") or os.path.join(
            os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras"), "models", "imagenet_class_index.json")
    if path not in _CLASSES:
        if not os.path.exists(path):
            raise FileNotFoundError(f"[decode_predictions] the file of ImageNet's classes is not there; got {path}; put Keras's "
                                    "imagenet_class_index.json there, pass `path=`, or set LOCKSTEP_IMAGENET_CLASSES, because "
                                    "Lockstep does not download it")
        with open(path, encoding="utf-8") as file:
            _CLASSES[path] = json.load(file)
    return _CLASSES[path]


def decode_predictions(preds, top=5, path=None):
    """For each example the `top` most probable classes as (identifier, name, probability), the most probable first.

    Args: preds: [n, 1000]; path: a JSON file {"0": [identifier, name], ...}, by default imagenet_class_index.json in
    ~/.keras/models.
    Raises: ValueError for other shapes; FileNotFoundError without the file."""
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError("`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). "
                         f"Received array with shape: {preds.shape}")
    names = _class_names(path)
    found = []
    for row in ops.convert_to_numpy(preds):
        best = row.argsort()[-top:][::-1]
        found.append(sorted((tuple(names[str(i)]) + (row[i],) for i in best), key=lambda one: one[2], reverse=True))
    return found


def of_mode(mode):
    """The `preprocess_input` of a family of models."""
    def preprocess(x, data_format=None):
        return preprocess_input(x, data_format, mode)
    preprocess.__name__ = preprocess.__qualname__ = "preprocess_input"
    preprocess.__doc__ = f"Pixels of 0 to 255 as the models want them; see `imagenet_utils.preprocess_input`, mode {mode!r}."
    return preprocess


def unchanged(x, data_format=None):
    """The images as they are, because the models scale them themselves. Raises: ValueError for another data format."""
    if data_format not in (None, "channels_first", "channels_last"):
        raise ValueError("Expected data_format to be one of `channels_first` or `channels_last`. "
                         f"Received: data_format={data_format}")
    return x


unchanged.__name__ = unchanged.__qualname__ = "preprocess_input"
