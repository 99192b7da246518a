"""`tf.saved_model`: a program's functions and variables in a folder that TensorFlow and TensorFlow Serving read, and back."""

import os

from . import _refused

# Names that the files have.
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_METHOD_NAME, PREDICT_INPUTS, PREDICT_OUTPUTS = "tensorflow/serving/predict", "inputs", "outputs"
CLASSIFY_METHOD_NAME, CLASSIFY_INPUTS = "tensorflow/serving/classify", "inputs"
CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "classes", "scores"
REGRESS_METHOD_NAME, REGRESS_INPUTS, REGRESS_OUTPUTS = "tensorflow/serving/regress", "inputs", "outputs"
SERVING, TRAINING, GPU, TPU = "serve", "train", "gpu", "tpu"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_SCHEMA_VERSION = "saved_model.pb", "saved_model.pbtxt", 1
ASSETS_DIRECTORY, ASSETS_KEY, VARIABLES_DIRECTORY, VARIABLES_FILENAME = "assets", "saved_model_assets", "variables", "variables"
DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB = "debug", "saved_model_debug_info.pb"


class SaveOptions:
    """How `save` writes; other values than these defaults are refused. Raises: NotImplementedError."""

    def __init__(self, namespace_whitelist=None, save_debug_info=False, function_aliases=None, experimental_debug_stripper=False,
                 experimental_io_device=None, experimental_variable_policy=None, experimental_custom_gradients=True,
                 experimental_image_format=False, experimental_skip_saver=False, experimental_sharding_callback=None, extra_tags=None):
        _refused.only("SaveOptions", namespace_whitelist=(namespace_whitelist, None), save_debug_info=(save_debug_info, False),
                      function_aliases=(function_aliases, None), experimental_variable_policy=(experimental_variable_policy, None),
                      experimental_debug_stripper=(experimental_debug_stripper, False),
                      experimental_image_format=(experimental_image_format, False),
                      experimental_skip_saver=(experimental_skip_saver, False), extra_tags=(extra_tags, None),
                      experimental_sharding_callback=(experimental_sharding_callback, None))
        self.experimental_io_device = experimental_io_device  # files are written by this process
        self.experimental_custom_gradients = experimental_custom_gradients


class LoadOptions:
    """How `load` reads; other values than these defaults are refused. Raises: NotImplementedError."""

    def __init__(self, allow_partial_checkpoint=False, experimental_io_device=None, experimental_skip_checkpoint=False,
                 experimental_variable_policy=None, experimental_load_function_aliases=False):
        _refused.only("LoadOptions", allow_partial_checkpoint=(allow_partial_checkpoint, False),
                      experimental_skip_checkpoint=(experimental_skip_checkpoint, False),
                      experimental_variable_policy=(experimental_variable_policy, None),
                      experimental_load_function_aliases=(experimental_load_function_aliases, False))
        self.experimental_io_device = experimental_io_device  # files are read by this process


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
