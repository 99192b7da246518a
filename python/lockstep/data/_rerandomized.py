"""Numbers, and choices between datasets, that are others in each pass, as TensorFlow draws them."""

import random
import threading

from .._dtypes import int64
from .._function import TensorSpec
from .._tensor import convert_to_tensor

_AT_ONCE = 256


def _stream(first, second):
    """The numbers of 32 bits that two seeds give, without an end."""
    from ..random import Generator
    signed = [one - (1 << 64) if one >> 63 else one for one in (first, second)]
    generator = Generator.from_state([0, signed[1], signed[0]], alg="philox")
    while True:
        for number in generator.uniform_full_int([_AT_ONCE], dtype="int32").numpy().tolist():
            yield number & 0xFFFFFFFF


def _seeds(seed):
    from ..compat.v1._random import get_seed
    first, second = get_seed(seed)
    if first is None:
        return random.getrandbits(63), random.getrandbits(63)
    return first, (2**31 - 1 if (first, second) == (0, 0) else second)


def numbers(seed):
    """An endless dataset of numbers whose passes go on from two seeds each, the next of the stream of `seed`."""
    from ._dataset import Dataset
    parent, lock = _stream(*_seeds(seed)), threading.Lock()

    def make():
        with lock:
            first, second = next(parent), next(parent)
        for number in _stream(first, second):
            yield [convert_to_tensor(number, dtype=int64)]
    return Dataset.from_tensors(0)._from_python(make, TensorSpec([], int64), "_RandomDataset")


def sampled(datasets, weights, seed, stop_on_empty_dataset, again):
    """Elements of one of the datasets at a time, drawn with `weights`: numbers, or a dataset of them. `again`: anew in each
    pass."""
    from ._dataset import Dataset
    from ..ops_array import reshape, stack
    from ..ops_math import log
    from ..random import stateless_categorical

    def choice(logits, pair):
        return stateless_categorical(logits, 1, pair)[0, 0]
    pairs = Dataset.random(seed, rerandomize_each_iteration=again).batch(2)
    if isinstance(weights, Dataset):
        changing = weights.map(lambda *given: reshape(log(stack(given)), [1, -1]))
        choices = Dataset.zip((changing, pairs)).map(choice)
    else:
        logits = log(convert_to_tensor([weights], dtype="float64"))
        choices = pairs.map(lambda pair: choice(logits, pair))
    return Dataset.choose_from_datasets(datasets, choices, stop_on_empty_dataset)
