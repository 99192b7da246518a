"""Arguments that would do nothing are refused: values that are not built, and keywords that a function does not have."""


def _is(value, one):
    if value is one:
        return True
    try:
        return bool(value == one)
    except (TypeError, ValueError):  # arrays, tensors
        return False


def only(where, **given):
    """Checks arguments of `where`, each as `name=(value, default, other values that are built...)`.

    Raises: NotImplementedError for another value."""
    for name, (value, *built) in given.items():
        if not any(_is(value, one) for one in built):
            raise NotImplementedError(f"[{where}] {name}={value!r} is not built; give {' or '.join(map(repr, built))}, or leave it out")


def no_more(where, kwargs, known=()):
    """Raises: TypeError for keyword arguments that a function does not know."""
    more = sorted(set(kwargs) - set(known))
    if more:
        raise TypeError(f"{where}() got an unexpected keyword argument {more[0]!r}")


def one_of(where, name, value, choices):
    """Gives the value back. Raises: ValueError for a value that is none of the choices."""
    if not any(_is(value, one) for one in choices):
        raise ValueError(_not_among(where, name, value, choices))
    return value


def attribute(where, name, value, choices):
    """Gives the value of an op's attribute back. Raises: InvalidArgumentError for a value that is none of the choices."""
    if not any(_is(value, one) for one in choices):
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, _not_among(where, name, value, choices))
    return value


def _not_among(where, name, value, choices):
    return f"[{where}] {name} must be one of {', '.join(map(repr, choices))}; got {value!r}"
