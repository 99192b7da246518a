"""Not built: graphs and weights in one folder, as `tf.saved_model` has them. What does the same is named."""

_CURE = ("SavedModel is not built; keep weights by tf.train.Checkpoint(...).save(PATH) or model.save('FILE.keras'), "
         "which the real TensorFlow reads, and export a graph by model.export('FILE.onnx', format='onnx') or "
         "tf.onnx.export(function, 'FILE.onnx')")


def _refuse(*args, **kwargs):
    raise NotImplementedError(_CURE)


def save(obj, export_dir, signatures=None, options=None):
    """Raises: NotImplementedError, with what to use instead."""
    _refuse()


def load(export_dir, tags=None, options=None):
    """Raises: NotImplementedError, with what to use instead. Weights alone are read by
    `tf.train.load_checkpoint(DIR + "/variables/variables")`."""
    raise NotImplementedError(_CURE + "; the weights of one are read by "
                              "tf.train.load_checkpoint(DIR + '/variables/variables')")


def contains_saved_model(export_dir):
    """Whether a folder has a SavedModel of TensorFlow."""
    import os
    return any(os.path.exists(os.path.join(str(export_dir), one)) for one in ("saved_model.pb", "saved_model.pbtxt"))
