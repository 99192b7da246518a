"""Optimizers whose rule is written in Python: a class that overrides `update_step`."""

from ... import _constrained, _native, distribute, ops_math
from ..._tensor import IndexedSlices, convert_to_tensor
from ..._variable import Variable
from . import _update_scope


def _dense(gradient, variable):
    return _native.slices_to_dense(gradient._row(variable.shape)) if isinstance(gradient, IndexedSlices) else gradient


def _clipped(optimizer, gradients):
    """As the options say: by value, by each norm, or by the norm of all."""
    settings = optimizer._config
    if settings.get("clipvalue"):
        return [ops_math.clip_by_value(one, -settings["clipvalue"], settings["clipvalue"]) for one in gradients]
    if settings.get("clipnorm"):
        return [ops_math.clip_by_norm(one, settings["clipnorm"]) for one in gradients]
    if settings.get("global_clipnorm"):
        return ops_math.clip_by_global_norm(gradients, settings["global_clipnorm"])[0]
    return gradients


def update(optimizer, gradients, variables):
    """One update by the gradients of all replicas."""
    rate = ops_math.cast(convert_to_tensor(optimizer.learning_rate), "float32")
    for gradient, variable in zip(_clipped(optimizer, gradients), variables):
        decay = optimizer._config.get("weight_decay")
        if decay and _update_scope.decays(optimizer, variable):
            variable.assign_sub(variable * ops_math.cast(decay * rate, variable.dtype))
        optimizer.update_step(gradient, variable, rate)
        _constrained.bring_back([variable])
    optimizer._iterations.assign_add(1)


def apply(optimizer, gradients, variables):
    """One update; in a replica, of the sum of all replicas' gradients."""
    pairs = [(_dense(distribute._values.local_value(g), v), v) for g, v in zip(gradients, variables) if g is not None]
    gradients, variables = [list(one) for one in zip(*pairs)]
    context = distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return optimizer._update_own(gradients, variables)

    def merged(strategy, *parts):
        sums = [strategy.reduce("SUM", one, axis=None) for one in parts]
        optimizer._update_own(sums, variables)
    return context.merge_call(merged, args=tuple(gradients))


def add_variable(optimizer, shape, initializer, dtype, name):
    from ..._function import init_scope
    from .. import initializers
    with init_scope():
        first = initializers.get(initializer)
        made = Variable(first(tuple(shape), dtype=dtype), trainable=False, name=name, dtype=dtype)
    made._keras_path = f"{optimizer.name}/{name}"
    optimizer._own_slots.append(made)
    return made


def slots_for(optimizer, references, names, initializers):
    """For each name a list with a slot for each variable."""
    names = [names] if isinstance(names, str) else list(names)
    firsts = list(initializers) if isinstance(initializers, (list, tuple)) else [initializers] * len(names)
    made = [[optimizer.add_variable_from_reference(one, name, first) for one in references]
            for name, first in zip(names, firsts)]
    return made
