"""Whole models as HDF5, Keras's format of before `.keras` (names that end in `.h5` or `.hdf5`).

    attributes  model_config, training_config (JSON), keras_version, backend
    model_weights/LAYER/...   a dataset for each weight; attribute weight_names: their order, trained weights first
    model_weights/top_level_model_weights   weights that the model itself has beside its layers
    optimizer_weights/...     the optimizer's variables; attribute weight_names: their order

The attributes layer_names and weight_names are in pieces (layer_names0, ...) where they are too long for one."""

import contextlib
import json
import math
import os
import warnings

import numpy

from .._damage import is_no_damage, no_damage, reading, refuse
from .._tensor import convert_to_tensor
from . import _h5_reading, _resolution
from ._model_archive import _SMALL, parsed_config, weight_limit

_LONGEST = 64512  # bytes of an attribute
_MOST_OF_ATTRIBUTE = 64 << 20
_OF_LAMBDAS = ("module", "function_type", "output_shape_type", "output_shape_module")  # of Keras 2 alone
_TOP = "top_level_model_weights"


# ---- writing -----------------------------------------------------------------------------------------------------------


def _put_names(group, key, names):
    data = [one.encode() for one in names]
    pieces = 1
    while any(sum(map(len, part)) + 8 * len(part) > _LONGEST // 2 for part in _split(data, pieces)):
        pieces += 1
    for place, part in enumerate(_split(data, pieces)):
        group.attrs[key if pieces == 1 else f"{key}{place}"] = part


def _split(values, pieces):
    size = -(-len(values) // pieces) if values else 1
    return [values[begin:begin + size] for begin in range(0, max(len(values), 1), size)]


def _put_weights(group, weights):
    names = [one.path for one in weights]
    for place, name in enumerate(names):
        if name in names[:place]:
            names[place] = f"{name}_{place}"
    _put_names(group, "weight_names", names)
    for name, one in zip(names, weights):
        group.create_dataset(name, data=one.numpy())


def _weights_of(layer):
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def _own_weights(model):
    """The weights that the model itself has."""
    from .models import Functional, Sequential
    return [] if isinstance(model, (Functional, Sequential)) else list(model._own_variables())


def write(model, target):
    """Writes a model. Raises: ImportError without h5py; NotImplementedError for a model without a config."""
    from . import saving
    h5py = saving.need_h5py()
    config = saving.serialize_keras_object(model)
    with h5py.File(target, "w") as file:
        file.attrs["keras_version"], file.attrs["backend"] = "3.15.1", "tensorflow"
        file.attrs["model_config"] = json.dumps({"class_name": config["class_name"], "config": config["config"]})
        weights = file.create_group("model_weights")
        weights.attrs["keras_version"], weights.attrs["backend"] = "3.15.1", "tensorflow"
        _put_names(weights, "layer_names", [one.name for one in model.layers])
        for layer in model.layers:
            _put_weights(weights.create_group(layer.name), _weights_of(layer))
        _put_weights(weights.create_group(_TOP), _own_weights(model))
        if not getattr(model, "compiled", False) or model.optimizer is None:
            return
        training = model.get_compile_config()
        optimizer = training.pop("optimizer")
        training["optimizer_config"] = {"class_name": optimizer["class_name"], "config": optimizer["config"]}
        file.attrs["training_config"] = json.dumps(training)
        if model.optimizer.variables:
            from ..train import _keras_variables
            _put_weights(file.create_group("optimizer_weights"), _keras_variables(model.optimizer))


# ---- reading -----------------------------------------------------------------------------------------------------------


def _attribute(group, key, label):
    """An attribute; None where there is none. Raises: DamagedFileError for a large one."""
    if key not in group.attrs:
        return None
    one = group.attrs.get_id(key)
    if math.prod(one.shape) * one.get_type().get_size() > _MOST_OF_ATTRIBUTE:
        refuse(label, f"the attribute {key!r} is above {_MOST_OF_ATTRIBUTE} bytes")
    return group.attrs[key]


def _text(group, key, label):
    """A text attribute as bytes; None where there is none."""
    value = _attribute(group, key, label)
    return value if value is None or isinstance(value, bytes) else str(value).encode()


def _names(group, key, label):
    """The texts of an attribute that lists them, or of its pieces."""
    found = [_attribute(group, key, label)]
    while found[-1] is None and f"{key}{len(found) - 1}" in group.attrs:
        found.insert(-1, _attribute(group, f"{key}{len(found) - 1}", label))
    return [name.decode() if isinstance(name, bytes) else str(name) for part in found if part is not None
            for name in numpy.ravel(part)]


def _current(config):
    """A config of Keras 2 as Keras 3 has it: the inputs' shapes, and calls as arguments instead of lists of places."""
    if isinstance(config, list):
        return [_current(one) for one in config]
    if not isinstance(config, dict):
        return config
    config = {key: _current(one) for key, one in config.items()}
    if config.get("class_name") == "InputLayer" and isinstance(config.get("config"), dict) and "batch_input_shape" in config["config"]:
        config["config"]["batch_shape"] = config["config"].pop("batch_input_shape")
    if config.get("class_name") == "Lambda" and isinstance(config.get("config"), dict):
        inner = {key: one for key, one in config["config"].items() if key not in _OF_LAMBDAS}
        if isinstance(inner.get("function"), list) and len(inner["function"]) == 3:
            inner["function"] = {"class_name": "__lambda__", "config": dict(zip(("code", "defaults", "closure"), inner["function"]))}
        config["config"] = inner
    if isinstance(config.get("inbound_nodes"), list):
        config["inbound_nodes"] = [_call(one) if isinstance(one, list) else one for one in config["inbound_nodes"]]
    return config


def _call(node):
    inputs = [{"class_name": "__keras_tensor__", "config": {"keras_history": one[:3]}} for one in node]
    kwargs = node[0][3] if node and len(node[0]) > 3 and isinstance(node[0][3], dict) else {}
    return {"args": [inputs[0] if len(inputs) == 1 else inputs], "kwargs": kwargs}


@contextlib.contextmanager
def _opened(path):
    with _h5_reading.opened(path, path) as file:
        _h5_reading.require_sound_heaps(path)
        yield file


def load_model(path, custom_objects=None, compile=True, safe_mode=True):
    """The model of a file. Raises: ValueError for weights that do not fit; DamagedFileError; TypeError for unknown classes."""
    from . import saving
    with _opened(path) as file:
        with reading(path), weight_limit(_SMALL + os.path.getsize(path)):
            text = _text(file, "model_config", path)
            if text is None:
                raise ValueError(f"No model config found in the file at {path}.")
            model = _made(_current(parsed_config(path, text)), custom_objects, safe_mode)
            group = _h5_reading.group_at(file, "model_weights", path)
            if group is None:
                refuse(path, "it has no group 'model_weights'")
        assign(model, group, path)
        training = _text(file, "training_config", path)
        if compile and training is not None:
            with reading(path), saving.CustomObjectScope(custom_objects or {}), _resolution.safe_mode_scope(safe_mode):
                config = _current(parsed_config(path, training))
                optimizer = config.pop("optimizer_config")
                model.compile_from_config({"optimizer": {"module": "keras.optimizers", **optimizer}, **config})
                _restore_optimizer(model, file, path)
    return model


def _made(config, custom_objects, safe_mode):
    """The model of a config. Raises: ValueError, for unknown classes, too: so Keras does for this format."""
    from . import saving
    try:
        return saving.deserialize_keras_object(config, custom_objects, safe_mode)
    except TypeError as error:
        if not is_no_damage(error):
            raise
        raise no_damage(ValueError(str(error))) from None


def _restore_optimizer(model, file, path):
    from ..train import _keras_variables
    from .optimizers import Optimizer
    group = _h5_reading.group_at(file, "optimizer_weights", path)
    if group is None or not isinstance(model.optimizer, Optimizer):
        return
    model.optimizer.build(model.trainable_weights)
    variables, names = _keras_variables(model.optimizer), _names(group, "weight_names", path)
    values = [_h5_reading.dataset_at(group, one, path) for one in names]
    if [tuple(one.shape) for one in values] != [tuple(one.shape) for one in variables]:
        warnings.warn("Error in loading the saved optimizer state. As a result, your model is starting with a freshly initialized "
                      "optimizer.", stacklevel=4)
        return
    for variable, value in zip(variables, values):
        variable.assign(convert_to_tensor(value[()], dtype=variable.dtype))


def load_weights(model, path, skip_mismatch=False, by_name=False):
    """Assigns the weights of a file of a whole model, or of weights alone, layer after layer, or to layers of the same names.
    Raises: ValueError for other numbers of layers or weights, and shapes; DamagedFileError."""
    with _opened(path) as file:
        with reading(path):
            group = file if "layer_names" in file.attrs or "layer_names0" in file.attrs else _h5_reading.group_at(
                file, "model_weights", path)
            if group is None:
                refuse(path, "it has no group 'model_weights'")
        assign(model, group, path, skip_mismatch, by_name)


def is_legacy(path):
    """Whether a HDF5 file has weights by the names of layers."""
    with _opened(path) as file, reading(path):
        return "layer_names" in file.attrs or "layer_names0" in file.attrs or _h5_reading.group_at(
            file, "model_weights", path) is not None


def assign(model, group, path, skip_mismatch=False, by_name=False):
    """Assigns the weights of a group to the model's layers."""
    problems = []
    with reading(path):
        saved = [(name, _saved(group, name, path)) for name in _names(group, "layer_names", path)]
        pairs = []
        if by_name:
            layers = {one.name: one for one in model.layers}
            pairs = [(layers[name], name, values) for name, values in saved if name in layers]
        else:
            layers = [one for one in model.layers if one.weights]
            saved = [(name, values) for name, values in saved if values]
            if len(saved) != len(layers):
                problems.append((f"Layer count mismatch when loading weights from file. Model expected {len(layers)} layers, found "
                                 f"{len(saved)} saved layers.", True))
            else:
                pairs = [(layer, name, values) for layer, (name, values) in zip(layers, saved)]
        for place, (layer, name, values) in enumerate(pairs):
            problems += _assigned(_weights_of(layer), values, f"layer #{place} (named {layer.name})", skip_mismatch, "" if by_name else
                                  f" in the current model, {name} in the save file")
        if _h5_reading.group_at(group, _TOP, path) is not None and not problems:
            problems += _assigned(_own_weights(model), _saved(group, _TOP, path), "the top-level weights", skip_mismatch)
    for text, always in problems:
        if always or not skip_mismatch:
            raise ValueError(f"{text} File: {path}")
        warnings.warn(text, stacklevel=4)


def _saved(group, name, path):
    layer = _h5_reading.group_at(group, name, path)
    if layer is None:
        refuse(path, f"it has no weights of the layer {name!r}")
    return [_h5_reading.dataset_at(layer, one, path) for one in _names(layer, "weight_names", path)]


def _assigned(weights, values, what, skip_mismatch, names=""):
    """Assigns what fits. Returns: [(what is wrong, whether it is an error with `skip_mismatch`, too)]."""
    if len(weights) != len(values):
        where = what.removesuffix(")") + names + ")" if names else what
        return [(f"Weight count mismatch for {where}. Layer expects {len(weights)} weight(s). Received {len(values)} saved weight(s)",
                 False)]
    problems = [(f"Shape mismatch in {what}for weight {one.path}. Weight expects shape {tuple(one.shape)}. Received saved weight "
                 f"with shape {tuple(value.shape)}", False)
                for one, value in zip(weights, values) if tuple(one.shape) != tuple(value.shape)]
    if problems and not skip_mismatch:
        return problems
    for one, value in zip(weights, values):
        if tuple(one.shape) == tuple(value.shape):
            one.assign(convert_to_tensor(value[()], dtype=one.dtype))
    return problems
