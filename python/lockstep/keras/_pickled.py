"""Layers and models as what `pickle` and `copy` make them of again: their config, their classes and their values.

A class stands in a pickle by its module and name, as pickle does it, so a class of a program need not be registered. A
copy is a new layer with weights of its own."""

import io
import zipfile

from . import _file_places, _own_state


class _Assets(zipfile.ZipFile):
    """The files that parts of a model write besides their variables. What a pickle holds is trusted."""

    def extract_assets(self, root):
        self.extractall(root)


def reduced(layer):
    """What `__reduce__` of a layer gives. Raises: NotImplementedError, TypeError for a layer whose config does not describe it."""
    from . import saving
    config = saving.serialize_keras_object(layer)
    compiled = layer.get_compile_config() if getattr(layer, "compiled", False) else None
    places = _file_places.places_of(layer)
    values = {path: _own_state.values_of(owner, variables) for path, _, variables, owner in places}
    assets = io.BytesIO()
    with zipfile.ZipFile(assets, "w") as archive:
        _own_state.write_files(places, archive)
    return restored, (config, _classes(layer), layer.get_build_config() if layer.built else None, compiled, values,
                      assets.getvalue())


def restored(config, classes, build_config, compiled, values, assets):
    """The layer of what `reduced` gave."""
    from . import saving
    objects = {one.__name__: one for one in classes}
    layer = saving.deserialize_keras_object(config, objects, safe_mode=False)
    if build_config and not layer.built:
        layer.build_from_config(build_config)
    if compiled is not None:
        with saving.CustomObjectScope(objects):
            layer.compile_from_config(compiled)
        if layer.optimizer is not None:
            layer.optimizer.build(layer.trainable_weights)
    places = _file_places.places_of(layer)
    for path, _, variables, owner in places:
        store = values.get(path, {})
        if owner is not None and _own_state.is_users(owner, "load_own_variables"):
            owner.load_own_variables(store)
        elif len(store) == len(variables):
            for place, variable in enumerate(variables):
                variable.assign(store[str(place)])
    with _Assets(io.BytesIO(assets)) as archive:
        _own_state.read_files(places, archive)
    return layer


def _classes(layer):
    """The classes of the program of which a layer, what is in it, and what it is compiled with are."""
    from ._layer import is_of_package
    met, todo = {}, [layer]
    for one in todo:
        todo.extend(part for part in one._children if all(part is not other for other in todo))
        parts = [one, *vars(one).values()]
        for name in ("loss", "_metrics_given", "_weighted_given"):
            given = getattr(one, name, None)
            parts.extend(given.values() if isinstance(given, dict) else given if isinstance(given, (list, tuple)) else [given])
        for part in parts:
            cls = getattr(type(part), "_user_class", type(part))
            if hasattr(part, "get_config") and not is_of_package(cls):
                met[cls] = None
            elif callable(part) and getattr(part, "__name__", "<lambda>") != "<lambda>" and not isinstance(part, type) and \
                    getattr(part, "__qualname__", "<locals>").find("<locals>") < 0 and not is_of_package(part):
                met[part] = None
    return list(met)
