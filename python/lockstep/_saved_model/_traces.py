"""The concrete functions of a program that a SavedModel gets, traced as graphs."""

import inspect

from .. import _composites, _function, _native, nest
from .._function import ConcreteFunction, Function, TensorSpec
from .._tensor import Tensor
from .._variable import Variable
from ._protos import Message
from ._restored import RestoredFunction


class Trace:
    """A function traced for one structure of arguments.

    inputs: ((positional arguments), {by name}) with a TensorSpec for each tensor, which has the name of its parameter; outputs: the
    results, with TensorSpecs; graph: the GraphDef of Lockstep."""

    def __init__(self, function, args, kwargs, name):
        self.name, self._call = name, function
        self.inputs = _named(function, args, kwargs)
        self.specs = [one for one in nest.flatten(self.inputs) if isinstance(one, TensorSpec)]
        self._structure = None
        data, results = _native.traced_graph(self._body, [(int(one.dtype), _sizes(one.shape)) for one in self.specs])
        self.graph = Message("GraphDef", data)
        self.outputs = _function._map_leaves(lambda place: None if place is None else TensorSpec(
            [None if size is None or size < 0 else size for size in results[place][1]], results[place][0]), self._structure)
        self._name_outputs()

    def _body(self, tensors):
        given = iter(tensors)
        args, kwargs = nest.map_structure(lambda one: next(given) if isinstance(one, TensorSpec) else one, self.inputs)
        traces = _function._traces()
        traces.append(_function._Trace(self._call, False))
        try:
            with _function.name_scope(None):
                value = self._call._converted()(*args, **kwargs)
            flat, self._structure = _function._flatten_results(value)
        finally:
            traces.pop()
        return flat

    def _name_outputs(self):
        """Gives the specs of results names, of which dicts' keys are the last parts, as TensorFlow does."""
        def walk(value, name):
            if isinstance(value, TensorSpec):
                value.name = name or "unknown"
            elif isinstance(value, dict):
                for key, one in value.items():
                    walk(one, f"{name}_{key}" if name else str(key))
            elif isinstance(value, (list, tuple)):
                for place, one in enumerate(value):
                    walk(one, f"{name}_{place}" if name else f"tensor_{place}")
        walk(self.outputs, "")

    @property
    def flat_outputs(self):
        return [one for one in nest.flatten(self.outputs) if one is not None]


def _sizes(shape):
    if shape.rank is None:
        raise NotImplementedError("[saved_model] the number of axes of arguments must be known; got a TensorSpec without a shape; give "
                                  "shape=[None, ...]")
    return [-1 if one is None else one for one in shape]


def full_spec(function):
    """The inspect.FullArgSpec of a function without `self` and annotations."""
    python = function.python_function
    try:
        found = inspect.getfullargspec(python)
    except TypeError:
        found = inspect.getfullargspec(lambda *args, **kwargs: None)
    args = found.args[1:] if inspect.ismethod(python) else found.args
    return found._replace(args=args, annotations={})


def parameters_of(spec, args):
    """The names of positional arguments."""
    return list(spec.args[:len(args)]) + [f"{spec.varargs or 'args'}_{place}" for place in range(len(args) - len(spec.args))]


def _named(function, args, kwargs):
    """The arguments, each tensor's place a TensorSpec with a name, and default values in place."""
    spec = full_spec(function)
    args = list(args)
    for name in spec.args[len(args):]:
        place = spec.args.index(name) - len(spec.args) + len(spec.defaults or ())
        if name in kwargs:
            args.append(kwargs[name])
        elif 0 <= place < len(spec.defaults or ()):
            args.append(spec.defaults[place])
        else:
            break
    kwargs = {**(spec.kwonlydefaults or {}), **{name: one for name, one in kwargs.items() if name not in spec.args}}
    names = parameters_of(spec, args)
    return tuple(_with_names(one, name) for name, one in zip(names, args)), {
        name: _with_names(one, name) for name, one in sorted(kwargs.items())}


def _with_names(value, name):
    if isinstance(value, (TensorSpec, Tensor)):
        return TensorSpec(value.shape, value.dtype, getattr(value, "name", None) if isinstance(value, TensorSpec) and value.name else name)
    composite = hasattr(type(value), "_key_parts") or isinstance(value, _composites.Parts) or hasattr(value, "_component_specs")
    if isinstance(value, Variable) or composite:
        raise NotImplementedError(f"[saved_model] arguments of functions must be tensors and Python values; got {type(value).__name__} "
                                  f"for {name!r}")
    if isinstance(value, dict):
        return {key: _with_names(one, f"{name}_{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return nest._like(value, [_with_names(one, f"{name}_{place}") for place, one in enumerate(value)])
    return value


def concretes_of(function):
    """[(args, kwargs)] of the concrete functions of a function: those of its calls, those asked for, and that of its input signature."""
    if isinstance(function, ConcreteFunction):
        return [_arguments(function)]
    if not isinstance(function, RestoredFunction) and function.input_signature is not None:
        return [(function.input_signature, {})]
    return [_arguments(one) for one in function._known()]


def _arguments(concrete):
    if hasattr(concrete, "_args"):
        return concrete._args, concrete._kwargs
    return concrete.structured_input_signature


def python_of(function):
    """The Function of a concrete one, and a Function itself."""
    return function._function if isinstance(function, ConcreteFunction) and not hasattr(function, "_body") else function


def is_function(value):
    return isinstance(value, (Function, ConcreteFunction, RestoredFunction))
