"""TextVectorization: texts as the numbers of their words."""

from ... import _native, _refused, ops_array, strings
from ..._tensor import convert_to_tensor
from ._category_rows import check_choice, PreprocessingLayer
from ._lookup import _listed, batches_of, MODES, standard_mode, StringLookup

_STANDARDIZE = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLIT = ("whitespace", "character")


class TextVectorization(PreprocessingLayer):
    """Texts as the numbers of their words: standardized, split, joined to n-grams and looked up in a vocabulary.

    Shapes: [n] or [n, 1] to [n, words], filled with 0 or cut to `output_sequence_length`, or ragged; in other modes of
    output [n, vocabulary]. `standardize` and `split` may be functions of string tensors.
    Raises: ValueError for arguments that do not fit each other."""

    _keeps_own_state = True

    def __init__(self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None,
                 output_mode="int", output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, idf_weights=None,
                 sparse=False, ragged=False, encoding="utf-8", name=None, **kwargs):
        _refused.only("TextVectorization", encoding=(encoding, "utf-8"))
        lookup = {key: kwargs.pop(key) for key in ("vocabulary_size", "has_input_vocabulary") if key in kwargs}
        output_mode = standard_mode(output_mode)
        self._check(standardize, split, ngrams, output_mode, output_sequence_length, ragged)
        super().__init__(name=name, **kwargs)
        object.__setattr__(self, "_standardize", standardize)
        object.__setattr__(self, "_split", split)
        self._ngrams_arg = ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self._ragged, self._output_mode, self._output_sequence_length = ragged, output_mode, output_sequence_length
        self._lookup_layer = StringLookup(
            max_tokens, mask_token="", vocabulary=vocabulary, idf_weights=idf_weights, output_mode=output_mode,
            pad_to_max_tokens=pad_to_max_tokens, sparse=sparse, **lookup)

    def _check(self, standardize, split, ngrams, output_mode, output_sequence_length, ragged):
        for name, value, allowed in (("standardize", standardize, _STANDARDIZE), ("split", split, _SPLIT)):
            if value is not None and not callable(value):
                check_choice(self, name, value, allowed)
        check_choice(self, "output_mode", output_mode, MODES)
        if not (ngrams is None or isinstance(ngrams, int) or isinstance(ngrams, tuple) and all(
                isinstance(one, int) for one in ngrams)):
            raise ValueError(f"`ngrams` must be None, an integer, or a tuple of integers. Received: ngrams={ngrams}")
        if output_mode == "int" and output_sequence_length is not None and not isinstance(output_sequence_length, int):
            raise ValueError("`output_sequence_length` must be either None or an integer when `output_mode` is 'int'. Received: "
                             f"output_sequence_length={output_sequence_length}")
        if output_mode != "int" and output_sequence_length is not None:
            raise ValueError("`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
                             f"output_sequence_length={output_sequence_length}.")
        if output_mode != "int" and ragged:
            raise ValueError(f"`ragged` must not be true if `output_mode` is not `'int'`. Received: ragged={ragged} and "
                             f"output_mode={output_mode}")

    compute_dtype = variable_dtype = property(lambda self: "string")

    # ---- the vocabulary

    def adapt(self, data, batch_size=None, steps=None):
        """Learns the words of texts: an array, a list, a tensor, or batches, of which the first `steps` are read.

        Raises: ValueError for a `batch_size` of a dataset, which has batches of its own."""
        if batch_size is not None and getattr(data, "_is_dataset", False):
            raise ValueError(f"`batch_size` must be None for a dataset, which has batches of its own; got {batch_size}")
        self.reset_state()
        for batch in batches_of(data, steps, "string"):
            self.update_state(batch)
        self.finalize_state()

    def update_state(self, data):
        """Counts the words of a batch of texts."""
        self._lookup_layer.update_state(self._words_of(data))

    def finalize_state(self):
        """Makes the vocabulary of the words counted."""
        self._lookup_layer.finalize_state()

    def reset_state(self):
        """Forgets the words counted."""
        self._lookup_layer.reset_state()

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """Sets the words, in order; of a path the lines of the file. Raises: as StringLookup."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    def get_vocabulary(self, include_special_tokens=True):
        """The words in the order of their numbers."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self):
        """How many numbers there are, those of padding and unknown words included."""
        return self._lookup_layer.vocabulary_size()

    # ---- calls

    def _standardized(self, texts):
        if self._standardize in ("lower", "lower_and_strip_punctuation"):
            texts = strings.lower(texts)
        if self._standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
            texts = texts.with_flat_values(_native.strip_punctuation(texts.flat_values)) if hasattr(texts, "flat_values") \
                else _native.strip_punctuation(texts)
        return self._standardize(texts) if callable(self._standardize) else texts

    def _words_of(self, texts):
        """The words, or n-grams of words, of texts: ragged, or as the texts where they are not split."""
        from ..._composites import is_tensor
        texts = self._standardized(texts if is_tensor(texts) else convert_to_tensor(texts, dtype="string"))
        if self._split is not None:
            rank = texts.shape.rank
            if rank is not None and rank > 1:
                if texts.shape[-1] != 1:
                    raise ValueError("When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                                     f"dimension must be 1. Received: inputs.shape={texts.shape} with rank={rank}")
                texts = ops_array.squeeze(texts, axis=-1)
            texts = strings.split(texts) if self._split == "whitespace" else strings.unicode_split(texts, "UTF-8") \
                if self._split == "character" else self._split(texts)
        return texts if self._ngrams is None else strings.ngrams(texts, ngram_width=self._ngrams, separator=" ")

    def call(self, inputs):
        """The numbers of the words of texts, in the form of the output mode."""
        numbers = self._lookup_layer.call(self._words_of(inputs))
        length = self._output_sequence_length
        if self._output_mode != "int":
            return numbers
        if hasattr(numbers, "to_tensor") and not self._ragged:
            shape = numbers.shape.as_list()
            return numbers.to_tensor(default_value=0, shape=[*shape[:-1], length])
        if length is None:
            return numbers
        cut = numbers[..., :length] if not hasattr(numbers, "to_tensor") else numbers[:, :length]
        return cut if self._ragged else _padded(cut, length)

    def compute_output_shape(self, input_shape):
        """The shape of the results for inputs of a shape."""
        if self._output_mode == "int":
            return (input_shape[0], self._output_sequence_length)
        return (*input_shape[:-1], self._lookup_layer._depth())

    def get_config(self):
        """What `from_config` makes the layer of again, a given vocabulary included."""
        from .. import saving
        lookup = self._lookup_layer
        return {**self._base_config(), "max_tokens": lookup.max_tokens,
                "standardize": saving.serialize_keras_object(self._standardize), "split": saving.serialize_keras_object(self._split),
                "ngrams": self._ngrams_arg, "output_mode": self._output_mode, "output_sequence_length": self._output_sequence_length,
                "pad_to_max_tokens": lookup.pad_to_max_tokens, "sparse": lookup.sparse, "ragged": self._ragged,
                "vocabulary": _listed(lookup.input_vocabulary), "idf_weights": _listed(lookup.input_idf_weights),
                "encoding": lookup.encoding, "vocabulary_size": self.vocabulary_size()}

    @classmethod
    def from_config(cls, config):
        """The layer that `get_config` describes."""
        from .. import saving
        config = dict(config)
        for name in ("standardize", "split"):
            if not isinstance(config.get(name), str):
                config[name] = saving.deserialize_keras_object(config.get(name))
        config["ngrams"] = tuple(config["ngrams"]) if isinstance(config.get("ngrams"), list) else config.get("ngrams")
        return cls(**config)

    def save_own_variables(self, store):
        """Keeps the weights of mode "tf_idf"."""
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store):
        """Takes the weights that `save_own_variables` has kept."""
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path):
        """Writes a learned vocabulary to `vocabulary.txt`."""
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path):
        """Reads what `save_assets` has written."""
        self._lookup_layer.load_assets(dir_path)


def _padded(numbers, length):
    """`numbers` with zeros behind the last axis up to `length`."""
    missing = length - ops_array.shape(numbers)[-1]
    rank = numbers._rank
    paddings = ops_array.concat([ops_array.zeros([rank - 1, 2], "int32"), ops_array.reshape(ops_array.stack([0 * missing, missing]), [1, 2])], 0)
    made = ops_array.pad(numbers, paddings)
    made.set_shape([*numbers._shape[:-1], length])
    return made
