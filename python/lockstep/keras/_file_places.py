"""Where the parts of a model stand in files of weights, which are Keras's places.

A part's path consists of the names of attributes that lead to it. An attribute that is a container adds its own name, and
a part in it is named by its class: `blocks/dense`, `blocks/dense_1`; a container in a container is `container`. Attributes
come in the order of their names, private ones last. Each part is stored where it is met first. For a model of the user's own
`layers` is one of the attributes, so that what is called `out` stands below `layers/`, and `head` below `head`."""

from ._layer import is_of_package, Layer
from ._names import to_snake_case

_SKIPPED = {"optimizer", "_given_to_package", "_as_functional", "layers"}


class _Walk:
    """A walk over the parts of a model: the places so far, and what was met."""

    def __init__(self, with_layers=True):
        self.places, self.seen, self.with_layers = [], set(), with_layers


def places_of(model, with_layers=True):
    """[(path, name, variables, owner)] of all parts. `owner`: a layer or an optimizer; None for a part of a native layer.
    `with_layers`: whether `layers` is an attribute of a model of the user's own, as it is but in files of Lockstep 0.1."""
    from ..train import _keras_variables
    walk = _Walk(with_layers)
    made = walk.places
    _walk(model, "", walk)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None and optimizer.variables:
        made.append(("optimizer", optimizer.name, _keras_variables(optimizer), optimizer))
        inner = getattr(optimizer, "inner_optimizer", None)
        if inner is not None:
            made.append(("optimizer/inner_optimizer", inner.name, _keras_variables(inner), None))
    return made


def places_in(model, file):
    """The places of a model's parts in a file of weights, which may be one of Lockstep 0.1."""
    places = places_of(model)
    below = [path for path, *_ in places if path.startswith("layers/")]
    return places_of(model, with_layers=False) if below and "layers" not in file else places


def unsaved_layers(model):
    """Names of layers with weights that have no place in a file: those in sets, as sets have no order."""
    walk, todo, found = _Walk(), [model], []
    _walk(model, "", walk)
    for layer in todo:
        if id(layer) not in walk.seen and layer._own_weights:
            found.append(layer.name)
        todo.extend(one for one in layer._children if all(one is not other for other in todo))
    return found


def join(path, name):
    """The path of a part of another part."""
    return f"{path}/{name}" if path and name else path or name


def _kinds():
    from .optimizers import Optimizer
    return Layer, Optimizer


def _walk(part, path, walk):
    from ..distribute.coordinator import with_shards_joined
    from ..train import _keras_variables
    from ._native_layer import NativeLayer
    if id(part) in walk.seen:
        return
    walk.seen.add(id(part))
    if not isinstance(part, Layer):  # an optimizer that is an attribute of a model
        walk.places.append((path, part.name, _keras_variables(part) if part.variables else [], part))
        return
    if isinstance(part, NativeLayer):
        _native_parts(part, path, walk.places)
        if is_of_package(type(part)):
            return
        covered = {one._v.key for one in part._own_variables()}
        walk.seen.update(id(one) for one in part._children if all(weight._v.key in covered for weight in one.weights))
    else:
        walk.places.append((path, part.name, with_shards_joined(part._own_variables()), part))
    for name, value in _attributes(part, walk.with_layers):
        if isinstance(value, _kinds()):
            _walk(value, join(path, name), walk)
        elif isinstance(value, (list, tuple, dict)):
            _walk_container(value, join(path, name), walk, set())


def _native_parts(layer, path, made):
    """A native layer holds the variables of its parts itself, so their names say where they belong."""
    from ..distribute.coordinator import with_shards_joined
    from ..train import _holder
    by_holder = {"": []}
    for variable in with_shards_joined(layer._own_variables()):
        *holders, _ = variable._v.name.removeprefix(layer._impl.name + "/").split("/")
        inside = "/".join(_holder(one).removeprefix("_") for one in holders)
        by_holder.setdefault(inside, []).append(variable)
    for inside, variables in by_holder.items():
        made.append((join(path, inside), inside.rpartition("/")[2] or layer.name, variables, None if inside else layer))


def _attributes(layer, with_layers):
    """(name, value) of what may hold parts, in Keras's order."""
    from .models import Functional, Model, Sequential
    is_graph = isinstance(layer, (Functional, Sequential))
    if is_graph:
        yield "layers", layer.layers
        if is_of_package(type(layer)):
            return
    users = [cls for cls in type(layer).__mro__ if not is_of_package(cls) and cls is not object]
    names = {*vars(layer), *(name for cls in users for name in vars(cls))} - _SKIPPED - _own_names()
    if isinstance(layer, Model) and not is_graph and with_layers:
        names.add("layers")
    for name in sorted(names, key=lambda name: "~" + name if name.startswith("_") else name):
        if name.startswith("__"):
            continue
        try:
            value = getattr(layer, name)
        except Exception:  # a property that cannot be read now
            continue
        yield name, value


_names_known = []


def _own_names():
    """Names of what layers and models keep for themselves."""
    from .models import Model
    if not _names_known:
        _names_known.append({*vars(Layer(name="layer")), *vars(Model(name="model"))})
    return _names_known[0]


def _walk_container(container, path, walk, containers):
    if id(container) in containers:
        return
    containers.add(id(container))
    used = {}

    def unique(name):
        count = used[name] = used.get(name, -1) + 1
        return join(path, f"{name}_{count}" if count else name)
    for one in list(container.values() if isinstance(container, dict) else container):
        if isinstance(one, _kinds()):
            _walk(one, unique(to_snake_case(_class_of(one).__name__)), walk)
        elif isinstance(one, (list, tuple, dict)):
            _walk_container(one, unique("container"), walk, containers)


def _class_of(part):
    return getattr(type(part), "_user_class", type(part))
