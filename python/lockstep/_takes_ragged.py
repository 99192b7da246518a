"""Functions of tensors that take ragged ones, too. Calls with tensors alone cost nothing: ragged arguments are looked for
where an error comes."""

import functools

from . import nest


def of_ragged(function, *args, **kwargs):
    """What a function gives for ragged arguments, called while an error of the same call with tensors is handled, which is
    raised again where none is ragged."""
    from . import _ragged_ops
    if not any(map(_ragged_ops.is_ragged, nest.flatten([args, kwargs]))):
        raise  # noqa: PLE0704  the error that is handled
    return _ragged_ops.apply(function, args, kwargs)


def takes_ragged(function):
    """The function, which takes ragged arguments, too."""
    @functools.wraps(function)
    def either(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, AttributeError):
            return of_ragged(function, *args, **kwargs)
    return either
