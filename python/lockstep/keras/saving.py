"""Models as files in Keras's formats: `keras.saving`.

A `.keras` file is a zip with `config.json` (layers and how they are compiled) and `model.weights.h5`; both
are as Keras has them, so either side reads the other's. HDF5 needs the package h5py."""

import importlib
import inspect
import io
import json
import os
import warnings
import zipfile

from .. import _refused, nest
from .._dtypes import as_dtype
from .._tensor import Tensor, convert_to_tensor
from .._variable import Variable
from .._whole_files import write_whole
from . import _file_places, _lambda_code, _legacy_h5, _own_state, _resolution
from .._damage import no_damage, reading
from ._model_archive import ModelArchive, lift_weight_limit, open_archive, parsed_config, weight_limit  # noqa: F401
from ._weight_files import places_bytes, read_h5, write_h5

_registered = {}  # by "package>name"
_names = {}  # by object
_scopes = [{}]


def register_keras_serializable(package="Custom", name=None):
    """A decorator under whose name files know a class or a function. Raises: ValueError for other things."""
    def register(thing):
        full = f"{package}>{name or thing.__name__}"
        if inspect.isclass(thing) and not hasattr(thing, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        _registered[full] = thing
        _names[thing] = full
        return thing
    return register


def get_registered_name(thing):
    return _names.get(thing, getattr(thing, "__name__", str(thing)))


def get_registered_object(name, custom_objects=None, module_objects=None):
    for table in (custom_objects or {}, _scopes[-1], _registered, module_objects or {}):
        if name in table:
            return table[name]
    return None


def get_custom_objects():
    """What names mean besides those of the package; may be changed."""
    return _scopes[0]


class CustomObjectScope:
    """A context in which files' names of classes and functions mean these."""

    def __init__(self, *args):
        self._objects = {key: value for one in args for key, value in one.items()}

    def __enter__(self):
        _scopes.append({**_scopes[-1], **self._objects})
        return self

    def __exit__(self, *_):
        _scopes.pop()


custom_object_scope = CustomObjectScope


def policy(dtype):
    """A dtype as Keras's files have it."""
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": str(dtype)},
            "registered_name": None}


# ---- objects as dictionaries ---------------------------------------------------------------------------


def _module_of(thing):
    from . import constraints, initializers, layers, losses, metrics, models, optimizers, regularizers, utils
    from .optimizers import schedules
    cls = thing if inspect.isclass(thing) else type(thing)
    for module, name in ((layers, "keras.layers"), (models, "keras"), (initializers, "keras.initializers"),
                         (regularizers, "keras.regularizers"), (constraints, "keras.constraints"), (losses, "keras.losses"),
                         (metrics, "keras.metrics"), (schedules, "keras.optimizers.schedules"),
                         (optimizers, "keras.optimizers"), (utils, "keras.utils")):
        if getattr(module, cls.__name__, None) is cls:
            return name
    return None


def serialize_keras_object(obj):
    """A value as what JSON holds: {module, class_name, config, registered_name} for objects."""
    if obj is None or isinstance(obj, (str, bool, int, float)):
        return obj
    if isinstance(obj, (list, tuple)):
        made = [serialize_keras_object(one) for one in obj]
        return made if isinstance(obj, list) else tuple(made)
    if isinstance(obj, dict):
        return {key: serialize_keras_object(one) for key, one in obj.items()}
    if isinstance(obj, (Tensor, Variable)) or hasattr(obj, "__array__"):
        value = convert_to_tensor(obj).numpy()
        return value.item() if value.ndim == 0 else {
            "class_name": "__numpy__", "config": {"value": value.tolist(), "dtype": str(value.dtype)}}
    if isinstance(obj, slice):
        return {"class_name": "__slice__", "config": {
            key: serialize_keras_object(getattr(obj, key)) for key in ("start", "stop", "step")}}
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__", "config": {}}
    if inspect.isfunction(obj) or inspect.isbuiltin(obj):
        return _described_function(obj)
    if hasattr(obj, "get_config"):
        cls = _class_of(obj)
        module = _module_of(cls)
        made = {"module": module, "class_name": cls.__name__, "config": obj.get_config(),
                "registered_name": None}
        if cls.__name__ == "Functional" and module is not None:  # where Keras looks for it
            made["module"], made["registered_name"] = "keras.src.models.functional", "Functional"
        if module is None:
            made["module"] = getattr(cls, "_keras_module", cls.__module__)
            made["registered_name"] = get_registered_name(cls)
            _resolution.note_copied(made["module"], cls.__name__, cls)
        shape = getattr(obj, "_built_for", None)
        if _own_state.is_users(obj, "get_build_config"):
            made["build_config"] = serialize_keras_object(obj.get_build_config())
        elif shape is not None and (obj.weights or not getattr(obj, "_is_native", False)):  # what has no weights has no `build`
            made["build_config"] = {"input_shape": shape if isinstance(shape, dict) else tuple(shape)}
        return made
    name = getattr(obj, "name", None)
    if isinstance(name, str):
        return name
    raise NotImplementedError(f"[save] what has no get_config() cannot be written; got {obj!r}")


serialize = serialize_keras_object


def _described_function(function):
    """A function by its name; a lambda by its byte code."""
    name, own = function.__name__, str(getattr(function, "__module__", "")).startswith("lockstep")
    made = {"module": "builtins", "class_name": "function", "config": _names.get(function, name), "registered_name": "function"}
    if function in _names:
        return made
    if own and _resolution.function_of_package(None, name) is not None:
        return name
    if own and _resolution.function_of_package("keras.ops", name) is function:
        return {**made, "module": "keras.ops", "registered_name": name}
    if _resolution.is_copying():
        made["config"] = f"{name}@{id(function)}"
        _resolution.note_copied("builtins", made["config"], function)
    elif name == "<lambda>":
        warnings.warn("The object being serialized includes a `lambda`. This is unsafe. In order to reload the object, you will "
                      "have to pass `safe_mode=False` to the loading function. Please avoid using `lambda` in the future, and "
                      "use named Python functions instead.", stacklevel=3)
        return {"class_name": "__lambda__", "config": {"value": _lambda_code.dumped(function)}}
    return made


def _class_of(obj):
    return getattr(type(obj), "_user_class", type(obj))


def deserialize_keras_object(config, custom_objects=None, safe_mode=True, **kwargs):
    """The object that `serialize_keras_object` has described. Raises: TypeError for unknown classes and functions; ValueError
    for functions as byte code in safe mode, which an enclosing scope overrides."""
    _refused.no_more("deserialize_keras_object", kwargs)
    safe_mode = safe_mode if _resolution.in_safe_mode() is None else _resolution.in_safe_mode()
    if config is None or isinstance(config, (str, bool, int, float)):
        found = get_registered_object(config, custom_objects) if isinstance(config, str) else None
        return config if found is None else found
    if isinstance(config, (list, tuple)):
        return type(config)(deserialize_keras_object(one, custom_objects, safe_mode) for one in config)
    if not isinstance(config, dict):
        return config
    if "class_name" not in config or "config" not in config:
        return {key: deserialize_keras_object(one, custom_objects, safe_mode) for key, one in config.items()}
    name, inner = config["class_name"], config["config"]
    if not isinstance(name, str):
        raise TypeError(f"[load] the class_name of a config must be a string; got {name!r}")
    if name == "function":
        return _function_of(config, custom_objects)
    if name == "__lambda__":
        _resolution.require_unsafe("a Python lambda", safe_mode)
        return _lambda_code.loaded(inner["value"])
    if name.startswith("__"):
        return _value_of(name, inner)
    cls = _class_named(config, custom_objects)
    if not isinstance(inner, dict):
        raise TypeError(f"Expected 'config' to be a dict for {name},\ninstead got {type(inner)}\nFull config: {config}")
    if not str(cls.__module__).startswith("lockstep"):
        lift_weight_limit()
    with CustomObjectScope(custom_objects or {}), _resolution.safe_mode_scope(safe_mode):
        made = cls.from_config(inner)
    if config.get("build_config") and _own_state.is_users(made, "build_from_config") and not made.built:
        made.build_from_config(config["build_config"])
    return made


deserialize = deserialize_keras_object
_VALUES = {"__slice__": lambda inner: slice(inner["start"], inner["stop"], inner["step"]), "__ellipsis__": lambda inner: Ellipsis,
           "__bytes__": lambda inner: inner["value"].encode()}


def _value_of(name, inner):
    """An array, a slice, an ellipsis or bytes."""
    if name in ("__numpy__", "__tensor__"):
        import numpy
        value = numpy.array(inner["value"], dtype=as_dtype(inner["dtype"]).as_numpy_dtype)
        return value if name == "__numpy__" else convert_to_tensor(value)
    if name not in _VALUES:
        raise TypeError(f"[load] a config cannot hold a {name!r} here")
    return _VALUES[name](inner)


def _unknown(kind, config):
    name = config["config" if kind == "function" else "class_name"]
    return no_damage(TypeError(f"Could not locate {kind} '{name}'. Make sure custom classes and functions are decorated with "
                               "`@keras.saving.register_keras_serializable()`, or given in `custom_objects`. Full object config: "
                               f"{config}"))


def _function_of(config, custom_objects):
    """The function that a config names. Raises: TypeError."""
    name, module = config["config"], config.get("module")
    if not isinstance(name, str):
        raise TypeError(f"Expected 'config' to be a non-null str for a function classname,\ninstead got {type(name)}\nFull config: "
                        f"{config}")
    found = get_registered_object(name, custom_objects) or get_registered_object(config.get("registered_name"), custom_objects) \
        or _resolution.copied_object(module, name) or _resolution.function_of_package(module, name)
    if found is None:
        raise _unknown("function", config)
    return found


def _class_named(config, custom_objects):
    """The class that a config names. Raises: TypeError."""
    name, module, registered = config["class_name"], config.get("module"), config.get("registered_name")
    found = (get_registered_object(registered, custom_objects) if registered else None) or get_registered_object(
        name, custom_objects) or _resolution.copied_object(module, name) or _resolution.class_of_package(module, name)
    if found is None:
        raise _unknown("class", config)
    if not hasattr(found, "from_config"):
        raise TypeError(f"Unable to reconstruct an instance of '{name}' because the class is missing a `from_config()` method. Full "
                        f"object config: {config}")
    return found


# ---- weights as HDF5 -------------------------------------------------------------------------------------


def need_h5py():
    """The package h5py. Raises: ImportError that says how to get it."""
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise ImportError("[save] HDF5 files need the package h5py, which is not installed; "
                          "`pip install h5py`, or take a name that ends in .safetensors or .npz") from None


# ---- models as files -------------------------------------------------------------------------------------


def save_model(model, filepath, overwrite=True, **kwargs):
    """Writes a model, its weights and how it is compiled to a `.keras` file, or to HDF5 as Keras 2 did (`.h5`, `.hdf5`).

    Raises: ValueError for another ending or a file that is there; NotImplementedError for what has no
    config; ImportError without h5py."""
    unknown = sorted(set(kwargs) - {"zipped", "include_optimizer", "save_format"})
    if unknown:
        raise ValueError(f"The following argument(s) are not supported: {unknown}")
    path = os.fspath(filepath)
    _refused.only("save_model", zipped=(kwargs.get("zipped"), None, True))
    if kwargs.get("save_format") and not path.endswith((".keras", ".h5", ".hdf5")):
        raise ValueError("The `save_format` argument is deprecated in Keras 3. Please remove this argument and pass a file path "
                         f"with either `.keras` or `.h5` extension.Received: save_format={kwargs['save_format']}")
    if path.endswith((".h5", ".hdf5")):
        _refused.only("save_model", include_optimizer=(kwargs.get("include_optimizer", True), True))
    if path.endswith((".h5", ".hdf5")):
        whole = io.BytesIO()
        _legacy_h5.write(model, whole)
        write_whole(path, whole.getvalue(), overwrite)
        return
    if not path.endswith(".keras"):
        raise ValueError("Invalid filepath extension for saving. Please add either a `.keras` extension for "
                         "the native Keras format (recommended) or a `.h5` extension. Use "
                         "`model.export(filepath)` if you want to export a SavedModel for use with "
                         f"TFLite/TFServing/etc. Received: filepath={filepath}.")
    config = serialize_keras_object(model)
    config["compile_config"] = model.get_compile_config() if getattr(model, "compiled", False) else None
    weights = io.BytesIO()
    write_h5(model, weights)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.15.1", "writer": "lockstep"}))
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("model.weights.h5", weights.getvalue())
        _own_state.write_files(_file_places.places_of(model), archive)
    write_whole(path, whole.getvalue(), overwrite)


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """The model of a `.keras` file, or of Keras 2's `.h5`. Raises: ValueError for what is no such file, is damaged, or has weights that do not fit
    the model; TypeError for unknown classes."""
    path = os.fspath(filepath)
    if not path.endswith((".keras", ".h5", ".hdf5")):
        raise ValueError(f"File format not supported: filepath={filepath}. Keras 3 only supports V3 `.keras` files, legacy H5 "
                         "format files (`.h5` extension). Note that the legacy SavedModel format is not supported by "
                         "`load_model()` in Keras 3. In order to reload a TensorFlow SavedModel as an inference-only layer in "
                         f"Keras 3, use `keras.layers.TFSMLayer({filepath}, call_endpoint='serving_default')` (note that your "
                         "`call_endpoint` might have a different name).")
    if not path.endswith(".keras"):
        return _legacy_h5.load_model(path, custom_objects, compile, safe_mode)
    with open_archive(path) as archive:
        config = archive.config()
        with reading(path), weight_limit(archive.weights_bound()):
            model = _made_model(config, custom_objects, compile, safe_mode)
        with archive.weights(places_bytes(_file_places.places_of(model))) as weights:
            read_h5(model, weights, label=path)
        _own_state.read_files(_file_places.places_of(model), archive)
    return model


def _made_model(config, custom_objects, compile, safe_mode):
    """The model of a config, built and compiled."""
    model = deserialize_keras_object(config, custom_objects, safe_mode)
    shape = None if model.built else (config.get("build_config") or {}).get("input_shape")
    if not model.built and shape is not None:
        model.build(shape if isinstance(shape, dict) or isinstance(shape[0], list) else tuple(shape))
    compiled = config.get("compile_config")
    if compile and compiled:
        with CustomObjectScope(custom_objects or {}), _resolution.safe_mode_scope(safe_mode):
            model.compile_from_config(compiled)
        model.optimizer.build(model.trainable_weights)
    return model


def model_from_json(json_string, custom_objects=None):
    """The model that `to_json` has described, with new weights. Raises: ValueError for what describes none; TypeError for
    unknown classes."""
    label = "the JSON text of a model"
    text = json_string if isinstance(json_string, bytes) else str(json_string).encode()
    with reading(label):
        return deserialize_keras_object(parsed_config(label, text), custom_objects)


def configured(function, structure):
    """A structure with `function` of each symbolic tensor."""
    from ._symbols import KerasTensor
    return nest.map_structure(lambda one: function(one) if isinstance(one, KerasTensor) else serialize_keras_object(one)
                              if isinstance(one, (slice, type(Ellipsis))) else one, structure)
