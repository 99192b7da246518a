"""Operations on the bits of integers: `tf.bitwise`. Raises: InvalidArgumentError for other dtypes."""

from . import _native as n
from ._tensor import op


def bitwise_and(x, y, name=None):
    """x & y."""
    return op(n.bitwise_and, x, y)


def bitwise_or(x, y, name=None):
    """x | y."""
    return op(n.bitwise_or, x, y)


def bitwise_xor(x, y, name=None):
    """x ^ y."""
    return op(n.bitwise_xor, x, y)


def left_shift(x, y, name=None):
    """x << y; y is held between 0 and the number of bits less one."""
    return op(n.left_shift, x, y)


def right_shift(x, y, name=None):
    """x >> y; the sign stays."""
    return op(n.right_shift, x, y)


def invert(x, name=None):
    """~x."""
    return op(n.invert, x)
