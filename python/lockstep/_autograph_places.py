"""Attributes and items that branches and loops over tensors assign, as `state.total` and `sums["a"]`: which ones they are
in the source of statements, and how their values are read and set while a function is traced."""

import ast

from ._autograph_run import Undefined, is_value
from . import nest


class _Absent(Undefined):
    """The value of a place that is not there: an attribute or a key that nobody has set."""


class _Left(Undefined):
    """The value of a place that holds something that is no tensor and no number, and that stays as it is."""


def read(name, look):
    """The value of a place, `look()`, for a branch or a loop that assigns it."""
    try:
        value = look()
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        return _Absent(name)
    flat = nest.flatten(value)
    return value if flat and all(is_value(one) for one in flat) else _Left(name)


def put_attribute(owner, key, value):
    """Sets an attribute to a value that `read` gave, or to another one."""
    _put(value, lambda: setattr(owner(), key, value), lambda: delattr(owner(), key))


def put_item(owner, key, value):
    """The same of an item."""
    def take_away():
        del owner()[key()]
    _put(value, lambda: owner().__setitem__(key(), value), take_away)


def _put(value, put, take_away):
    if isinstance(value, _Absent):
        try:
            take_away()
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            pass  # it is not there
    elif not isinstance(value, Undefined):
        put()


def places_in(statements, names, scopes):
    """The attributes and items below statements that are assigned, as {source: node}: those of names that the statements
    do not bind themselves, with keys that stay the same."""
    found, todo = {}, list(statements)
    while todo:
        one = todo.pop(0)
        if isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store) and _is_fixed(one, names):
            found.setdefault(ast.unparse(one), one)
        if not isinstance(one, scopes):
            todo.extend(ast.iter_child_nodes(one))
    return found


def _is_fixed(node, names):
    if isinstance(node, ast.Name):
        return node.id not in names
    if isinstance(node, ast.Attribute):
        return _is_fixed(node.value, names)
    return isinstance(node, ast.Subscript) and _is_fixed(node.value, names) and (
        isinstance(node.slice, ast.Constant) or isinstance(node.slice, ast.Name) and node.slice.id not in names)
