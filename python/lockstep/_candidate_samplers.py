"""Samplers of classes: `tf.random.uniform_candidate_sampler` and its relatives, and `tf.nn.compute_accidental_hits`.

A sampler draws class numbers below `range_max` from a distribution, with repeats or until `num_sampled` different ones are
there. The expected count of a class is how often a sample holds it: p * num_sampled with repeats, else the probability
that it is among `tries` draws, 1 - (1 - p)^tries, where `tries` is how many draws this sample took. Numbers are
TensorFlow's: each op has a Philox stream of its pair of seeds, and a call moves it on by 512 blocks per class sampled."""

import math

import numpy

from . import _native, _seeds
from ._dtypes import as_dtype
from ._function import TensorSpec
from ._tensor import convert_to_tensor

_RESERVED = 512  # blocks of four numbers per class sampled


def _philox(pair, first, count):
    """The numbers of `count` blocks of Philox4x32-10 (Salmon et al., 2011) from block `first` on, uint32 [4 * count].

    Computed here, as the ops of generators cannot run inside the run of a graph."""
    low = 0xFFFFFFFF
    seed, seed2 = (int(one) & ((1 << 64) - 1) for one in pair)
    places = numpy.uint64(first) + numpy.arange(count, dtype="uint64")
    counter = [places & numpy.uint64(low), places >> numpy.uint64(32), numpy.full(count, seed2 & low, "uint64"),
               numpy.full(count, seed2 >> 32, "uint64")]
    keys = [seed & low, seed >> 32]
    for _ in range(10):
        products = [counter[0] * numpy.uint64(0xD2511F53), counter[2] * numpy.uint64(0xCD9E8D57)]
        counter = [products[1] >> numpy.uint64(32) ^ counter[1] ^ numpy.uint64(keys[0]), products[1] & numpy.uint64(low),
                   products[0] >> numpy.uint64(32) ^ counter[3] ^ numpy.uint64(keys[1]), products[0] & numpy.uint64(low)]
        keys = [(keys[0] + 0x9E3779B9) & low, (keys[1] + 0xBB67AE85) & low]
    return numpy.stack(counter, 1).reshape(-1)


class _Stream:
    """The random numbers of one call."""

    def __init__(self, pair, block):
        self._pair, self._block, self._ready = pair, block, []

    def next32(self):
        """A number of 32 bits."""
        if not self._ready:
            self._ready = _philox(self._pair, self._block, 64).tolist()[::-1]
            self._block += 64
        return self._ready.pop()

    def next64(self):
        """A number of 64 bits."""
        low = self.next32()
        return low | self.next32() << 32

    def below(self, limit, draw, bits):
        """An integer below `limit`: numbers that would favour small ones are drawn again."""
        if limit & (limit - 1) == 0:
            return draw() & (limit - 1)
        refused = ((1 << bits) - 1) % limit + 1
        while True:
            number = draw()
            if number >= refused:
                return number % limit

    def double(self):
        """A float64 in [0, 1) with 52 random bits."""
        high = self.next32()
        return float((high & 0xFFFFF) << 32 | self.next32()) / float(1 << 52)

    def single(self):
        """A float32 in [0, 1) with 23 random bits."""
        return numpy.float32((self.next32() & 0x7FFFFF) / float(1 << 23))


class _Uniform:
    def __init__(self, range_max):
        self.range_max = range_max

    def draw(self, stream):
        return stream.below(self.range_max, stream.next64, 64)

    def probability(self, number):
        return 1.0 / self.range_max

    def learn(self, true_classes):
        pass


class _LogUniform(_Uniform):
    """Class k with the probability log((k + 2) / (k + 1)) / log(range_max + 1): small numbers are frequent ones."""

    def draw(self, stream):
        return (int(math.exp(stream.double() * math.log1p(self.range_max))) - 1) % self.range_max

    def probability(self, number):
        return math.log((number + 2.0) / (number + 1.0)) / math.log1p(self.range_max)


class _LearnedUnigram(_Uniform):
    """Classes as often as they were true classes before, once more each."""

    def __init__(self, range_max):
        super().__init__(range_max)
        self.weights = numpy.ones(range_max, "int64")

    def draw(self, stream):
        total = int(self.weights.sum())
        return int(numpy.searchsorted(self.weights.cumsum(), stream.below(total, stream.next32, 32), side="right"))

    def probability(self, number):
        return float(self.weights[number]) / float(self.weights.sum())

    def learn(self, true_classes):
        numpy.add.at(self.weights, true_classes.reshape(-1), 1)


class _FixedUnigram(_Uniform):
    """Classes by given weights, each raised to `distortion`, drawn by the alias method (Walker, 1974)."""

    def __init__(self, range_max, weights):
        super().__init__(range_max)
        self.weights, self.total = weights, float(weights.sum(dtype="float64"))
        share = weights.astype("float64") * len(weights) / self.total
        self.alias, self.share = [-1] * len(weights), share
        low = [i for i, one in enumerate(share) if one < 1.0]
        high = [i for i, one in enumerate(share) if one >= 1.0]
        while high and low:
            small, large = low.pop(), high.pop()
            self.alias[small] = large
            share[large] -= 1.0 - share[small]
            (low if share[large] < 1.0 else high).append(large)
        for one in low + high:  # by rounding errors
            share[one], self.alias[one] = 1.0, one

    def draw(self, stream):
        chance = stream.single()
        place = stream.below(len(self.alias), stream.next32, 32)
        return place if chance < numpy.float32(self.share[place]) else self.alias[place]

    def probability(self, number):
        return float(self.weights[number]) / self.total


def _sample(sampler, stream, count, unique):
    """(the classes drawn, how many draws it took)"""
    if not unique:
        return [sampler.draw(stream) for _ in range(count)], count
    made, tries = {}, 0
    while len(made) < count:
        made.setdefault(sampler.draw(stream))
        tries += 1
    return list(made), tries


def _expected(sampler, number, count, tries):
    chance = sampler.probability(int(number))
    if tries == count:
        return chance * count
    return -math.expm1(tries * math.log1p(-chance)) if chance < 1 else 1.0


def _check(true_classes, num_true, num_sampled, unique, range_max):
    from .errors import InvalidArgumentError
    shape = true_classes._shape
    if len(shape) != 2 or shape[1] is not None and shape[1] != num_true:
        raise InvalidArgumentError(None, None, f"true_classes must be a matrix with num_true = {num_true} columns; got shape {true_classes.shape}")
    if num_sampled < 1 or num_true < 1 or range_max < 1:
        raise ValueError(f"num_true, num_sampled and range_max must be positive; got {num_true}, {num_sampled} and {range_max}")
    if unique and num_sampled > range_max:
        raise InvalidArgumentError(None, None, f"Sampler's range is too small: num_sampled = {num_sampled} different classes of range_max = "
                                               f"{range_max}; give unique=False, or sample less")


def _candidates(kind, make, true_classes, num_true, num_sampled, unique, range_max, seed):
    """What all samplers give: (classes int64 [num_sampled], expected counts of the true classes, and of these)."""
    true_classes = convert_to_tensor(true_classes, dtype_hint=as_dtype("int64"))
    _check(true_classes, num_true, num_sampled, unique, range_max)
    pair = _native.next_seed_pair(seed)
    if pair is None:
        pair = tuple(int(one) for one in numpy.random.SeedSequence().generate_state(2))
    key = (kind, num_true, num_sampled, bool(unique), range_max, pair)
    states = {} if _native.is_tracing() or true_classes._symbolic else _seeds.kernel_states

    def compute(true_classes):
        position, sampler = states.get(key) or (0, make())
        drawn, tries = _sample(sampler, _Stream(pair, position), num_sampled, unique)
        true = true_classes.numpy()
        counts = [numpy.array([_expected(sampler, one, num_sampled, tries) for one in numpy.reshape(numbers, -1)], "float32")
                  for numbers in (true, drawn)]
        sampler.learn(true)
        states[key] = position + _RESERVED * num_sampled, sampler
        return [convert_to_tensor(numpy.array(drawn, "int64")), convert_to_tensor(counts[0].reshape(true.shape)),
                convert_to_tensor(counts[1])]
    return _run(compute, true_classes, num_sampled)


def _run(compute, true_classes, num_sampled):
    if not (_native.is_tracing() or true_classes._symbolic):
        return tuple(compute(true_classes))
    from ._host_calls import py_function
    specs = [TensorSpec([num_sampled], as_dtype("int64")), TensorSpec(list(true_classes._shape), as_dtype("float32")),
             TensorSpec([num_sampled], as_dtype("float32"))]
    return tuple(py_function(compute, [true_classes], specs))


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes that are all as likely. Returns: (sampled_candidates, true_expected_count, sampled_expected_count).

    Shapes: true_classes [batch, num_true]; results [num_sampled], [batch, num_true], [num_sampled].
    Raises: InvalidArgumentError for other shapes, and for more unique classes than there are."""
    return _candidates("uniform", lambda: _Uniform(range_max), true_classes, num_true, num_sampled, unique, range_max, seed)


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes by Zipf's law: their numbers are in falling order of frequency. As `uniform_candidate_sampler` otherwise."""
    return _candidates("log_uniform", lambda: _LogUniform(range_max), true_classes, num_true, num_sampled, unique, range_max, seed)


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes by how often they were true classes in the calls before. As `uniform_candidate_sampler` otherwise."""
    return _candidates("learned", lambda: _LearnedUnigram(range_max), true_classes, num_true, num_sampled, unique, range_max, seed)


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file="", distortion=1.0,
                                    num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    """Classes by the weights of `unigrams`, or of the last column of the lines of `vocab_file`, raised to `distortion`.

    The first `num_reserved_ids` classes have the weight 0; of several shards each has every num_shards-th class. As
    `uniform_candidate_sampler` otherwise. Raises: InvalidArgumentError for no weights, or other numbers of them."""
    from . import errors, gfile
    if bool(vocab_file) == bool(len(unigrams)):
        raise errors.InvalidArgumentError(None, None, "Must provide exactly one of vocab_file and unigrams, not both")
    if vocab_file:
        with gfile.GFile(vocab_file) as file:
            unigrams = [float(line.split(",")[-1]) for line in file.read().split("\n") if line.strip()]
    every = [0.0] * num_reserved_ids + [float(one) ** distortion for one in unigrams]
    weights = numpy.array(every[shard::num_shards], "float32")
    if len(weights) != range_max:
        raise errors.InvalidArgumentError(None, None, f"range_max is {range_max}, and the weights are {len(weights)}")
    return _candidates(("fixed", weights.tobytes()), lambda: _FixedUnigram(range_max, weights), true_classes, num_true, num_sampled,
                       unique, range_max, seed)


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes below `num_sampled`, each with the expected count 1. As `uniform_candidate_sampler` otherwise."""
    from . import ops_array, ops_math
    _native.next_seed_pair(seed)  # as TensorFlow does, though nothing is drawn
    true_classes = convert_to_tensor(true_classes, dtype_hint=as_dtype("int64"))
    _check(true_classes, num_true, num_sampled, unique, num_sampled)
    return (ops_math.range(num_sampled, dtype="int64"), ops_array.ones_like(true_classes, dtype="float32"), ops_array.ones([num_sampled]))


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Where sampled classes are true ones. Returns: (rows int32, places in `sampled_candidates` int64, weights float32), of which
    the weights are the lowest float32, to add to logits. Shapes: true_classes [batch, num_true]."""
    _native.next_seed_pair(seed)  # TensorFlow takes a seed here, so ops behind it get the next one
    true_classes = convert_to_tensor(true_classes, dtype_hint=as_dtype("int64"))
    sampled = convert_to_tensor(sampled_candidates, dtype_hint=as_dtype("int64"))

    def compute(true_classes, sampled):
        places = {number: place for place, number in enumerate(sampled.numpy().tolist())}
        hits = [(row, places[one]) for row, classes in enumerate(true_classes.numpy().tolist()) for one in classes if one in places]
        rows, found = (numpy.array([one[i] for one in hits], kind) for i, kind in ((0, "int32"), (1, "int64")))
        return [convert_to_tensor(rows), convert_to_tensor(found), convert_to_tensor(numpy.full(len(hits), numpy.finfo("float32").min))]
    if not (true_classes._symbolic or sampled._symbolic):
        return tuple(compute(true_classes, sampled))
    from ._host_calls import py_function
    return tuple(py_function(compute, [true_classes, sampled], [TensorSpec([None], as_dtype(kind)) for kind in ("int32", "int64", "float32")]))
