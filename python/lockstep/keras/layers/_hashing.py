"""Hashing: texts and integers as numbers below `num_bins`, by their hash."""

from ... import _native, ops_array, ops_math
from ..._tensor import convert_to_tensor
from .. import backend
from ._category_rows import check_sparse, encode_categories, PreprocessingLayer

_MODES = ("int", "one_hot", "multi_hot", "count")


def salt_key(salt, layer):
    """A salt as the two integers of SipHash's key; None stays. Raises: ValueError for other salts."""
    if salt is None:
        return None
    if isinstance(salt, (tuple, list)) and len(salt) == 2:
        return list(salt)
    if isinstance(salt, int):
        return [salt, salt]
    raise ValueError(f"The `salt` argument for `{layer}` can only be a tuple of size 2 integers, or a single integer. "
                     f"Received: salt={salt}.")


def hash_bins(values, bins, key):
    """Numbers below `bins` of texts or numbers: FarmHash's fingerprint, or with a key SipHash, modulo `bins`. Int64."""
    if values.dtype.is_floating:
        values = ops_math.cast(values, "int64")
    texts = values if values.dtype.name == "string" else _native.as_string(values)
    words = [0, 0] if key is None else [int(one) & ((1 << 64) - 1) for one in key]
    return _native.hash_bucket(texts, bins, 0 if key is None else 1, *words)


class Hashing(PreprocessingLayer):
    """Texts or numbers as numbers below `num_bins` by their hash, TensorFlow's: FarmHash's, with `salt` SipHash's.

    mask_value: the input that becomes 0; all others become 1 and above then. Inputs may be ragged or sparse."""

    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype or ("int64" if output_mode == "int" else backend.floatx()), **kwargs)
        if not num_bins or num_bins <= 0:
            raise ValueError(f"The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins={num_bins}.")
        if output_mode == "int" and self.dtype not in ("int32", "int64"):
            raise ValueError("When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or 'in64'. "
                             f"Received: dtype={dtype}")
        if output_mode not in _MODES:
            raise ValueError(f"Invalid value for argument `output_mode`. Expected one of {_MODES}. "
                             f"Received: output_mode={output_mode}")
        check_sparse(sparse, output_mode)
        self.num_bins, self.mask_value, self.output_mode, self.sparse = num_bins, mask_value, output_mode, sparse
        self.salt = salt_key(salt, "Hashing")
        self.strong_hash = salt is not None

    _untracked = ("salt",)

    def call(self, inputs):
        from ...ragged import RaggedTensor
        from ...sparse import SparseTensor
        if isinstance(inputs, SparseTensor):
            numbers = SparseTensor(inputs.indices, self._hashed(inputs.values), inputs.dense_shape)
        elif isinstance(inputs, RaggedTensor):
            numbers = inputs.with_flat_values(self._hashed(inputs.flat_values))
        else:
            inputs = convert_to_tensor(inputs)
            if self.output_mode == "one_hot" and inputs._rank and inputs._shape[-1] == 1:
                inputs = ops_array.squeeze(inputs, [-1])
            numbers = self._hashed(inputs)
        return encode_categories(numbers, self.output_mode, self.num_bins, self.dtype, self.sparse)

    def _hashed(self, values):
        if self.mask_value is None or self.num_bins == 1:
            return hash_bins(values, self.num_bins, self.salt)
        numbers = hash_bins(values, self.num_bins - 1, self.salt) + convert_to_tensor(1, dtype="int64")
        masked = ops_math.equal(values, convert_to_tensor(self.mask_value, dtype=values.dtype))
        return ops_array.where(masked, ops_array.zeros_like(numbers), numbers)

    def get_config(self):
        return {**self._base_config(), "num_bins": self.num_bins, "salt": self.salt, "mask_value": self.mask_value,
                "output_mode": self.output_mode, "sparse": self.sparse}
