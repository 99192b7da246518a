from typing import Any

class CustomObjectScope:
    """A context in which files' names of classes and functions mean these."""
    def __init__(self, *args) -> None: ...
from lockstep.keras.models import Tensor as Tensor
from lockstep.keras.metrics import Variable as Variable
from lockstep.keras.initializers import as_dtype as as_dtype
def configured(function, structure) -> Any:
    """A structure with `function` of each symbolic tensor."""
    ...
from lockstep.keras.optimizers.schedules import convert_to_tensor as convert_to_tensor
custom_object_scope = CustomObjectScope
deserialize = deserialize_keras_object
def deserialize_keras_object(config, custom_objects=None, safe_mode=True, **kwargs) -> Any:
    """The object that `serialize_keras_object` has described. Raises: TypeError for unknown classes and functions; ValueError"""
    ...
def get_custom_objects() -> Any:
    """What names mean besides those of the package; may be changed."""
    ...
def get_registered_name(thing) -> Any: ...
def get_registered_object(name, custom_objects=None, module_objects=None) -> Any: ...
def lift_weight_limit() -> Any:
    """Takes the limit away: a class of the user's own may keep weights that the file does not have."""
    ...
def load_model(filepath, custom_objects=None, compile=True, safe_mode=True) -> Any:
    """The model of a `.keras` file. Raises: ValueError for what is no such file, is damaged, or has weights that do not fit"""
    ...
def model_from_json(json_string, custom_objects=None) -> Any:
    """The model that `to_json` has described, with new weights. Raises: ValueError for what describes none; TypeError for"""
    ...
def need_h5py() -> Any:
    """The package h5py. Raises: ImportError that says how to get it."""
    ...
from lockstep.keras.models import no_damage as no_damage
def open_archive(path) -> Any:
    """The archive of a path that ends in `.keras`. Raises: ValueError for a path without a zip archive."""
    ...
def parsed_config(path, text) -> Any:
    """The dict of a JSON text. Raises: DamagedFileError."""
    ...
def places_bytes(places) -> Any:
    """The bytes of all variables of a model's parts."""
    ...
def policy(dtype) -> Any:
    """A dtype as Keras's files have it."""
    ...
def read_h5(model, source, skip_mismatch=False, label=None) -> Any:
    """Assigns what `write_h5` or Keras has written. With `skip_mismatch` what does not fit is left, with a warning."""
    ...
from lockstep.keras.models import reading as reading
def register_keras_serializable(package='Custom', name=None) -> Any:
    """A decorator under whose name files know a class or a function. Raises: ValueError for other things."""
    ...
def save_model(model, filepath, overwrite=True, **kwargs) -> Any:
    """Writes a model, its weights and how it is compiled to a `.keras` file."""
    ...
serialize = serialize_keras_object
def serialize_keras_object(obj) -> Any:
    """A value as what JSON holds: {module, class_name, config, registered_name} for objects."""
    ...
from lockstep.keras.initializers import to_snake_case as to_snake_case
def weight_limit(count) -> Any:
    """The time in which layers of the package may create weights of at most so many bytes."""
    ...
def write_h5(model, target) -> Any:
    """Writes weights, and the optimizer's slots, as Keras does. Raises: ImportError without h5py."""
    ...
from lockstep.keras.models import write_whole as write_whole
