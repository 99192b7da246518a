"""Elements drawn so that their classes are distributed as wanted."""

from .. import _native
from .._dtypes import as_dtype
from .._function import TensorSpec
from .._tensor import convert_to_tensor


def _chances(target, have):
    """How likely an element of each class is kept: in proportion to wanted over seen, at most 1."""
    import numpy
    ratios = numpy.asarray(target, "float64") / numpy.maximum(numpy.asarray(have, "float64"), 1e-12)
    ratios = numpy.where(numpy.asarray(have) > 0, ratios, 0.0)
    return ratios / max(ratios.max(), 1e-300)


def rejection_resample(dataset, class_func, target_dist, initial_dist=None, seed=None):
    """(class, element) of the elements that were kept; numbers of its own decide."""
    import numpy
    from ._elements import _call_on, _flat_element
    target = convert_to_tensor(target_dist).numpy()
    known = None if initial_dist is None else convert_to_tensor(initial_dist).numpy()
    count = len(target)
    start = seed if seed is not None else (_native.global_seed() or 0)

    def make():
        draw = numpy.random.default_rng(abs(int(start)))
        seen = numpy.ones(count) if known is None else None
        for element in dataset:
            which = int(_call_on(class_func, element))
            if seen is not None:
                seen[which] += 1
            chances = _chances(target, seen / seen.sum() if known is None else known)
            if draw.random() < chances[which]:
                yield [convert_to_tensor(which, dtype="int32")] + _flat_element(element)
    spec = (TensorSpec([], as_dtype("int32")), dataset._spec)
    return dataset._from_python(make, spec, "_RejectionResampleDataset")
