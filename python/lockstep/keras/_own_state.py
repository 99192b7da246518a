"""What layers, and the user's methods in place of theirs, put into files: variables, files of their own, builds."""

import os
import tempfile
import warnings

from .._tensor import Tensor, convert_to_tensor
from ._context import is_unknown
from ._symbol_parts import is_value, sizes_of


def is_users(owner, name):
    """Whether an object's method is there and the user's, or that of a layer of the package that keeps its own state."""
    from ._layer import is_of_package
    method = getattr(type(owner), name, None)
    keeps = getattr(type(owner), "_keeps_own_state", False) and method is not getattr(OwnState, name, None)
    return method is not None and (keeps or not is_of_package(method))


def values_of(owner, variables):
    """{name in the file: array} of a part of a model, which may write them itself."""
    if owner is None or not is_users(owner, "save_own_variables"):
        return {str(place): variable.numpy() for place, variable in enumerate(variables)}
    store = {}
    owner.save_own_variables(store)
    return store


def _with_files(places, name):
    return [(path, owner) for path, _, _, owner in places if owner is not None and is_users(owner, name)]


def write_files(places, archive):
    """Adds to a zip archive what `save_assets` of the parts write: below assets/, at the places of the parts."""
    with tempfile.TemporaryDirectory() as root:
        for path, owner in _with_files(places, "save_assets"):
            folder = os.path.join(root, "assets", path)
            os.makedirs(folder, exist_ok=True)
            owner.save_assets(folder)
        for folder, _, names in os.walk(root):
            for name in names:
                archive.write(os.path.join(folder, name), os.path.relpath(os.path.join(folder, name), root))


def read_files(places, archive):
    """Hands to `load_assets` of the parts the folders that `write_files` has written."""
    wanted = _with_files(places, "load_assets")
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as root:
        archive.extract_assets(root)
        for path, owner in wanted:
            folder = os.path.join(root, "assets", path)
            if os.path.isdir(folder):
                owner.load_assets(folder)


def known_shape(value):
    """What `build` was given, with None for axes that are open."""
    if isinstance(value, (list, tuple)) and all(one is None or isinstance(one, int) for one in value):
        return tuple(None if is_unknown(one) else one for one in value)
    if isinstance(value, (list, tuple)):
        return [known_shape(one) for one in value]
    return {key: known_shape(one) for key, one in value.items()} if isinstance(value, dict) else value


def batches_of(value):
    """The shapes of a structure of tensors, with None for the size of the batch; None where something is no tensor."""
    if isinstance(value, (list, tuple, dict)):
        parts = {key: batches_of(one) for key, one in (value.items() if isinstance(value, dict) else enumerate(value))}
        if not parts or None in parts.values():
            return None
        return parts if isinstance(value, dict) else list(parts.values())
    sizes = sizes_of(value) if isinstance(value, Tensor) or is_value(value) else ()
    return [None, *known_shape(sizes[1:])] if sizes else None


class OwnState:
    """How a layer keeps its variables and its build; all of it can be overridden."""

    def save_own_variables(self, store):
        """Puts the layer's own variables, not those of layers inside, into a dict of arrays: "0", "1" and so on."""
        from ..distribute.coordinator import with_shards_joined
        for place, variable in enumerate(with_shards_joined(self._own_variables())):
            store[str(place)] = variable.numpy()

    def load_own_variables(self, store):
        """Assigns what `save_own_variables` has put there. Raises: ValueError for another number of variables."""
        from ..distribute.coordinator import with_shards_joined
        own = with_shards_joined(self._own_variables())
        if len(store) != len(own):
            if not own and not self.built:
                raise ValueError(f"Layer '{self.name}' was never built and thus it doesn't have any variables. However the "
                                 f"weights file lists {len(store)} variables for this layer.")
            raise ValueError(f"Layer '{self.name}' expected {len(own)} variables, but received {len(store)} variables during "
                             f"loading. Expected: {[one.name for one in own]}")
        for place, variable in enumerate(own):
            variable.assign(convert_to_tensor(store[str(place)], dtype=variable.dtype))

    def get_build_config(self):
        """What `build` was given, as {"input_shape": shape}, or {"shapes_dict": {argument: value}}; None before."""
        given = self.__dict__.get("_build_arguments")
        if given is not None and len(given) > 1:
            return {"shapes_dict": dict(given)}
        shape = next(iter(given.values())) if given else self.__dict__.get("_built_for")
        return None if shape is None else {"input_shape": tuple(shape) if isinstance(shape, list) else shape}

    def build_from_config(self, config):
        """Builds the layer as `get_build_config` has described."""
        if config and "input_shape" in config:
            self.build(config["input_shape"])
        elif config and "shapes_dict" in config:
            self.build(**config["shapes_dict"])


def keep_all(owner, store):
    """Puts all variables of an optimizer into a dict of arrays."""
    store.update({str(place): variable.numpy() for place, variable in enumerate(owner.variables)})


def take_all(optimizer, store):
    """Assigns to an optimizer what `keep_all` has kept; warns about, and leaves, another number of variables."""
    own = optimizer.variables
    if len(own) != len(store):
        warnings.warn(f"Skipping variable loading for optimizer '{optimizer.name}', because it has {len(own)} variables "
                      f"whereas the saved optimizer has {len(store)} variables. ", stacklevel=3)
        return
    for place, variable in enumerate(own):
        variable.assign(convert_to_tensor(store[str(place)], dtype=variable.dtype))
