"""Ops go to the graph of their inputs, whichever one a thread or a program builds at the time (version 1)."""

from . import _native, nest


def _graph_of(leaf):
    """The graph of version 1 that a tensor or a variable belongs to, or None."""
    from ._variable import Variable
    from .compat.v1._graphs import Graph
    if isinstance(leaf, Variable):
        return leaf.graph if leaf._of_graph else None
    if isinstance(leaf, _native.Tensor) and leaf._symbolic and _native.name_of(leaf) is not None:
        return Graph.of(_native.graph_of(leaf))
    return None


def other_graph(arguments):
    """The graph of the first of these that belongs to one, where another graph is built; None otherwise, and inside of
    functions."""
    from . import _function
    from .compat.v1._graphs import get_default_graph
    if not _native.has_graph() or _function._traces():
        return None
    for leaf in nest.flatten(arguments):
        found = _graph_of(leaf)
        if found is not None:
            return None if found is get_default_graph() else found
    return None


def again(function, *arguments):
    """What a function gives in the graph of its arguments, called while its error in another one is handled, which is raised
    again where that is not the cause."""
    graph = other_graph(arguments)
    if graph is None:
        raise  # noqa: PLE0704  the error that is handled
    with graph.as_default():
        return function(*arguments)
