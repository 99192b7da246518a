"""Structures of lists, tuples, dicts and named tuples; the leaves of dicts come in the order of keys."""

import collections


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_nested(value):
    """Whether `value` is a structure and not a leaf."""
    return isinstance(value, (list, tuple, dict))


def flatten(structure, expand_composites=False):
    """The leaves of a structure, in order. `expand_composites`: sparse and ragged tensors give their parts."""
    leaves = []
    _flatten_into(_apart(structure) if expand_composites else structure, leaves)
    return leaves


def _apart(structure):
    """The structure with the parts of composite tensors, such as sparse and ragged ones, in place of them."""
    from . import _composites
    return _composites.components(structure)


def _flatten_into(structure, leaves):
    if isinstance(structure, (list, tuple)):
        for value in structure:
            _flatten_into(value, leaves)
    elif isinstance(structure, dict):
        for key in sorted(structure):
            _flatten_into(structure[key], leaves)
    else:
        leaves.append(structure)


def _like(structure, values):
    if _is_namedtuple(structure):
        return type(structure)(*values)
    if isinstance(structure, dict):
        made = dict(zip(sorted(structure), values))
        ordered = {key: made[key] for key in structure}
        if isinstance(structure, collections.defaultdict):
            return type(structure)(structure.default_factory, ordered)
        return ordered if type(structure) is dict else type(structure)(ordered)
    return type(structure)(values) if type(structure) in (list, tuple) else list(values)


def _pack(structure, leaves):
    if isinstance(structure, (list, tuple)):
        return _like(structure, [_pack(value, leaves) for value in structure])
    if isinstance(structure, dict):
        return _like(structure, [_pack(structure[key], leaves) for key in sorted(structure)])
    return next(leaves)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The leaves in the form of `structure`. ValueError when their number differs."""
    form = _apart(structure) if expand_composites else structure
    count = len(flatten(form))
    if count != len(flat_sequence):
        raise ValueError(f"Could not pack sequence. Structure had {count} atoms, but flat_sequence "
                         f"had {len(flat_sequence)} items.  Structure: {structure!r}, "
                         f"flat_sequence: {flat_sequence!r}.")
    made = _pack(form, iter(flat_sequence))
    if not expand_composites:
        return made
    from . import _composites
    return _composites.whole(made)


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """ValueError when the structures differ, TypeError when only their types do."""
    if expand_composites:
        nest1, nest2 = _apart(nest1), _apart(nest2)
    if not check_types and _keys(nest1) is not None and _keys(nest1) == _keys(nest2):
        nest1, nest2 = [one if isinstance(one, dict) else one._asdict() for one in (nest1, nest2)]
    if is_nested(nest1) != is_nested(nest2) or (
            is_nested(nest1) and isinstance(nest1, dict) != isinstance(nest2, dict)):
        raise ValueError("The two structures don't have the same nested structure.\n\n"
                         f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        of_parts = hasattr(nest1, "whole") or hasattr(nest2, "whole")
        raise (ValueError if of_parts else TypeError)("The two structures don't have the same sequence type. First structure has "
                        f"type {type(nest1)}, while second structure has type {type(nest2)}.")
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError("The two structures don't have the same nested structure.\n\n"
                         f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}")
    keys = sorted(nest1) if isinstance(nest1, dict) else range(len(nest1))
    for key in keys:
        assert_same_structure(nest1[key], nest2[key], check_types)


def _keys(value):
    """The sorted keys of a dict or the fields of a named tuple; None of anything else."""
    if isinstance(value, dict):
        return sorted(value)
    return sorted(value._fields) if _is_namedtuple(value) else None


def map_structure(func, *structure, **kwargs):
    """`func` of the corresponding leaves, in the form of the first structure."""
    unknown = set(kwargs) - {"check_types", "expand_composites"}
    if unknown:
        raise ValueError("Only valid keyword arguments are `check_types` and `expand_composites`, not: `"
                         f"{'`, `'.join(sorted(unknown))}`")
    if kwargs.get("expand_composites"):
        from . import _composites
        made = map_structure(func, *map(_apart, structure), check_types=kwargs.get("check_types", True))
        return _composites.whole(made)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, kwargs.get("check_types", True))
    flat = [flatten(one) for one in structure]
    return _pack(structure[0], iter([func(*leaves) for leaves in zip(*flat)]))


def flatten_up_to(shallow, structure):
    """What stands in `structure` where `shallow` has its leaves. ValueError when they do not fit."""
    if isinstance(shallow, dict):
        if not isinstance(structure, dict) or set(structure) != set(shallow):
            raise ValueError(f"a dict with the keys {sorted(shallow)} is needed; got {structure!r}")
        return [leaf for key in sorted(shallow) for leaf in flatten_up_to(shallow[key], structure[key])]
    if isinstance(shallow, (list, tuple)):
        if not isinstance(structure, (list, tuple)) or len(structure) != len(shallow):
            raise ValueError(f"{len(shallow)} entries are needed; got {structure!r}")
        return [leaf for one, own in zip(shallow, structure) for leaf in flatten_up_to(one, own)]
    return [structure]
