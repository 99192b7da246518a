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


def load(export_dir, tags=None, options=None):
    """The object that was saved: its variables, lists, dicts, modules and functions as attributes, and `signatures`.

    Args: tags: those of the MetaGraphDef that is wanted; None where the folder has one.
    Raises: OSError where there is no SavedModel; ValueError for other tags; DamagedFileError."""
    from ._saved_model._read import load as read
    return read(export_dir, tags)


def contains_saved_model(export_dir):
    """Whether a folder has a SavedModel."""
    return any(os.path.exists(os.path.join(os.fspath(export_dir), one)) for one in (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT))


def save(obj, export_dir, signatures=None, options=None):
    """Raises: NotImplementedError, with what to use instead."""
    raise NotImplementedError(
        "SavedModels are not written; keep weights by tf.train.Checkpoint(...).save(PATH) or model.save('FILE.keras'), which the real "
        "TensorFlow reads, and export a graph by model.export('FILE.onnx', format='onnx') or tf.onnx.export(function, 'FILE.onnx')")
