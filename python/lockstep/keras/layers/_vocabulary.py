"""Layers that number words and categories: StringLookup, IntegerLookup, TextVectorization, Hashing, Discretization."""

import collections

from ... import _native, _refused
from ..._dtypes import as_dtype
from ..._tensor import Tensor, convert_to_tensor
from .._layer import Layer


def _leaves(tensor):
    return tensor._strings() if tensor._dtype == 7 else tensor.numpy().reshape(-1).tolist()


def _values(data, batch_size=None, steps=None):
    """Arrays, lists, tensors, or the batches of a dataset, as tensors; of a dataset the first `steps` batches.

    An array is one batch, as in Keras. Raises: ValueError for a `batch_size` of a dataset."""
    if getattr(data, "_is_dataset", False):
        if batch_size is not None:
            raise ValueError(f"`batch_size` must be None for a dataset, which has batches of its own; got {batch_size}")
        for batch in data if steps is None else data.take(steps):
            yield convert_to_tensor(batch[0] if isinstance(batch, tuple) else batch)
    else:
        yield convert_to_tensor(data)


class _InPython(Layer):
    """A layer whose results Python computes, in graphs by an op of the host; it has no gradient."""

    def __init__(self, name=None, dtype=None, **kwargs):
        super().__init__(name=name, **kwargs)
        object.__setattr__(self, "built", True)

    _takes_any = True

    def _cast_input(self, one):
        return one

    def __call__(self, inputs, *args, **kwargs):
        from .._symbols import has_symbols
        if isinstance(inputs, (list, str, bytes, int)) and not has_symbols(inputs):
            inputs = convert_to_tensor(inputs)
        return super().__call__(inputs, *args, **kwargs)

    def _is_native(self):
        """Whether what `_compute` calls are ops, which graphs can hold."""
        return False

    def call(self, inputs):
        inputs = convert_to_tensor(inputs)
        if inputs._symbolic and not self._is_native():
            from ..._host_calls import _on_host
            return _on_host(self._compute, [inputs], self._shape_for(list(inputs._shape)), self._output_dtype)
        return self._compute(inputs)

    def compute_output_shape(self, input_shape):
        """The shape of what the layer gives for an input of a shape."""
        return tuple(self._shape_for(list(input_shape)))


def _encoded(numbers, shape, depth, mode, weights=None):
    """Numbers as rows over all categories: one_hot, multi_hot, count or tf_idf. Shapes: one_hot [shape..., depth], with a
    last axis of 1 replaced; the others over the last axis."""
    import numpy
    numbers = numpy.asarray(numbers, "int64").reshape(tuple(shape))
    if mode == "one_hot":
        numbers = numbers.reshape(numbers.shape[:-1]) if numbers.ndim and numbers.shape[-1] == 1 else numbers
        rows = numbers.reshape(-1, 1)
        front = numbers.shape
    else:
        rows = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim else numbers.reshape(1, 1)
        front = numbers.shape[:-1]
    places = numpy.repeat(numpy.arange(len(rows)), rows.shape[1])
    made = _counted(places, rows.reshape(-1), len(rows), depth, mode, weights)
    return convert_to_tensor(made.reshape(tuple(front) + (depth,)))


def _counted(places, numbers, rows, depth, mode, weights):
    """How often each number is in each row, or that it is. Shapes: places, numbers [n] to [rows, depth]."""
    import numpy
    made = numpy.zeros((rows, depth), "float32" if mode == "tf_idf" else "int64")
    known = (numbers >= 0) & (numbers < depth)
    if mode in ("count", "tf_idf"):
        numpy.add.at(made, (places[known], numbers[known]), 1)
    else:
        made[places[known], numbers[known]] = 1
    return made * numpy.asarray(weights, "float32") if mode == "tf_idf" else made


def _encoded_shape(shape, depth, mode):
    if mode == "one_hot":
        return (shape[:-1] if shape and shape[-1] == 1 else shape) + [depth]
    return shape[:-1] + [depth]


class _Lookup(_InPython):
    """What StringLookup and IntegerLookup share."""

    _key_dtype = "string"

    _untracked = ("_counts", "_in_documents")

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=None, vocabulary=None,
                 vocabulary_dtype=None, idf_weights=None, invert=False, output_mode="int", pad_to_max_tokens=False,
                 sparse=False, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        if output_mode not in ("int", "one_hot", "multi_hot", "count", "tf_idf"):
            raise ValueError("Unknown argument value for `output_mode`. Expected one of ('int', 'one_hot', 'multi_hot', "
                             f"'count', 'tf_idf'). Received: output_mode={output_mode}")
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError("If set, `max_tokens` must be greater than 1. Received: max_tokens="
                             f"{max_tokens}")
        if num_oov_indices < 0:
            raise ValueError("`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices="
                             f"{num_oov_indices}")
        if sparse:
            raise NotImplementedError("sparse results are not built; take dense ones (sparse=False)")
        self.max_tokens, self.num_oov_indices, self.invert = max_tokens, num_oov_indices, invert
        self.mask_token, self.oov_token, self.output_mode = mask_token, oov_token, output_mode
        self.pad_to_max_tokens = pad_to_max_tokens
        self._words, self._table, self._idf = [], None, None
        self._counts, self._documents = collections.Counter(), 0
        self._in_documents = collections.Counter()
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    @property
    def _output_dtype(self):
        if self.invert:
            return as_dtype(self._key_dtype)
        return as_dtype("float32" if self.output_mode == "tf_idf" else "int64")

    def _specials(self):
        """The tokens in front of the vocabulary."""
        masks = [] if self.mask_token is None else [self.mask_token]
        return masks + [self.oov_token] * self.num_oov_indices

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """The words, in order; of a path the lines of the file. Raises: ValueError for words that occur twice."""
        if isinstance(vocabulary, str):
            from ... import gfile
            from .. import _resolution
            from ..._damage import no_damage
            if _resolution.in_safe_mode():
                raise no_damage(ValueError("Requested the loading of a vocabulary file outside of the model archive. This carries a "
                                      "potential risk of loading arbitrary and sensitive files and thus it is disallowed by "
                                      "default. If you trust the source of the artifact, you can override this error by passing "
                                      "`safe_mode=False` to the loading function, or calling "
                                      f"`keras.config.enable_unsafe_deserialization()`. Vocabulary file: '{vocabulary}'"))
            vocabulary = gfile.GFile(vocabulary).read().split("\n")
            vocabulary = vocabulary[:-1] if vocabulary and not vocabulary[-1] else vocabulary
        if isinstance(vocabulary, Tensor):
            vocabulary = _leaves(vocabulary)
        words = [one.decode() if isinstance(one, bytes) else one for one in list(vocabulary)]
        specials = self._specials()
        if specials and words[:len(specials)] == specials:
            words = words[len(specials):]
        words = [self._word(one) for one in words]
        repeated = sorted(one for one, count in collections.Counter(words).items() if count > 1)
        if repeated:
            raise ValueError("The passed vocabulary has at least one repeated term. Please uniquify your dataset. The "
                             f"repeated terms are: {repeated}")
        if self.max_tokens is not None and len(words) + len(specials) > self.max_tokens:
            raise ValueError("Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is "
                             f"{len(words) + len(specials)}; `max_tokens` is {self.max_tokens}.")
        self._words, self._table = words, None
        if self.output_mode == "tf_idf":
            weights = [0.0] * len(words) if idf_weights is None else [float(one) for one in idf_weights]
            front = sum(weights) / len(weights) if weights else 1.0
            self._idf = [0.0 if self.mask_token is not None and i == 0 else front for i in range(len(specials))] + weights

    def adapt(self, data, batch_size=None, steps=None):
        """Learns the words of data: the most frequent first, of those as frequent the later in the alphabet."""
        self._counts, self._documents, self._in_documents = collections.Counter(), 0, collections.Counter()
        for batch in _values(data, batch_size, steps):
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data):
        """Counts the words of a batch."""
        tensor = convert_to_tensor(data)
        words = [self._word(one) for one in _leaves(tensor)]
        self._counts.update(words)
        width = tensor._shape[-1] if tensor._rank > 1 else 1
        rows = [set(words[i:i + width]) for i in range(0, len(words), max(width, 1))]
        self._documents += len(rows)
        for row in rows:
            self._in_documents.update(row)

    def finalize_state(self):
        """Makes the vocabulary of what was counted."""
        import math
        specials = self._specials()
        ranked = sorted(((count, one) for one, count in self._counts.items() if one not in specials), reverse=True)
        if self.max_tokens is not None:
            ranked = ranked[:self.max_tokens - len(specials)]
        words = [one for _, one in ranked]
        weights = [math.log(1 + self._documents / (1 + self._in_documents[one])) for one in words]
        self.set_vocabulary(words, weights if self.output_mode == "tf_idf" else None)

    def reset_state(self):
        """Forgets what was counted and learned."""
        self._counts, self._words, self._table = collections.Counter(), [], None

    def get_vocabulary(self, include_special_tokens=True):
        """The words in the order of their numbers, with those of the mask and of unknown words in front."""
        import numpy
        words = [(numpy.str_ if self._key_dtype == "string" else numpy.int64)(one) for one in self._words]
        return (self._specials() if include_special_tokens else []) + words

    def vocabulary_size(self):
        """How many numbers there are, those of the mask and of unknown words included."""
        return len(self._words) + len(self._specials())

    vocab_size = vocabulary_size

    def _depth(self):
        return self.max_tokens if self.pad_to_max_tokens and self.max_tokens else self.vocabulary_size()

    def _shape_for(self, shape):
        return shape if self.output_mode == "int" or self.invert else _encoded_shape(shape, self._depth(), self.output_mode)

    def _is_native(self):
        return self.invert or self.output_mode == "int" and self.num_oov_indices > 0

    def _tensor(self, words):
        if self._key_dtype == "string":
            return _native.from_strings([one.encode() for one in words], [len(words)])
        return convert_to_tensor(words, dtype="int64")

    def _native_table(self):
        """From words to numbers, or back. Raises: ValueError before there are words."""
        if not self._words:
            raise ValueError(f"layer {self.name!r} has no vocabulary; give `vocabulary`, or call `adapt` with data")
        if self._table is None:
            words = self._specials() + self._words
            numbers = convert_to_tensor(list(range(len(words))), dtype="int64")
            if self.invert:
                self._table = _native.LookupTable(numbers, self._tensor(words), convert_to_tensor(self.oov_token, dtype=self._key_dtype))
                return self._table
            masks = 0 if self.mask_token is None else 1
            first = len(words) - len(self._words)
            keys, values = list(self._words), list(range(first, len(words)))
            if masks and self.mask_token not in keys:
                keys, values = [self.mask_token] + keys, [0] + values
            keys, values = self._tensor(keys), convert_to_tensor(values, dtype="int64")
            self._table = _native.LookupTable(keys, values, self.num_oov_indices, masks, False) if self.num_oov_indices > 1 \
                else _native.LookupTable(keys, values, convert_to_tensor(masks if self.num_oov_indices else -1, dtype="int64"))
        return self._table

    def _find(self, keys):
        """The numbers of words, as a tensor. Raises: InvalidArgumentError for an unknown one where there is no number for it."""
        wanted = "int64" if self.invert else self._key_dtype
        if keys.dtype.name != wanted:
            keys = _native.as_string(keys) if wanted == "string" else _native.cast(keys, as_dtype(wanted))
        found = self._native_table().find(keys)
        if not self.invert and not self.num_oov_indices:
            unknown = [self._word(one) for one, number in zip(_leaves(keys), _leaves(found)) if number < 0]
            if unknown:
                from ...errors import InvalidArgumentError
                raise InvalidArgumentError(None, None, "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV "
                                           f"values {unknown[:1]}, consider setting `num_oov_indices=1`.")
        return found

    def _compute(self, inputs):
        found = self._find(inputs)
        if self.invert or self.output_mode == "int":
            return found
        return _encoded(found.numpy(), inputs._shape, self._depth(), self.output_mode, self._idf)

    def get_config(self):
        """What `from_config` makes the layer of again, its vocabulary included."""
        return dict(name=self.name, max_tokens=self.max_tokens, num_oov_indices=self.num_oov_indices,
                    mask_token=self.mask_token, oov_token=self.oov_token, vocabulary=list(self._words) or None,
                    idf_weights=None if self._idf is None else self._idf[len(self._specials()):], invert=self.invert,
                    output_mode=self.output_mode, pad_to_max_tokens=self.pad_to_max_tokens)


class StringLookup(_Lookup):
    """The numbers of words. Shapes: int [...], as the inputs; one_hot [..., words]; the others over the last axis."""

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None,
                 idf_weights=None, invert=False, output_mode="int", pad_to_max_tokens=False, sparse=False, encoding="utf-8",
                 name=None, **kwargs):
        _refused.only("StringLookup", encoding=(encoding, "utf-8"))
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, None, idf_weights, invert,
                         output_mode, pad_to_max_tokens, sparse, name, **kwargs)

    @staticmethod
    def _word(one):
        return one.decode() if isinstance(one, bytes) else str(one)


class IntegerLookup(_Lookup):
    """The numbers of integers. Shapes: as StringLookup."""

    _key_dtype = "int64"

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None,
                 vocabulary_dtype="int64", idf_weights=None, invert=False, output_mode="int", sparse=False,
                 pad_to_max_tokens=False, name=None, **kwargs):
        _refused.only("IntegerLookup", vocabulary_dtype=(vocabulary_dtype, "int64", None, "int32"))
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, None, idf_weights, invert,
                         output_mode, pad_to_max_tokens, sparse, name, **kwargs)

    @staticmethod
    def _word(one):
        return int(one)

class TextVectorization(_InPython):
    """Texts as the numbers of their words. Shapes: [n] or [n, 1] to [n, words], filled with 0; in other modes of output
    [n, vocabulary]."""

    def __init__(self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None,
                 output_mode="int", output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, idf_weights=None,
                 sparse=False, ragged=False, encoding="utf-8", name=None, **kwargs):
        _refused.only("TextVectorization", encoding=(encoding, "utf-8"))
        super().__init__(name=name, **kwargs)
        if ragged:
            raise NotImplementedError("ragged results are not built; take padded ones (ragged=False)")
        if output_mode != "int" and output_sequence_length is not None:
            raise ValueError("`output_sequence_length` must not be set if `output_mode` is not 'int'. Received: "
                             f"output_sequence_length={output_sequence_length}.")
        self.standardize, self.split, self.ngrams = standardize, split, ngrams
        self.output_sequence_length, self.output_mode = output_sequence_length, output_mode
        self._lookup = StringLookup(max_tokens, mask_token="" if output_mode == "int" else None, vocabulary=vocabulary,
                                    idf_weights=idf_weights, output_mode=output_mode, pad_to_max_tokens=pad_to_max_tokens,
                                    sparse=sparse)

    @property
    def _output_dtype(self):
        return self._lookup._output_dtype

    def _standardized(self, texts):
        if callable(self.standardize):
            return convert_to_tensor(self.standardize(texts))
        if self.standardize in ("lower", "lower_and_strip_punctuation"):
            texts = _native.string_lower(texts)
        if self.standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
            texts = _native.strip_punctuation(texts)
        return texts

    def _parts(self, texts):
        """(the words of texts, the number of words of each)."""
        texts = self._standardized(texts)
        if self.split == "whitespace":
            values, lengths = _native.string_split(texts, "", -1)
            if self.ngrams is None:
                return values, lengths.numpy()
            rows = values._strings()
            ends = lengths.numpy().cumsum().tolist()
            rows = [rows[end - size:end] for end, size in zip(ends, lengths.numpy().tolist())]
        elif callable(self.split):
            rows = [self.split(_native.from_strings([one], []))._strings() for one in texts._strings()]
        else:
            rows = [[char.encode() for char in one.decode()] if self.split == "character" else [one] for one in texts._strings()]
        if self.ngrams is not None:
            widths = range(1, self.ngrams + 1) if isinstance(self.ngrams, int) else self.ngrams
            rows = [[b" ".join(row[i:i + width]) for width in widths for i in range(len(row) - width + 1)] for row in rows]
        words = [one for row in rows for one in row]
        import numpy
        return _native.from_strings(words, [len(words)]), numpy.array([len(row) for row in rows], "int64")

    def adapt(self, data, batch_size=None, steps=None):
        """Learns the words of texts."""
        lookup = self._lookup
        lookup._counts, lookup._documents = collections.Counter(), 0
        lookup._in_documents = collections.Counter()
        for batch in _values(data, batch_size, steps):
            words, lengths = self._parts(batch)
            words, place = [one.decode() for one in words._strings()], 0
            lookup._counts.update(words)
            for size in lengths.tolist():
                lookup._in_documents.update(set(words[place:place + size]))
                lookup._documents += 1
                place += size
        lookup.finalize_state()

    def set_vocabulary(self, vocabulary, idf_weights=None):
        self._lookup.set_vocabulary(vocabulary, idf_weights)

    def get_vocabulary(self, include_special_tokens=True):
        """The words in the order of their numbers."""
        return self._lookup.get_vocabulary(include_special_tokens)

    def vocabulary_size(self):
        return self._lookup.vocabulary_size()

    def _shape_for(self, shape):
        front = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
        return front + [self.output_sequence_length if self.output_mode == "int" else self._lookup._depth()]

    def _compute(self, inputs):
        import numpy
        front = list(inputs._shape)
        front = front[:-1] if len(front) > 1 and front[-1] == 1 else front
        words, lengths = self._parts(inputs)
        numbers = self._lookup._find(words).numpy()
        places = numpy.repeat(numpy.arange(len(lengths)), lengths)
        if self.output_mode != "int":
            depth = self._lookup._depth()
            made = _counted(places, numbers, len(lengths), depth, self.output_mode, self._lookup._idf)
            return convert_to_tensor(made.reshape(tuple(front) + (depth,)))
        width = self.output_sequence_length
        width = int(lengths.max(initial=0)) if width is None else width
        made = numpy.zeros((len(lengths), width), "int64")
        columns = numpy.arange(len(numbers)) - numpy.repeat(lengths.cumsum() - lengths, lengths)
        kept = columns < width
        made[places[kept], columns[kept]] = numbers[kept]
        return convert_to_tensor(made.reshape(tuple(front) + (width,)))

    def get_config(self):
        """What `from_config` makes the layer of again, its vocabulary included."""
        own = self._lookup.get_config()
        return {"name": self.name, "standardize": self.standardize, "split": self.split, "ngrams": self.ngrams,
                "output_sequence_length": self.output_sequence_length, "output_mode": self.output_mode,
                **{key: own[key] for key in ("max_tokens", "pad_to_max_tokens", "vocabulary", "idf_weights")}}


class Hashing(_InPython):
    """Texts or integers as numbers below `num_bins` by their hash, TensorFlow's: FarmHash's, with `salt` SipHash's."""

    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, name=None, **kwargs):
        _refused.only("Hashing", sparse=(sparse, False))
        super().__init__(name=name, **kwargs)
        if not num_bins or num_bins <= 0:
            raise ValueError(f"The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins={num_bins}.")
        self.num_bins, self.mask_value, self.salt, self.output_mode = int(num_bins), mask_value, salt, output_mode
        self._key = None if salt is None else (list(salt) if isinstance(salt, (list, tuple)) else [int(salt)] * 2)

    _output_dtype = as_dtype("int64")

    def _shape_for(self, shape):
        return shape if self.output_mode == "int" else _encoded_shape(shape, self.num_bins, self.output_mode)

    def _is_native(self):
        return self.output_mode == "int"

    def _compute(self, inputs):
        texts = inputs if inputs.dtype.name == "string" else _native.as_string(inputs)
        bins = self.num_bins - (self.mask_value is not None)
        key = [0, 0] if self._key is None else [int(one) & ((1 << 64) - 1) for one in self._key]
        numbers = _native.hash_bucket(texts, bins, 0 if self._key is None else 1, *key)
        if self.mask_value is not None:
            from ...ops_array import where
            from ...ops_math import equal
            masked = self.mask_value if isinstance(self.mask_value, str) else str(self.mask_value)
            zero = convert_to_tensor(0, dtype="int64")
            numbers = where(equal(texts, convert_to_tensor(masked)), zero, numbers + 1)
        if self.output_mode == "int":
            return numbers
        return _encoded(numbers.numpy(), inputs._shape, self.num_bins, self.output_mode)

    def get_config(self):
        return {"name": self.name, "num_bins": self.num_bins, "mask_value": self.mask_value, "salt": self.salt,
                "output_mode": self.output_mode}


class Discretization(_InPython):
    """The number of the bin in which a number lies; bins begin at `bin_boundaries`, given or learned by `adapt` from
    the quantiles of data."""

    def __init__(self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False, dtype=None,
                 name=None, **kwargs):
        _refused.only("Discretization", sparse=(sparse, False))
        super().__init__(name=name, **kwargs)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError("Both `num_bins` and `bin_boundaries` should not be set. Received: "
                             f"num_bins={num_bins} and bin_boundaries={bin_boundaries}" if num_bins is not None else
                             "You need to set either `num_bins` or `bin_boundaries`.")
        self.num_bins, self.epsilon, self.output_mode = num_bins, epsilon, output_mode
        self.bin_boundaries = None if bin_boundaries is None else sorted(float(one) for one in bin_boundaries)
        self._given = bin_boundaries

    _output_dtype = as_dtype("int64")

    def adapt(self, data, batch_size=None, steps=None):
        """Learns the boundaries of `num_bins` bins that hold as many numbers each."""
        import numpy
        if self._given is not None:
            raise ValueError("Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use "
                             "`num_bins` instead.")
        values = numpy.sort(numpy.concatenate([one.numpy().reshape(-1) for one in _values(data, batch_size, steps)]))
        spacing = len(values) * self.epsilon
        kept = values[int(spacing)::int(max(spacing, 1))]
        shares = numpy.arange(1, len(kept) + 1) / len(kept)
        wanted = 1.0 / self.num_bins + numpy.arange(0.0, 1.0, 1.0 / self.num_bins)
        bounds = numpy.interp(wanted, shares, kept) if len(kept) >= self.num_bins else kept
        self.bin_boundaries = bounds.astype("float32")[:-1].tolist()

    def _shape_for(self, shape):
        return shape if self.output_mode == "int" else _encoded_shape(shape, len(self.bin_boundaries) + 1, self.output_mode)

    def _compute(self, inputs):
        import numpy
        if self.bin_boundaries is None:
            raise ValueError(f"layer {self.name!r} has no boundaries; give `bin_boundaries`, or call `adapt` with data")
        numbers = numpy.searchsorted(numpy.asarray(self.bin_boundaries, "float32"), inputs.numpy().astype("float32"), "right")
        if self.output_mode == "int":
            return convert_to_tensor(numbers.astype("int64"))
        return _encoded(numbers, inputs._shape, len(self.bin_boundaries) + 1, self.output_mode)

    def get_config(self):
        """What `from_config` makes the layer of again, learned boundaries included."""
        return {"name": self.name, "bin_boundaries": self.bin_boundaries,
                "num_bins": None if self.bin_boundaries is not None else self.num_bins, "epsilon": self.epsilon,
                "output_mode": self.output_mode}
