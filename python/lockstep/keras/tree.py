"""Structures of lists, tuples and dicts, as Keras takes them: `keras.tree`. Dicts are gone through by their keys in order,
`OrderedDict`s as they are."""

import collections

_MISMATCH = "Structures don't have the same nested structure."


class MAP_TO_NONE:
    """What the function of `traverse` gives for None in the place."""


def _is_named(one):
    return isinstance(one, tuple) and hasattr(one, "_fields")


def is_nested(structure):
    """Whether it is a list, tuple, dict, named tuple or deque."""
    return isinstance(structure, (list, tuple, dict, collections.deque))


def _keys(structure):
    if isinstance(structure, collections.OrderedDict):
        return list(structure)
    try:
        return sorted(structure)
    except TypeError:
        return list(structure)


def _parts(structure):
    """[(key or number, part)]"""
    if isinstance(structure, dict):
        return [(key, structure[key]) for key in _keys(structure)]
    return list(enumerate(structure))


def _like(structure, parts):
    """The structure with other parts, in the order of `_parts`."""
    if isinstance(structure, dict):
        made = dict(zip(_keys(structure), parts))
        made = [(key, made[key]) for key in structure]
        if isinstance(structure, collections.defaultdict):
            return type(structure)(structure.default_factory, made)
        return type(structure)(made)
    if _is_named(structure):
        return type(structure)(*parts)
    if isinstance(structure, collections.deque):
        return type(structure)(parts, structure.maxlen)
    return type(structure)(parts)


def flatten(structure):
    """What is in a structure, one after another."""
    return [one for _, one in flatten_with_path(structure)]


def flatten_with_path(structure):
    """[(the keys and numbers on the way, what is there)]"""
    if not is_nested(structure):
        return [((), structure)]
    return [((key, *path), one) for key, part in _parts(structure) for path, one in flatten_with_path(part)]


def map_structure(func, *structures, none_is_leaf=True):
    """The structure of what `func` gives for what is at the same place in all of them; with `none_is_leaf=False` None stays.

    Raises: ValueError for other structures than the first."""
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other)

    def run(*ones):
        if not is_nested(ones[0]):
            return None if ones[0] is None and not none_is_leaf else func(*ones)
        rows = zip(*([part for _, part in _parts(one)] for one in ones))
        return _like(ones[0], [run(*row) for row in rows])
    return run(*structures)


def map_structure_up_to(shallow_structure, func, *structures):
    """As `map_structure` for the places of a structure; what lies deeper is given to `func` as it is. Raises: ValueError for
    structures that do not have these places."""
    if not structures:
        raise ValueError("Must provide at least one structure")

    def run(shallow, *ones):
        if not is_nested(shallow):
            return func(*ones)
        for one in ones:
            _check_kinds(shallow, one)
        rows = zip((part for _, part in _parts(shallow)), *([part for _, part in _parts(one)] for one in ones))
        return _like(shallow, [run(*row) for row in rows])
    return run(shallow_structure, *structures)


def _kind(structure):
    return dict if isinstance(structure, dict) else type(structure)


def _check_kinds(a, b):
    """Raises: ValueError where `b` is not a structure of the kind and size of `a`."""
    if _kind(a) is not _kind(b):
        raise ValueError(f"Expected an instance of {_kind(a).__name__}, got {b!r}.")
    if isinstance(a, dict):
        missing, extra = ([key for key in one if key not in other] for one, other in ((a, b), (b, a)))
        if missing or extra:
            raise ValueError(f"dictionary key mismatch; expected key(s): {_keys(a)}, got key(s): {_keys(b)}"
                             + (f", missing key(s): {missing}" if missing else "")
                             + (f", extra key(s): {extra}" if extra else "") + f"; dict: {b!r}.")
    elif len(a) != len(b):
        name = _kind(a).__name__
        raise ValueError(f"{name} arity mismatch; expected: {len(a)}, got: {len(b)}; {name}: {b!r}.")


def assert_same_structure(a, b, check_types=None):
    """Raises: ValueError for structures of other kinds, sizes or keys."""
    if not is_nested(a) or not is_nested(b):
        if is_nested(a) and not is_nested(b):
            raise ValueError(f"Expected an instance of {_kind(a).__name__}, got {b!r}.")
        if is_nested(b):
            raise ValueError(_MISMATCH)
        return
    _check_kinds(a, b)
    for (_, first), (_, second) in zip(_parts(a), _parts(b)):
        assert_same_structure(first, second)


def assert_same_paths(a, b):
    """Raises: ValueError where the two do not have something at the same places."""
    first, second = ({path for path, _ in flatten_with_path(one)} for one in (a, b))
    if first == second:
        return
    text = "`a` and `b` don't have the same paths."
    if first - second:
        text += f"\nPaths in `a` missing in `b`:\n{first - second}"
    if second - first:
        text += f"\nPaths in `b` missing in `a`:\n{second - first}"
    raise ValueError(text)


def pack_sequence_as(structure, flat_sequence):
    """The structure with what is in a sequence in its places. Raises: TypeError for what is no sequence, ValueError for another
    number of parts."""
    given = list(flat_sequence)
    places = len(flatten(structure))
    if len(given) != places:
        few = len(given) < places
        raise ValueError(f"Too {'few' if few else 'many'} leaves for PyTreeSpec; expected: {places}"
                         + (f", got: {len(given)}." if few else "."))
    given = iter(given)
    return map_structure(lambda _: next(given), structure)


def traverse(func, structure, top_down=True):
    """The structure with what `func` gives for each of its parts and what is in them in its place; None: it stays, and what is in
    it is gone through, before or, with `top_down=False`, behind it."""
    made = func(structure) if top_down else None
    if made is None:
        if is_nested(structure):
            structure = _like(structure, [traverse(func, part, top_down) for _, part in _parts(structure)])
        made = None if top_down else func(structure)
    if made is None:
        return structure
    return None if made is MAP_TO_NONE else made


def lists_to_tuples(structure):
    """The structure with tuples in place of lists."""
    return traverse(lambda one: tuple(one) if isinstance(one, list) else None, structure, top_down=False)


def map_shape_structure(func, structure):
    """The structure of what `func` gives for each shape: a tuple or list of sizes and Nones."""
    def run(one):
        is_shape = isinstance(one, (list, tuple)) and all(isinstance(size, (int, type(None))) for size in one)
        return func(tuple(one)) if is_shape else None
    return traverse(run, structure)
