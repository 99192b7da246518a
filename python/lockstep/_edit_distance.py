"""How far rows of a sparse tensor are from those of another: `tf.edit_distance`."""

import numpy

from ._dtypes import float32
from ._host_calls import _on_host
from ._tensor import convert_to_tensor
from .errors import InvalidArgumentError


def _steps(made, wanted):
    """The least number of elements to insert, delete and replace."""
    costs = list(range(len(wanted) + 1))
    for i, one in enumerate(made, 1):
        before, costs[0] = costs[0], i
        for j, other in enumerate(wanted, 1):
            before, costs[j] = costs[j], min(costs[j] + 1, costs[j - 1] + 1, before + (one != other))
    return costs[-1]


def _rows(places, values):
    """{place of the row: its elements}"""
    made = {}
    for place, value in zip(places.tolist(), values.tolist()):
        made.setdefault(tuple(place[:-1]), []).append(value)
    return made


def _distances(parts, normalize):
    (places, values, shape), (other_places, other_values, other_shape) = parts
    made = numpy.zeros(numpy.maximum(shape, other_shape)[:-1], "float32")
    rows, wanted = _rows(places, values), _rows(other_places, other_values)
    for place in {*rows, *wanted}:
        own, other = rows.get(place, []), wanted.get(place, [])
        steps = _steps(own, other)
        if normalize:
            steps = steps / len(other) if other else (float("inf") if own else 0.0)
        made[place] = steps
    return made


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """The least number of changes that make each row of `hypothesis` that of `truth`, by the length of the latter unless
    `normalize` is False. Shapes: sparse [..., n] and [..., m]; result [...], float32.

    Raises: TypeError for what is not sparse; InvalidArgumentError for other numbers of axes."""
    from .sparse import SparseTensor
    for one, called in ((hypothesis, "Hypothesis"), (truth, "Truth")):
        if not isinstance(one, SparseTensor):
            raise TypeError(f"{called} must be a SparseTensor.")
    if hypothesis.rank != truth.rank:
        raise InvalidArgumentError(None, None, f"Expected truth and hypothesis to have the same rank; got {truth.rank} and "
                                   f"{hypothesis.rank}")
    parts = [convert_to_tensor(part) for one in (hypothesis, truth) for part in (one.indices, one.values, one.dense_shape)]

    def compute(*given):
        arrays = [one.numpy() for one in given]
        return convert_to_tensor(_distances((arrays[:3], arrays[3:]), normalize))
    if any(one._symbolic for one in parts):
        return _on_host(compute, parts, [None] * (hypothesis.rank - 1), float32)
    return compute(*parts)
