"""Elements drawn so that their classes are distributed as wanted."""

from .. import ops_array, ops_math, random
from .._tensor import convert_to_tensor

_AT_ONCE = 32  # classes are counted in batches
_SEEN = 10  # of each class, before the first element


def _chances(initial, target):
    """(how likely an element of each class is kept, how likely an element comes from the dataset as it is)"""
    import numpy
    ratios = target / (initial + numpy.finfo("float32").tiny)
    least, most = ops_math.reduce_min(ratios), ops_math.reduce_max(ratios)
    return (ratios - least) / (most - least), least


def _estimated(classes, count):
    """A dataset of the distributions of the classes so far."""
    from ..ops_array import expand_dims, one_hot, tile

    def counted(seen, batch):
        seen = seen + ops_math.reduce_sum(one_hot(batch, count, dtype="int64"), 0)
        shares = ops_math.cast(seen / ops_math.reduce_sum(seen), "float32")
        return seen, tile(expand_dims(shares, 0), [_AT_ONCE, 1])
    start = ops_array.fill([count], convert_to_tensor(_SEEN, dtype="int64"))
    return classes.batch(_AT_ONCE).scan(start, counted).unbatch()


def _with_class(class_func):
    def both(*element):
        return class_func(*element), element[0] if len(element) == 1 else element
    return both


def _kept(dataset, accepted, class_func, seed):
    """(class, element) of those that chance keeps."""
    from ._dataset import Dataset

    def with_chance(chances, element):
        which = class_func(*element) if isinstance(element, tuple) else class_func(element)
        return which, ops_array.gather(chances, which), element
    drawn = Dataset.zip((accepted, dataset)).map(with_chance)
    drawn = drawn.filter(lambda which, chance, element: random.uniform([], seed=seed, dtype=chance.dtype) < chance)
    return drawn.map(lambda which, chance, element: (which, element)).prefetch(3)


def rejection_resample(dataset, class_func, target_dist, initial_dist=None, seed=None):
    """(class, element): of the dataset as it is, and of one from which elements are left out, mixed so that as few as
    possible are, as TensorFlow does. Each of the two is a pass of its own, so an element may come twice."""
    import numpy
    from ._dataset import Dataset
    target = ops_math.cast(convert_to_tensor(target_dist), "float32")
    if initial_dist is not None:
        initial = ops_math.cast(convert_to_tensor(initial_dist), "float32")
        accepted, whole = (Dataset.from_tensors(one).repeat() for one in _chances(initial, target))
        share = float(numpy.min(target.numpy() / initial.numpy()))
        if share == 1:
            return dataset.map(_with_class(class_func))
        if share == 0:
            return _kept(dataset, accepted, class_func, seed)
    else:
        both = _estimated(dataset.map(class_func), target.shape[0]).map(lambda initial: _chances(initial, target))
        accepted, whole = both.map(lambda chances, _: chances), both.map(lambda _, share: share)
    weights = whole.map(lambda share: ops_array.stack([share, 1.0 - share]))
    return Dataset.sample_from_datasets(
        [dataset.map(_with_class(class_func)), _kept(dataset, accepted, class_func, seed)], weights, seed,
        stop_on_empty_dataset=True)
