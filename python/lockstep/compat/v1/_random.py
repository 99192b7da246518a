"""Seeds and numbers of version 1."""

from ... import _native
from ._graphs import get_default_graph, in_graph


def set_random_seed(seed):
    """The global seed."""
    from ... import random
    random.set_seed(seed)


def get_seed(op_seed):
    """The two seeds of an op: the global one and its own; (None, None) without any. Source: get_seed of version 1."""
    own = _native.global_seed()
    if own is None:
        return (None, None) if op_seed is None else (87654321, int(op_seed))
    number = len(get_default_graph()._native.operations()) if in_graph() else 0
    pair = own, (number if op_seed is None else int(op_seed))
    return (0, 2**31 - 1) if pair == (0, 0) else pair


def random_uniform(*args, **kwargs):
    from ... import random
    return random.uniform(*args, **kwargs)


def random_normal(*args, **kwargs):
    from ... import random
    return random.normal(*args, **kwargs)


def truncated_normal(*args, **kwargs):
    from ... import random
    return random.truncated_normal(*args, **kwargs)
