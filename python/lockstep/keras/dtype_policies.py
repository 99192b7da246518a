"""`keras.dtype_policies`."""

from ._policy import DTypePolicy, get  # noqa: F401
from ._policy_map import DTypePolicyMap

FloatDTypePolicy = DTypePolicy
_CLASSES = {"DTypePolicy": DTypePolicy, "FloatDTypePolicy": DTypePolicy, "DTypePolicyMap": DTypePolicyMap}


def serialize(dtype_policy):
    """A policy as Keras's files have it."""
    from . import saving
    if isinstance(dtype_policy, DTypePolicyMap):
        return {"module": "keras.dtype_policies", "class_name": "DTypePolicyMap", "config": dtype_policy.get_config(),
                "registered_name": None}
    return saving.policy(dtype_policy.name)


def deserialize(config, custom_objects=None):
    """The policy of `serialize`. Raises: ValueError for one that there is not."""
    if not isinstance(config, dict):
        return get(config)
    name = config["class_name"]
    if name not in _CLASSES:
        raise ValueError(f"policies are {sorted(_CLASSES)}; got {name}")
    return _CLASSES[name].from_config(config["config"])
