"""Masks that travel with tensors from layer to layer: which steps of a sequence count."""

import warnings
import weakref

from .. import nest
from .._tensor import Tensor

_known = {}  # id of a tensor: (weak reference to it, its mask)


def mask_of(x):
    """The mask of a tensor; None: all of it counts."""
    found = _known.get(id(x))
    return found[1] if found is not None and found[0]() is x else None


def set_mask(x, mask):
    key = id(x)
    if mask is None:
        _known.pop(key, None)
    else:
        _known[key] = (weakref.ref(x, lambda _: _known.pop(key, None)), mask)


Tensor._keras_mask = property(mask_of, set_mask)


def masks_of(value):
    """The masks of a structure of tensors; None: there are none."""
    if not _known:
        return None
    made = nest.map_structure(mask_of, value)
    return made if any(one is not None for one in nest.flatten(made)) else None


def copy(source, target):
    """Gives `target`, which is `source` in another dtype, the mask of `source`."""
    if _known and target is not source:
        mask = mask_of(source)
        if mask is not None:
            set_mask(target, mask)
    return target


def fill_in(layer, names, args, kwargs):
    """Puts the masks of the tensors of a call into those mask arguments that the call leaves out. Returns: the masks of the
    first argument of the layer's `call`; None if it has none."""
    if not _known or not names:
        return None
    given = [(name, value) for name, value in list(zip(names, args)) + list(kwargs.items())
             if any(isinstance(one, Tensor) for one in nest.flatten(value)) and not name.endswith("mask")]
    for name, value in given:
        key = "mask" if len(given) == 1 else f"{name}_mask"
        if key in names and kwargs.get(key) is None and names.index(key) >= len(args):
            mask = masks_of(value)
            if mask is not None:
                kwargs[key] = mask
    if kwargs.get("mask") is not None:
        return kwargs["mask"]
    return masks_of(args[0] if args else kwargs.get(names[0]))


def hand_on(layer, inputs, previous, outputs):
    """Gives the outputs of a call their masks; says so where the layer loses that of its input."""
    if not layer.supports_masking:
        if previous is not None and layer._tells_lost_masks:
            warnings.warn(f"Layer '{layer.name}' (of type {type(layer).__name__}) was passed an input with a mask attached "
                          "to it. However, this layer does not support masking and will therefore destroy the mask "
                          "information. Downstream layers will not see the mask.", stacklevel=3)
        return
    tensors = [one for one in nest.flatten(outputs) if isinstance(one, Tensor)]
    if tensors and all(mask_of(one) is not None for one in tensors):
        return
    masks = layer.compute_mask(inputs, previous)
    if masks is not None:
        for one, mask in zip(tensors, nest.flatten(masks)):
            if mask is not None and mask_of(one) is None:
                set_mask(one, mask)


def weights(sample_weight, mask, reduction):
    """`sample_weight` with 0 where the mask is; for means the others stand for all."""
    from .. import ops_math
    mask = ops_math.cast(mask, "float32")
    if reduction in ("mean", "sum_over_batch_size"):
        size = 1.0
        for one in mask._shape:
            size *= one
        mask = mask * (size / (ops_math.reduce_sum(mask) + 1e-7))
    if sample_weight is None:
        return mask
    sample_weight = ops_math.cast(sample_weight, "float32")
    while sample_weight._rank < mask._rank:
        from ..ops_array import expand_dims
        sample_weight = expand_dims(sample_weight, -1)
    return sample_weight * mask


def may_come_of(layer):
    """Whether the layer, or one inside it, makes masks."""
    from .layers import Embedding, Masking
    kind = type(layer)
    own = not kind.__module__.startswith("lockstep") and "compute_mask" in kind.__dict__
    return own or isinstance(layer, Masking) or isinstance(layer, Embedding) and layer.mask_zero or any(
        may_come_of(one) for one in layer._children)
