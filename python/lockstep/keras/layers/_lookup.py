"""StringLookup and IntegerLookup: the numbers of words or integers in a vocabulary.

Numbers begin with the special tokens: the mask token in output mode "int", where there is one, then `num_oov_indices`
numbers of words out of the vocabulary, then the words. A vocabulary that the program gave is part of the config; one that
`adapt` or `set_vocabulary` has set is written to files of models as the asset `vocabulary.txt`, as in Keras."""

import collections
import math
import os

import numpy

from ... import _native, _refused, errors, ops_array, ops_math
from ..._dtypes import as_dtype
from ..._tensor import Tensor, convert_to_tensor
from .. import _resolution
from ._category_rows import check_choice, check_sparse, encode_categories, PreprocessingLayer
from ._hashing import hash_bins, salt_key

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")
_MASKED = (1 << 63) - 1  # in modes other than "int" a mask token counts for no category


def standard_mode(output_mode):
    """An output mode by its present name."""
    return {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(output_mode, output_mode)


def batches_of(data, steps, dtype):
    """The batches that `adapt` reads: of a dataset or an iterable the first `steps`; an array or a list is one batch, in
    which each number or text is an example."""
    from ..._composites import is_tensor
    if hasattr(data, "__iter__") and not isinstance(data, (list, tuple, numpy.ndarray)) and not is_tensor(data):
        for place, batch in enumerate(data):
            if steps is not None and place >= steps:
                return
            yield batch[0] if isinstance(batch, tuple) and getattr(data, "_is_dataset", False) else batch
        return
    data = data if is_tensor(data) else convert_to_tensor(data, dtype=dtype)
    yield ops_array.expand_dims(data, -1) if isinstance(data, Tensor) and data._rank == 1 else data


def _leaves(tensor):
    return tensor._strings() if tensor.dtype.name == "string" else tensor.numpy().reshape(-1).tolist()


def _rows_of(data):
    """The words of each example."""
    from ...ragged import RaggedTensor
    if isinstance(data, RaggedTensor):
        ends = data.row_splits.numpy().tolist()
        flat = _leaves(data.flat_values)
        return [flat[begin:end] for begin, end in zip(ends, ends[1:])] if data.ragged_rank == 1 else [flat]
    flat = _leaves(data)
    width = int(numpy.prod(data._shape[1:])) if data._rank > 1 else len(flat)  # a row without batch is one example
    return [flat[begin:begin + width] for begin in range(0, len(flat), max(width, 1))]


class _Lookup(PreprocessingLayer):
    """The part that StringLookup and IntegerLookup share."""

    _key_dtype = "string"
    _untracked = ("input_vocabulary", "input_idf_weights", "salt", "_words", "_idf", "_counts", "_in_documents")
    _keeps_own_state = True

    def __init__(self, max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, idf_weights, invert, output_mode,
                 pad_to_max_tokens, sparse, oov_method, salt, name, vocabulary_size=None, has_input_vocabulary=None, **kwargs):
        output_mode = standard_mode(output_mode)
        self._check(max_tokens, num_oov_indices, pad_to_max_tokens, oov_method, salt, output_mode)
        check_sparse(sparse, output_mode)
        if invert and output_mode != "int":
            raise ValueError(f"`output_mode` must be `'int'` when `invert` is true. Received: output_mode={output_mode}")
        if idf_weights is not None and output_mode != "tf_idf":
            raise ValueError("`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: idf_weights="
                             f"{idf_weights} and output_mode={output_mode}")
        super().__init__(name=name, **{key: one for key, one in kwargs.items() if key not in ("dtype", "trainable")})
        self.max_tokens, self.num_oov_indices, self.invert = max_tokens, num_oov_indices, invert
        self.mask_token, self.oov_token, self.output_mode = mask_token, oov_token, output_mode
        self.pad_to_max_tokens, self.sparse = pad_to_max_tokens, sparse
        self.oov_method, self.salt = oov_method, salt_key(salt, "IndexLookup")
        self.input_vocabulary = None if isinstance(vocabulary, str) else vocabulary
        self.input_idf_weights = idf_weights
        self._has_input_vocabulary = vocabulary is not None if has_input_vocabulary is None else has_input_vocabulary
        self._words, self._table, self._idf = [], None, None
        self._known_size = vocabulary_size
        self.reset_counts()
        if output_mode == "tf_idf" and vocabulary is not None and idf_weights is None:
            raise ValueError("When specifying the `vocabulary` argument, in TF-IDF output mode, the `idf_weights` argument must "
                             "also be provided.")
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _check(self, max_tokens, num_oov_indices, pad_to_max_tokens, oov_method, salt, output_mode):
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(f"If set, `max_tokens` must be greater than 1. Received: max_tokens={max_tokens}")
        if pad_to_max_tokens and max_tokens is None:
            raise ValueError(f"If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens={max_tokens}")
        if num_oov_indices < 0:
            raise ValueError(f"`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices={num_oov_indices}")
        check_choice(self, "oov_method", oov_method, ("floormod", "farmhash"))
        if salt is not None and self._key_dtype != "string" and oov_method != "farmhash":
            raise ValueError(f"`salt` can only be used when `oov_method='farmhash'`. Received: oov_method={oov_method}")
        check_choice(self, "output_mode", output_mode, MODES)

    def _specials(self):
        """The tokens in front of the vocabulary."""
        has_mask = self.mask_token is not None and self.output_mode == "int"
        return [self.mask_token] * has_mask + [self.oov_token] * self.num_oov_indices

    # ---- the vocabulary

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """Sets the words, in order; of a path the lines of the file.

        Raises: ValueError for no words, words that occur twice or are special, more than `max_tokens`, and weights that do
        not fit the words or the output mode."""
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.")
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise ValueError(f"`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: output_mode="
                             f"{self.output_mode} and idf_weights={idf_weights}")
        if isinstance(vocabulary, str):
            vocabulary = self._lines_of(vocabulary)
        words = _leaves(vocabulary) if isinstance(vocabulary, Tensor) else list(numpy.asarray(vocabulary).tolist()
                                                                                if hasattr(vocabulary, "tolist") else vocabulary)
        if not words:
            raise ValueError(f"Cannot set an empty vocabulary. Received: vocabulary={vocabulary}")
        words = [self._word(one) for one in words]
        specials = self._specials()
        has_specials = bool(specials) and words[:len(specials)] == specials
        self._set_words(words[len(specials):] if has_specials else words, specials)
        if self.output_mode == "tf_idf":
            self._set_weights(words, idf_weights, 0 if has_specials else len(specials))

    def _lines_of(self, path):
        from ... import gfile
        from ..._damage import no_damage
        if _resolution.in_safe_mode():
            raise no_damage(ValueError("Requested the loading of a vocabulary file outside of the model archive. This carries a "
                                       "potential risk of loading arbitrary and sensitive files and thus it is disallowed by "
                                       "default. If you trust the source of the artifact, you can override this error by passing "
                                       "`safe_mode=False` to the loading function, or calling "
                                       f"`keras.config.enable_unsafe_deserialization()`. Vocabulary file: '{path}'"))
        if not gfile.exists(path):
            raise ValueError(f"Vocabulary file {path} does not exist.")
        if self.output_mode == "tf_idf":
            raise ValueError("output_mode `'tf_idf'` does not support loading a vocabulary from file.")
        lines = gfile.GFile(path).read().split("\n")
        return lines[:-1] if lines and not lines[-1] else lines

    def _set_words(self, words, specials):
        repeated = sorted(one for one, count in collections.Counter(words).items() if count > 1)
        if repeated:
            raise ValueError("The passed vocabulary has at least one repeated term. Please uniquify your dataset. The "
                             f"repeated terms are: {repeated}")
        for kind, name, token in (("mask", "mask_token", self.mask_token), ("OOV", "oov_token", self.oov_token if self.invert else None)):
            if token is not None and token in words:
                raise ValueError(f"Found reserved {kind} token at unexpected location in `vocabulary`. Note that passed "
                                 "`vocabulary` does not need to include the OOV and mask tokens. Either remove all mask and OOV "
                                 "tokens, or include them only at the start of the vocabulary in precisely this order: "
                                 f"{specials}. Received: {name}={token} at vocabulary index {[words.index(token)]}")
        size = len(words) + len(specials)
        if self.max_tokens is not None and size > self.max_tokens:
            raise ValueError(f"Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is {size}; "
                             f"`max_tokens` is {self.max_tokens}.")
        fixed = self.output_mode != "int" and not self.pad_to_max_tokens and self._known_size is not None
        if fixed and self._known_size != size:
            raise RuntimeError(f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, the vocabulary size "
                               f"cannot be changed after the layer is called. Old vocab size is {self._known_size}, new vocab "
                               f"size is {size}")
        self._words, self._table, self._known_size = words, None, size

    def _set_weights(self, words, idf_weights, front):
        """Sets the weights of all numbers; those of special tokens are the mean, those of padding 0."""
        weights = numpy.asarray(idf_weights, "float32")
        if len(words) != len(weights):
            raise ValueError(f"`idf_weights` must be the same length as vocabulary. len(idf_weights) is {len(weights)}; "
                             f"len(vocabulary) is {len(words)}")
        if weights.ndim != 1:
            raise ValueError(f"TF-IDF data must be a 1-index array. Received: type(idf_weights)={type(idf_weights)}")
        back = self.max_tokens - front - len(weights) if self.pad_to_max_tokens else 0
        self._idf = numpy.concatenate([numpy.full(front, weights.mean()), weights, numpy.zeros(back)]).astype("float32")

    def get_vocabulary(self, include_special_tokens=True):
        """The words in the order of their numbers, with the special tokens in front."""
        words = [(numpy.str_ if self._key_dtype == "string" else numpy.int64)(one) for one in self._words]
        return (self._specials() if include_special_tokens else []) + words

    def vocabulary_size(self):
        """How many numbers there are, those of special tokens included."""
        return len(self._words) + len(self._specials())

    # ---- learning

    def adapt(self, data, steps=None):
        """Learns the words of data: the most frequent first, of those as frequent the later in the alphabet.

        data: an array, a list, a tensor, or batches (a dataset or an iterable), of which the first `steps` are read.
        Raises: ValueError for a layer with a given vocabulary."""
        self.reset_state()
        for batch in batches_of(data, steps, self._key_dtype):
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data):
        """Counts the words of a batch. Raises: ValueError for a layer with a given vocabulary."""
        if self._has_input_vocabulary:
            raise ValueError(f"Cannot adapt layer '{self.name}' after setting a static vocabulary via `vocabulary` argument or "
                             "`set_vocabulary()` method.")
        from ..._composites import is_tensor
        for row in _rows_of(data if is_tensor(data) else convert_to_tensor(data, dtype=self._key_dtype)):
            words = [self._word(one) for one in row]
            self._counts.update(words)
            self._in_documents.update(set(words))
            self._documents += 1

    def finalize_state(self):
        """Makes the vocabulary of the words counted."""
        if self._has_input_vocabulary or not self._counts:
            return
        for special in (self.mask_token, self.oov_token):
            self._counts.pop(special, None)
        ranked = sorted(((count, one) for one, count in self._counts.items()), reverse=True)
        specials = self._specials()
        words = [one for _, one in (ranked[:self.max_tokens - len(specials)] if self.max_tokens else ranked)]
        self._set_words(words, specials)
        if self.output_mode == "tf_idf":
            weights = [math.log(1 + self._documents / (1 + self._in_documents[one])) for one in words]
            self._set_weights(words, weights, len(specials))
        self.reset_counts()

    def reset_state(self):
        """Forgets the words counted."""
        if not self._has_input_vocabulary:
            self.reset_counts()

    def reset_counts(self):
        """Begins to count anew."""
        self._counts, self._documents, self._in_documents = collections.Counter(), 0, collections.Counter()

    # ---- calls

    def _tensor(self, words):
        if self._key_dtype == "string":
            return _native.from_strings([one.encode() for one in words], [len(words)])
        return convert_to_tensor(words, dtype="int64")

    def _native_table(self):
        """The table from words to numbers, or back. Raises: FailedPreconditionError before there are words."""
        if not self._words:
            raise errors.FailedPreconditionError(None, None, f"Table not initialized: layer {self.name!r} has no vocabulary; give "
                                                 "`vocabulary`, or call `adapt` with data")
        if self._table is None:
            first = len(self._specials())
            numbers = convert_to_tensor(list(range(first, first + len(self._words))), dtype="int64")
            words = self._tensor(self._words)
            if self.invert:
                self._table = _native.LookupTable(numbers, words, convert_to_tensor(self.oov_token, dtype=self._key_dtype))
            else:
                unknown = first - 1 if self.num_oov_indices == 1 else -1
                self._table = _native.LookupTable(words, numbers, convert_to_tensor(unknown, dtype="int64"))
        return self._table

    def _find(self, keys):
        """The numbers of words, or with `invert` the words of numbers, in the shape of `keys`.

        Raises: InvalidArgumentError for an unknown word where there is no number for it."""
        wanted = "int64" if self.invert else self._key_dtype
        if keys.dtype.name != wanted:
            keys = _native.as_string(keys) if wanted == "string" else _native.cast(keys, as_dtype(wanted))
        if not self._words and _in_symbols():
            zeros = ops_math.cast(ops_math.not_equal(keys, keys), "int64")
            return _native.as_string(zeros) if self.invert and self._key_dtype == "string" else zeros
        found = self._native_table().find(keys)
        if self.mask_token is not None:
            key, value = (0, self.mask_token) if self.invert else (
                self.mask_token, 0 if self.output_mode == "int" else _MASKED)
            at_mask = ops_math.equal(keys, convert_to_tensor(key, dtype=keys.dtype))
            found = ops_array.where(at_mask, convert_to_tensor(value, dtype=found.dtype), found)
        return found if self.invert else self._with_unknown(keys, found)

    def _with_unknown(self, keys, found):
        """`found` with the numbers of words out of the vocabulary."""
        if self.num_oov_indices == 1:
            return found
        unknown = ops_math.equal(found, convert_to_tensor(-1, dtype="int64"))
        if not self.num_oov_indices:
            return _checked(keys, found, unknown)
        if self._key_dtype != "string" and self.oov_method != "farmhash":
            bins = ops_math.floormod(keys, convert_to_tensor(self.num_oov_indices, dtype="int64"))
        else:
            bins = hash_bins(keys, self.num_oov_indices, self.salt)
        first = len(self._specials()) - self.num_oov_indices
        return ops_array.where(unknown, bins + convert_to_tensor(first, dtype="int64"), found)

    def _depth(self):
        if self.pad_to_max_tokens:
            return self.max_tokens
        if not self._words and self._known_size is None:
            raise RuntimeError(f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you must set the layer's "
                               "vocabulary before calling it. Either pass a `vocabulary` argument to the layer, or call `adapt` "
                               "with some sample data.")
        return self.vocabulary_size() if self._words else self._known_size

    def call(self, inputs):
        """The numbers of dense, ragged or sparse inputs, in the form of the output mode."""
        from ...ragged import RaggedTensor
        from ...sparse import SparseTensor
        if isinstance(inputs, SparseTensor):
            found = SparseTensor(inputs.indices, self._find(inputs.values), inputs.dense_shape)
        elif isinstance(inputs, RaggedTensor):
            found = inputs.with_flat_values(self._find(inputs.flat_values))
        else:
            found = self._find(convert_to_tensor(inputs))
        if self.output_mode == "int":
            return found
        if self.output_mode != "tf_idf":
            return encode_categories(found, self.output_mode, self._depth(), "int64", self.sparse)
        from ... import sparse
        weights = numpy.zeros(self._depth(), "float32") if self._idf is None and _in_symbols() else self._idf
        rows = encode_categories(found, "count", self._depth(), "float32") * convert_to_tensor(weights)
        return sparse.from_dense(rows) if self.sparse else rows

    # ---- config and files

    def get_config(self):
        """What `from_config` makes the layer of again, a given vocabulary included."""
        return {**self._base_config(), "invert": self.invert, "max_tokens": self.max_tokens, "num_oov_indices": self.num_oov_indices,
                "oov_token": self.oov_token, "mask_token": self.mask_token, "output_mode": self.output_mode, "sparse": self.sparse,
                "pad_to_max_tokens": self.pad_to_max_tokens, **self._dtype_config(), "idf_weights": _listed(self.input_idf_weights),
                "vocabulary": _listed(self.input_vocabulary), "vocabulary_size": self._known_size,
                "oov_method": self.oov_method, "salt": self.salt}

    def _dtype_config(self):
        return {}

    def save_own_variables(self, store):
        """Keeps the weights of mode "tf_idf"."""
        if self.output_mode == "tf_idf" and self._idf is not None:
            store["idf_weights"] = self._idf

    def load_own_variables(self, store):
        """Takes the weights that `save_own_variables` has kept."""
        if self.output_mode == "tf_idf" and "idf_weights" in store:
            self._idf = numpy.asarray(store["idf_weights"], "float32")

    def save_assets(self, dir_path):
        """Writes a learned vocabulary to `vocabulary.txt`; one of the config stays there."""
        if self.input_vocabulary is None:
            with open(os.path.join(dir_path, "vocabulary.txt"), "w", encoding="utf-8", newline="") as file:
                file.write("\n".join(str(one) for one in self.get_vocabulary()))

    def load_assets(self, dir_path):
        """Reads what `save_assets` has written."""
        path = os.path.join(dir_path, "vocabulary.txt")
        if self.input_vocabulary is not None or not os.path.exists(path):
            return
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        while lines and not lines[-1]:
            lines.pop()
        if len(lines) > len(self._specials()):
            self.set_vocabulary(lines, self._idf)


def _in_symbols():
    from .._symbols import InSymbols
    return getattr(InSymbols._local, "inside", False)


def _listed(value):
    if value is None or isinstance(value, list):
        return value
    return _text_leaves(value) if isinstance(value, Tensor) else value.tolist() if hasattr(value, "tolist") else list(value)


def _text_leaves(tensor):
    return [one.decode() if isinstance(one, bytes) else one for one in _leaves(tensor)]


def _checked(keys, found, unknown):
    """`found`. Raises: InvalidArgumentError where one is unknown; in a graph the run does."""
    text = "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values"
    if not keys._symbolic:
        words = [one for one, is_unknown in zip(_text_leaves(keys), _leaves(unknown)) if is_unknown]
        if words:
            raise errors.InvalidArgumentError(None, None, f"{text} {words[:1]}, consider setting `num_oov_indices=1`.")
        return found
    from ..._function import control_dependencies
    from ..._host_calls import Assert
    with control_dependencies([Assert(ops_math.logical_not(ops_math.reduce_any(unknown)), [text, keys])]):
        return ops_array.identity(found)


class StringLookup(_Lookup):
    """The numbers of words. Shapes: int [...], as the inputs; others see `encode_categories`."""

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None,
                 idf_weights=None, invert=False, output_mode="int", pad_to_max_tokens=False, sparse=False, encoding="utf-8",
                 oov_method="floormod", salt=None, name=None, **kwargs):
        _refused.only("StringLookup", encoding=(encoding, "utf-8"))
        self.encoding = encoding
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, idf_weights, invert, output_mode,
                         pad_to_max_tokens, sparse, oov_method, salt, name, **kwargs)

    @staticmethod
    def _word(one):
        return one.decode() if isinstance(one, bytes) else str(one)

    def get_config(self):
        """What `from_config` makes the layer of again, a given vocabulary included."""
        return {**super().get_config(), "encoding": self.encoding}


class IntegerLookup(_Lookup):
    """The numbers of integers. Shapes: as StringLookup. Raises: ValueError for a `vocabulary_dtype` besides int64."""

    _key_dtype = "int64"
    vocabulary_dtype = "int64"

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None,
                 vocabulary_dtype="int64", idf_weights=None, invert=False, output_mode="int", sparse=False,
                 pad_to_max_tokens=False, oov_method="floormod", salt=None, name=None, **kwargs):
        if vocabulary_dtype != "int64":
            raise ValueError("Only `vocabulary_dtype='int64'` is supported at this time. Received: vocabulary_dtype="
                             f"{vocabulary_dtype}")
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, idf_weights, invert, output_mode,
                         pad_to_max_tokens, sparse, oov_method, salt, name, **kwargs)

    @staticmethod
    def _word(one):
        return int(one)

    def get_config(self):
        """What `from_config` makes the layer of again, a given vocabulary included."""
        made = super().get_config()
        return {**made, "vocabulary": made["vocabulary"] and [int(one) for one in made["vocabulary"]]}

    def _dtype_config(self):
        return {"vocabulary_dtype": self.vocabulary_dtype}
