"""Models as SavedModels for serving: `model.export`."""

from .. import nest
from .._function import Function, TensorSpec
from .._tensor import Tensor
from ..module import Module


class ExportArchive(Module):
    """An object that a SavedModel is written of: the variables of a model, and functions for serving.

    Example: archive = ExportArchive(); archive.track(model);
    archive.add_endpoint("serve", model, [tf.TensorSpec([None, 3])]); archive.write_out("folder")."""

    def __init__(self):
        super().__init__()
        self.__dict__["_endpoints"] = {}
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            self.__dict__["_held_" + name] = []
        self._tracked = []

    variables = property(lambda self: self._held_variables)
    trainable_variables = property(lambda self: self._held_trainable_variables)
    non_trainable_variables = property(lambda self: self._held_non_trainable_variables)

    def track(self, resource):
        """Adds the variables of a layer or model. Raises: ValueError for one that is not built."""
        if getattr(resource, "built", True) is False:
            raise ValueError("The layer provided has not yet been built. It must be built before export.")
        self._tracked.append(resource)
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            held = self.__dict__["_held_" + name]
            held.extend(one for one in getattr(resource, name) if not any(one is other for other in held))

    def add_endpoint(self, name, fn, input_signature=None):
        """Adds a function for serving. Args: fn: a layer, a model, a tf.function or a Python function; input_signature: the specs of its
        arguments. Returns: the function. Raises: ValueError for a name that is there, and without a signature."""
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if isinstance(fn, Function) and input_signature is None:
            made = fn
        elif input_signature is None:
            raise ValueError("You must provide an `input_signature` argument for a function that is no tf.function with one; got "
                             f"{fn!r}")
        else:
            call = fn.python_function if isinstance(fn, Function) else fn
            options = {"training": False} if hasattr(call, "trainable_weights") and _takes_training(call) else {}
            made = Function(lambda *given: call(*given, **options), _specs(input_signature), name=getattr(fn, "__name__", "__call__"))
        self._endpoints[name] = made
        self.__dict__[name] = made
        return made

    def track_and_add_endpoint(self, name, resource, input_signature):
        """`track` and `add_endpoint` for a layer."""
        self.track(resource)
        self.add_endpoint(name, resource, input_signature)

    def add_variable_collection(self, name, variables):
        """Adds variables as an attribute, a list."""
        self.__dict__[name] = list(variables)

    def write_out(self, filepath, verbose=True):
        """Writes the SavedModel, with a signature for each function; the first one is also `serving_default`.
        Raises: ValueError without functions."""
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        from ..saved_model import save
        signatures = dict(self._endpoints)
        if "serving_default" not in signatures:
            signatures["serving_default"] = self._endpoints.get("serve") or next(iter(self._endpoints.values()))
        root = _Root()
        root.__dict__.update({name: list(self.__dict__["_held_" + name])
                              for name in ("variables", "trainable_variables", "non_trainable_variables")})
        root.__dict__.update({name: one for name, one in self.__dict__.items() if name not in ("_tracked", "_endpoints", "_name")
                              and not name.startswith("_held_")})
        root.__dict__["_misc_assets"] = []
        save(root, filepath, signatures)
        if verbose:
            print(f"Saved artifact at '{filepath}'. The following endpoints are available:\n")
            for name, one in self._endpoints.items():
                print(f"* Endpoint '{name}'\n{one.get_concrete_function().pretty_printed_signature()}\n")


class _Root(Module):
    """What is written: lists of variables, and functions."""

    variables = property(lambda self: self.__dict__["variables"])
    trainable_variables = property(lambda self: self.__dict__["trainable_variables"])
    non_trainable_variables = property(lambda self: self.__dict__["non_trainable_variables"])


def _takes_training(layer):
    import inspect
    from .models import Model
    if isinstance(layer, Model):
        return True
    try:
        return "training" in inspect.signature(layer.call).parameters
    except (TypeError, ValueError):
        return False


def _specs(structure):
    """The specs of a signature: those of TensorFlow, of Keras, and of symbols and tensors, whose first axis becomes open."""
    def spec(one):
        if isinstance(one, TensorSpec):
            return one
        if one.shape is None or one.dtype is None:
            raise ValueError(f"The `shape` and `dtype` must be provided. Received: x={one}")
        shape = list(one.shape)
        if not hasattr(one, "ndim") or not hasattr(one, "axes"):
            shape[:1] = [None]
        return TensorSpec(shape, one.dtype, getattr(one, "name", None))
    return tuple(nest.map_structure(spec, tuple(structure)))


def signature_of(model):
    """The arguments of a model as specs. Raises: ValueError for a model that has not been built or called."""
    from .models import Functional, Sequential
    if not model.built:
        raise ValueError("The model provided has not yet been built. It must be built before export.")
    if isinstance(model, Sequential) and model._input_symbol is not None:
        return _specs([model._input_symbol])
    if isinstance(model, Functional):
        return _specs([model._inputs_form])
    specs = model.__dict__.get("_call_specs")
    if not specs or any(not isinstance(one, TensorSpec) for one in nest.flatten(specs)):
        raise ValueError("The model provided has never called. It must be called at least once before export.")
    places = iter(range(len(nest.flatten(specs))))
    return nest.map_structure(lambda one: TensorSpec(one.shape, one.dtype, f"args_{next(places)}"), tuple(specs))


def spec_of_argument(value):
    """A tensor as a spec with an open first axis; any other value as None."""
    if not isinstance(value, Tensor) or value._rank is None:
        return None
    return TensorSpec([None, *value._shape[1:]] if value._rank else [], value.dtype)


def export_saved_model(model, filepath, verbose=None, input_signature=None):
    """Writes a model for inference, with the functions `serve` and the signature `serving_default`."""
    archive = ExportArchive()
    archive.track_and_add_endpoint("serve", model, signature_of(model) if input_signature is None else input_signature)
    archive.write_out(filepath, verbose=True if verbose is None else verbose)
