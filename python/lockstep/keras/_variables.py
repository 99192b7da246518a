"""Keras's options of variables."""

from .. import _refused
from .._variable import aggregation_number, Variable, VariableSynchronization

_SYNCHRONIZATIONS = (None, "none", "on_read", "on_write", "auto")


class Autocast(Variable):
    """A variable that a layer with another compute dtype reads in that dtype."""

    _autocasts = True


def options(aggregation, synchronization):
    """The options of `tf.Variable` for Keras's names. Raises: ValueError for other names."""
    aggregation_number(aggregation or "none")
    _refused.one_of("Variable", "synchronization", synchronization, _SYNCHRONIZATIONS)
    return {"aggregation": aggregation or "none",
            "synchronization": VariableSynchronization[(synchronization or "none").upper()]}


def require_sum(where, aggregation):
    """Checks how the copies of several replicas become one. Raises: ValueError for no kind of aggregation;
    NotImplementedError for another one than the sum, where there are several replicas."""
    aggregation_number(aggregation or "none")
    from .. import distribute
    if distribute.get_strategy().num_replicas_in_sync > 1:
        _refused.only(where, aggregation=(aggregation, "sum", None))
