"""Copies of models with new weights: `keras.models.clone_model`."""

from .. import nest
from . import _resolution
from ._symbols import KerasTensor
from .layers import InputLayer


def clone_model(model, input_tensors=None, clone_function=None, **kwargs):
    """A new model of the same layers with new weights, compiled as the model is; of a class of one's own by its `get_config`.

    Raises: ValueError for a `clone_function` or `input_tensors` with a class of one's own."""
    if kwargs:
        raise ValueError(f"[clone_model] unexpected keyword arguments {sorted(kwargs)}; it takes input_tensors and clone_function")
    with _resolution.copying():
        made = _cloned(model, clone_function, input_tensors)
        if model.compiled:
            made.compile_from_config(model.get_compile_config())
    return made


def _cloned(model, clone_function, input_tensors=None):
    from .models import Functional, Sequential
    if isinstance(model, Sequential):
        copy = clone_function or (lambda one: type(one).from_config(one.get_config()))
        symbol = model._input_symbol
        if input_tensors is not None:
            inputs = [_one_input(input_tensors)._node.layer]
        else:
            inputs = [] if symbol is None else [type(symbol._node.layer).from_config(symbol._node.layer.get_config())]
        return Sequential(inputs + [copy(one) for one in model.layers], name=model.name)
    if isinstance(model, Functional):
        made = type(model).from_config(model.get_config())
        return made if clone_function is None and input_tensors is None else _with_layers(
            made, model, clone_function, input_tensors)
    if clone_function is not None or input_tensors is not None:
        raise ValueError("Arguments `clone_function` and `input_tensors` are only supported for Sequential models or Functional "
                         f"models. Received model of type '{type(model).__name__}', with clone_function={clone_function} and "
                         f"input_tensors={input_tensors}")
    from . import saving
    return saving.deserialize_keras_object(saving.serialize_keras_object(model), {type(model).__name__: type(model)})


def _one_input(input_tensors):
    """The symbol that a cloned Sequential begins with. Raises: ValueError for several, and for values of another kind."""
    found = nest.flatten(input_tensors)
    if len(found) != 1 or not isinstance(found[0], KerasTensor) or found[0]._node is None:
        raise ValueError("`input_tensors` of a Sequential must be one symbolic tensor of keras.Input; "
                         f"got {input_tensors}")
    return found[0]


def _with_layers(copy, model, clone_function, input_tensors=None):
    """The same graph of calls with what `clone_function` gives for each layer that is no input, on other inputs if given.

    Raises: ValueError for another number of inputs."""
    own = {id(one): one if clone_function is None else clone_function(other)
           for one, other in zip(copy.layers, model.layers) if not isinstance(one, InputLayer)}
    before = nest.flatten(copy.inputs)
    after = before if input_tensors is None else nest.flatten(input_tensors)
    if len(after) != len(before) or not all(isinstance(one, KerasTensor) for one in after):
        raise ValueError(f"`input_tensors` must be {len(before)} symbolic tensors, as the model has inputs; got {input_tensors}")
    made = {id(one): other for one, other in zip(before, after)}

    def value(symbol):
        if id(symbol) not in made:
            node = symbol._node
            if not node.inputs and isinstance(node.layer, InputLayer):
                return symbol
            args, kwargs = nest.map_structure(lambda one: value(one) if isinstance(one, KerasTensor) else one,
                                              (node.args, node.kwargs))
            results = nest.flatten(own.get(id(node.layer), node.layer)(*args, **kwargs))
            for one, result in zip(nest.flatten(node.outputs), results):
                made[id(one)] = result
        return made[id(symbol)]
    from .models import Functional
    outputs = nest.map_structure(value, copy.outputs if len(nest.flatten(copy.outputs)) > 1 else nest.flatten(copy.outputs)[0])
    return Functional(after if len(after) > 1 else after[0], outputs, name=model.name)
