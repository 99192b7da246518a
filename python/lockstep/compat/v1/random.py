"""Random numbers of version 1: `tf.compat.v1.random`."""

from ._functions import multinomial  # noqa: F401
from ._random import get_seed, set_random_seed  # noqa: F401


def __getattr__(name):
    from ... import random
    return getattr(random, name)
