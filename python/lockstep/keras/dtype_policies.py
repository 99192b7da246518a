"""`keras.dtype_policies`."""

from ._policy import DTypePolicy, get  # noqa: F401

FloatDTypePolicy = DTypePolicy


def serialize(dtype_policy):
    """A policy as Keras's files have it."""
    from . import saving
    return saving.policy(dtype_policy.name)


def deserialize(config, custom_objects=None):
    return get(config)
