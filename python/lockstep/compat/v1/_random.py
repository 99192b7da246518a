"""Seeds and numbers of version 1."""

from ... import _native


def set_random_seed(seed):
    """The seed of the default graph; eagerly the global one."""
    from ... import random
    random.set_seed(seed)


def get_seed(op_seed):
    """The two seeds of an op: the global one and its own; (None, None) without any. Source: get_seed of version 1."""
    return _native.next_seed_pair(None if op_seed is None else int(op_seed)) or (None, None)


def random_uniform(*args, **kwargs):
    from ... import random
    return random.uniform(*args, **kwargs)


def random_normal(*args, **kwargs):
    from ... import random
    return random.normal(*args, **kwargs)


def truncated_normal(*args, **kwargs):
    from ... import random
    return random.truncated_normal(*args, **kwargs)
