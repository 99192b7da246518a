"""`tf.saved_model`: a program's functions and variables in a folder that TensorFlow and TensorFlow Serving read, and back."""

import os

# Names of TensorFlow's files.
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
SERVING, TRAINING = "serve", "train"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = "saved_model.pb", "saved_model.pbtxt"
ASSETS_DIRECTORY, VARIABLES_DIRECTORY, VARIABLES_FILENAME = "assets", "variables", "variables"


def save(obj, export_dir, signatures=None, options=None):
    """Writes an object (a `tf.Module`, a model, a `tf.train.Checkpoint`) with its variables and its `tf.function`s, for each of which the
    concrete functions are written that were called or asked for, or that of its input signature.

    Args: signatures: a function with an input signature, a concrete function, or a dict of these by name, for serving; by default
    the only function of the object that has an input signature.
    Raises: NotImplementedError for an op that TensorFlow does not have; AssertionError for a function that reads a variable which
    the object does not hold; ValueError for signatures that are none."""
    from ._saved_model._write import save as write
    write(obj, export_dir, signatures)


def load(export_dir, tags=None, options=None):
    """The object that was saved: its variables, lists, dicts, modules and functions as attributes, and `signatures`.

    Args: tags: those of the MetaGraphDef that is wanted; None where the folder has one.
    Raises: OSError where there is no SavedModel; ValueError for other tags; DamagedFileError."""
    from ._saved_model._read import load as read
    return read(export_dir, tags)


def contains_saved_model(export_dir):
    """Whether a folder has a SavedModel."""
    return any(os.path.exists(os.path.join(os.fspath(export_dir), one)) for one in (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT))
