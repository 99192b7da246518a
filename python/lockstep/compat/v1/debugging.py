"""`tf.debugging`, and what version 1 has there besides."""

from ... import debugging as _debugging
from ...debugging import *  # noqa: F401,F403
from ...math import is_non_decreasing, is_strictly_increasing  # noqa: F401


def __getattr__(name):
    return getattr(_debugging, name)
