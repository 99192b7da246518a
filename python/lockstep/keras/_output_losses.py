"""The compiled losses of a model with one or several outputs: which loss is of which output, label and weight."""

from .. import nest
from .losses import call_for_total


def _is_nested(value):
    return isinstance(value, (list, tuple, dict))


def parts_of(value, names=None):
    """{key: value} of outputs: a dict by its keys, a list by its names, or by its places where it has none; None: a
    single one."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, (list, tuple)):
        keys = names if names and len(names) == len(value) else range(len(value))
        return dict(zip(keys, value))
    return {None: value}


def _structure(value):
    return nest.map_structure(lambda _: "*", value)


def labels_for(y, y_pred, outputs, names, wanted):
    """{key: labels} for outputs of these keys. `wanted`: the keys that have a loss, of which alone there may be labels.

    Raises: ValueError for labels of another structure."""
    if not _is_nested(y_pred):
        if _is_nested(y):
            flat = nest.flatten(y)
            if len(flat) == 1:
                return {None: flat[0]}
        else:
            return {None: y}
    elif isinstance(y, dict) and set(y) == set(outputs):
        return dict(y)
    elif isinstance(y, dict) and not isinstance(y_pred, dict) and set(y) == set(names or ()):
        return dict(y)
    elif not _is_nested(y) and len(outputs) == 1:
        return dict.fromkeys(outputs, y)
    elif isinstance(y, (list, tuple)):
        keys = sorted(outputs) if isinstance(y_pred, dict) else list(outputs)
        if len(y) == len(keys):
            return dict(zip(keys, y))
        keys = [key for key in keys if key in wanted]
        if len(y) == len(keys):
            return dict(zip(keys, y))
    elif isinstance(y, dict) and set(y) == set(wanted):
        return dict(y)
    raise ValueError(f"y_true and y_pred have different structures.\ny_true: {_structure(y)}\ny_pred: {_structure(y_pred)}\n")


def losses_for(losses, y_pred, outputs, names):
    """[(key, loss)] of outputs of these keys. Raises: KeyError, ValueError for a loss of an output that is not there."""
    if isinstance(losses, dict):
        if not isinstance(y_pred, dict) and names and set(losses) != set(names):
            raise ValueError(f"Expected keys {list(names)} in loss dict, but found loss.keys()={list(losses)}")
        if not _is_nested(y_pred) and len(losses) == 1:
            return [(None, one) for one in losses.values()]
        for key, loss in losses.items():
            if loss is not None and key not in outputs:
                raise KeyError(f"The path: ({key!r},) in the `loss` argument, can't be found in either the model's output "
                               f"(`y_pred`) or in the labels (`y_true`); the outputs are {list(outputs)}")
        return [(key, loss) for key, loss in losses.items()]
    if isinstance(losses, list):
        if not _is_nested(y_pred):
            return [(None, loss) for loss in losses]
        keys = sorted(outputs) if isinstance(y_pred, dict) else list(outputs)
        if len(losses) > len(keys):
            raise KeyError(f"a loss for each of the outputs {keys}; got {len(losses)}")
        return list(zip(keys, losses))
    return [(key, losses) for key in (sorted(outputs) if isinstance(y_pred, dict) else outputs)]


def _weights_for(weights, losses, pairs):
    """What each loss is multiplied by, None for 1. Raises: ValueError for another number of weights than of losses."""
    if weights is None:
        return [None] * len(pairs)
    flat = nest.flatten(weights)
    if isinstance(weights, dict) and isinstance(losses, dict) and set(weights) == set(losses):
        return [weights[key] for key in losses]
    count = len(losses) if isinstance(losses, (dict, list)) else 1
    if len(flat) != count:
        raise ValueError(f"`loss_weights` must match the number of losses, got {count} losses and {len(flat)} weights.")
    if isinstance(losses, dict):
        by_key = dict(zip(sorted(losses), flat))
        return [by_key[key] for key in losses]
    return flat if isinstance(losses, list) else flat * len(pairs)


def weight_of(sample_weight, key, place):
    """The part of the examples' weights that is of one output."""
    if isinstance(sample_weight, dict):
        return sample_weight.get(key)
    if isinstance(sample_weight, (list, tuple)):
        return sample_weight[place] if len(sample_weight) > 1 else sample_weight[0]
    return sample_weight


def leaf_names(outputs, names):
    """What the outputs of a nested structure are called: their paths, as "q/r", with names of layers for places in lists."""
    made = []
    names = list(names or ()) if len(names or ()) == len(nest.flatten(outputs)) else []

    def walk(value, path, in_list):
        if isinstance(value, dict):
            for key in sorted(value):
                walk(value[key], [*path, str(key)], False)
        elif isinstance(value, (list, tuple)):
            for place, one in enumerate(value):
                walk(one, [*path, str(place)], True)
        else:
            own = [*path[:-1], names[len(made)]] if in_list and names else path
            made.append("/".join(own))
    walk(outputs, [], False)
    return made


def compute(losses, y, y_pred, sample_weight, weights, track=None, names=None):
    """The sum of the losses of all outputs, which `names` names, each times its weight; None for no loss.

    track: called with the key and the unweighted value of each loss, where there are several.
    Raises: ValueError, KeyError for labels, losses or weights whose structure is not that of the outputs."""
    if _is_nested(y_pred) and any(map(_is_nested, parts_of(y_pred).values())):
        names = leaf_names(y_pred, names)
        y, y_pred, losses = nest.flatten(y), nest.flatten(y_pred), nest.flatten(losses) if _is_nested(losses) else losses
        sample_weight = nest.flatten(sample_weight) if _is_nested(sample_weight) else sample_weight
        if isinstance(losses, list) and len(losses) != len(y_pred):
            raise ValueError(f"a loss, or None, for each of the outputs {names}; got {len(losses)}")
    outputs = parts_of(y_pred, names)
    pairs = losses_for(losses, y_pred, outputs, names)
    wanted = [key for key, loss in pairs if loss is not None]
    labels = labels_for(y, y_pred, outputs, names, wanted)
    factors = _weights_for(weights, losses, pairs)
    total, places = None, list(outputs)
    for (key, loss), factor in zip(pairs, factors):
        if loss is None:
            continue
        value = call_for_total(loss)(labels[key], outputs[key], weight_of(sample_weight, key, places.index(key)))
        if track is not None and len(wanted) > 1:
            track(key, value)
        if factor is not None:
            value = value * factor
        total = value if total is None else total + value
    return total
