"""Which variables an optimizer updates: of which strategy, with or without weight decay, and where it makes their slots."""

import re

from ... import distribute


def require_same_strategy(optimizer, variables):
    """Raises: ValueError for a variable that was made under another strategy than an optimizer with slots."""
    strategy = getattr(optimizer, "_strategy", lambda: None)()
    plain = optimizer._kind == "SGD" and not optimizer._config.get("momentum")
    if not isinstance(strategy, (distribute.MirroredStrategy, distribute.MultiWorkerMirroredStrategy)) or plain:
        return
    for one in variables:
        if not strategy.extended.variable_created_in_scope(one):
            raise ValueError("`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: "
                             f"{one!r}; make the model and its optimizer in the scope of one strategy")


def decays(optimizer, variable):
    """Whether weight decay is for the variable. Patterns are searched in the name with its layer, as "dense/kernel:0"."""
    keys, pattern = optimizer.__dict__.get("_undecayed", ((), ""))
    return variable._v.key not in keys and not (pattern and re.search(pattern, variable._v.name + ":0"))


def exclude_from_decay(optimizer, variables):
    """Tells the native optimizer which of the variables it may not decay."""
    excluded = [one._v for one in variables if not decays(optimizer, one)]
    if excluded:
        optimizer._native.exclude_from_weight_decay(excluded)


def call_once(function):
    """Calls the function; where replicas run, once for all of them, when they have all come here."""
    context = distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        function()
    else:
        context.merge_call(lambda strategy: function())
