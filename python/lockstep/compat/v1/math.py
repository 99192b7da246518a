"""`tf.math` with the arguments of version 1, where they differ."""

from ... import math as _math
from ...math import *  # noqa: F401,F403
from ._older_arguments import with_old as _with_old
from .nn import in_top_k, log_softmax, softmax  # noqa: F401

argmax, argmin = _with_old(_math.argmax, "dimension"), _with_old(_math.argmin, "dimension")
count_nonzero = _with_old(_math.count_nonzero, "reduction_indices", "keep_dims")


def __getattr__(name):
    return getattr(_math, name)
