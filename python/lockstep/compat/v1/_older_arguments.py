"""Functions whose arguments had other names in version 1."""

import functools

_OLD = {"reduction_indices": "axis", "keep_dims": "keepdims", "dimension": "axis", "dim": "axis", "squeeze_dims": "axis",
        "seq_dim": "seq_axis", "batch_dim": "batch_axis", "reduction_axes": "axis",
        "expand_nonconcat_dim": "expand_nonconcat_dims", "ksizes": "sizes", "preferred_dtype": "dtype_hint"}


def with_old(function, *old):
    """The function, which takes these older names of its arguments, too. Raises: ValueError for both names of one."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        for name in old:
            value = kwargs.pop(name, None)
            if value is not None:
                if kwargs.get(_OLD[name]) is not None:
                    raise ValueError(f"[{function.__name__}] {name} and {_OLD[name]} are one argument; got both")
                kwargs[_OLD[name]] = value
        return function(*args, **kwargs)
    return call


def _sparse():
    from . import sparse
    return sparse


def _optimized(function):
    @functools.wraps(function)
    def like(tensor, dtype=None, name=None, optimize=True):
        return function(tensor, dtype)
    return like


def _of_blocks(function, name):
    """The function of blocks of one size along both axes of an image."""
    def of_blocks(input, *sides, block_size=None, block_shape=None, crops=None, paddings=None, name=None):
        block = block_shape if block_size is None else [block_size, block_size]
        given = paddings if crops is None else crops
        if given is None:
            given, sides = sides[0], sides[1:]
        block = sides[0] if block is None else block
        return function(input, [block, block] if isinstance(block, int) else block, given)
    of_blocks.__name__ = of_blocks.__qualname__ = name
    of_blocks.__doc__ = function.__doc__
    return of_blocks


def _all():
    import lockstep
    for name in ("sum", "mean", "prod", "max", "min", "any", "all", "logsumexp"):
        yield "reduce_" + name, with_old(getattr(lockstep, "reduce_" + name), "reduction_indices", "keep_dims")
    for name in ("argmax", "argmin"):
        yield name, with_old(getattr(lockstep, name), "dimension")
    yield "count_nonzero", with_old(lockstep.math.count_nonzero, "reduction_indices", "keep_dims")
    yield "expand_dims", with_old(lockstep.expand_dims, "dim")
    yield "squeeze", with_old(lockstep.squeeze, "squeeze_dims")
    yield "norm", with_old(lockstep.norm, "keep_dims")
    yield "reverse_sequence", with_old(lockstep.reverse_sequence, "seq_dim", "batch_dim")
    yield "convert_to_tensor", with_old(lockstep.convert_to_tensor, "preferred_dtype")
    yield "extract_image_patches", with_old(lockstep.image.extract_patches, "ksizes")
    yield "reduce_join", with_old(lockstep.strings.reduce_join, "reduction_indices", "keep_dims")
    for name in ("add", "concat", "reduce_sum", "reduce_max", "split"):
        yield "sparse_" + name, getattr(_sparse(), name)
    for name in ("zeros_like", "ones_like"):
        yield name, _optimized(getattr(lockstep, name))
    for name, function in (("batch_to_space", lockstep.batch_to_space), ("space_to_batch", lockstep.space_to_batch)):
        yield name, _of_blocks(function, name)


def find(name):
    """The function of a name, or None."""
    if not _made:
        _made.update(_all())
    return _made.get(name)


def names():
    """The names that `find` knows."""
    return [name for name, _ in _all()]


_made = {}
