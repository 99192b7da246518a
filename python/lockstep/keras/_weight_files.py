"""Weights of models as HDF5, where Keras has them in its files."""

import math
import warnings

from .._tensor import convert_to_tensor
from . import _file_places, _h5_reading, _own_state
from .._damage import reading

# Groups of Keras's files that Lockstep has no variables for: states of random draws, metrics and optimizers.
_STATE_ALONE = frozenset("optimizer seed_generator generator metrics _metrics _compile_metrics _loss_tracker loss_tracker _metrics_given "
                         "_weighted_given".split())


def places_bytes(places):
    """The bytes of all variables of a model's parts."""
    return sum(math.prod(one.shape) * one.dtype.size for _, _, variables, _ in places for one in variables)


def write_h5(model, target):
    """Writes weights, and the optimizer's slots, as Keras does. Raises: ImportError without h5py."""
    from .saving import need_h5py
    h5py = need_h5py()
    unsaved = _file_places.unsaved_layers(model)
    if unsaved:
        warnings.warn(f"[save] layers in sets are not saved, because sets have no order; got {', '.join(unsaved)}; keep them in a "
                      "list or a dict", stacklevel=3)
    with h5py.File(target, "w") as file:
        for path, name, variables, layer in _file_places.places_of(model):
            group = file.require_group(_file_places.join(path, "vars"))
            group.attrs["name"] = name
            for key, value in _own_state.values_of(layer, variables).items():
                group.create_dataset(key, data=value)


def read_h5(model, source, skip_mismatch=False, label=None):
    """Assigns what `write_h5` or Keras has written. With `skip_mismatch` what does not fit is left, with a warning.

    source: a path, or a file that `label` names. Raises: ValueError naming the parts that do not fit, weights of the file
    without a place in the model included; DamagedFileError."""
    from .optimizers import Optimizer
    if not model.built:
        raise ValueError("You are loading weights into a model that has not yet been built. Try building the model first by "
                         "calling it on some data or by using `build()`.")
    label = label or source
    failed = {}  # what is wrong, by what could not be loaded
    with _h5_reading.opened(source, label) as file, reading(label):
        places = _file_places.places_in(model, file)
        for path, name, variables, layer in places:
            group = _h5_reading.group_at(file, _file_places.join(path, "vars"), label)
            if layer is not None and _own_state.is_users(layer, "load_own_variables"):
                problem = _given_to(layer, _h5_reading.Arrays(group, label))
            elif (path.split("/")[0] == "optimizer" or isinstance(layer, Optimizer)) and len(group or ()) != len(variables):
                warnings.warn(f"Skipping variable loading for optimizer '{name}', because it has {len(variables)} variables "
                              f"whereas the saved optimizer has {len(group or ())} variables. ", stacklevel=3)
                continue
            else:
                problem = _assign_all(variables, group, layer.name if layer is not None else name, label)
            if problem:
                failed[repr(layer) if layer is not None else path] = problem
        for path in _without_place(file, {path for path, *_ in places}, label):
            failed[f"{path!r} of the file"] = f"The file has weights at {path!r}, and the model has no part there."
    _report(failed, skip_mismatch, label)


def _report(failed, skip_mismatch, label):
    """Raises: ValueError where something could not be loaded; with `skip_mismatch` that is a warning."""
    if not failed:
        return
    first = next(iter(failed))
    text = (f"A total of {len(failed)} objects could not be loaded. Example error message for object {first}:\n\n"
            f"{failed[first]}\n\nList of objects that could not be loaded:\n[{', '.join(failed)}]\n\nFile: {label}")
    if not skip_mismatch:
        raise ValueError(text)
    warnings.warn(text, stacklevel=4)


def _given_to(layer, store):
    """Gives a layer the arrays that it has written itself; what is wrong, where it raises."""
    try:
        layer.load_own_variables(store)
    except Exception as error:
        return str(error)
    return None


def _without_place(file, known, label):
    """The paths of weights of a file that no part of the model has, but for states of Keras's own."""
    return [path for path in _h5_reading.groups_of_variables(file, label)
            if path not in known and not _STATE_ALONE & set(path.split("/"))]


def _assign_all(variables, group, name, label):
    """Assigns a layer's variables from a group of a file; what is wrong, where they do not fit."""
    count = 0 if group is None else len(group)
    if count != len(variables):
        return (f"Layer {name!r} expected {len(variables)} variables, but received {count} variables during loading. Expected: "
                f"{[one.name for one in variables]}")
    problem = None
    for place, variable in enumerate(variables):
        dataset = _h5_reading.dataset_at(group, str(place), label)
        if tuple(dataset.shape) == tuple(variable.shape):
            variable.assign(convert_to_tensor(dataset[()], dtype=variable.dtype))
        elif problem is None:
            problem = ("The shape of the target variable and the shape of the target value in `variable.assign(value)` must "
                       f"match. variable.shape={tuple(variable.shape)}, Received: value.shape={tuple(dataset.shape)}. Target "
                       f"variable: {variable!r}")
    return problem
