"""Texts: `tf.strings`. Most are native ops, also in traced functions; the others are Python, there called by `tf.py_function`."""

import builtins
import math

from . import _memory, _native, _refused, errors
from ._axes import axis_of as _axis_of, require_rank as _require_rank
from ._dtypes import as_dtype, float32, int32
from ._host_calls import _on_host
from ._takes_ragged import takes_ragged as _takes_ragged
from ._tensor import Tensor, convert_to_tensor
from .ops_array import reshape, sizes_of, stack


_UNITS = ("BYTE", "UTF8_CHAR")


def _map(function, value, dtype=None):
    value = convert_to_tensor(value)
    if value._symbolic:
        return _on_host(lambda v: _map(function, v, dtype), [value], value.shape, as_dtype(dtype or "string"))
    made = [function(one) for one in value._strings()]
    if dtype is None:
        return _native.from_strings(made, value._shape)
    import numpy
    return convert_to_tensor(numpy.array(made, dtype=as_dtype(dtype).as_numpy_dtype)
                             .reshape(value._shape))


@_takes_ragged
def length(input, unit="BYTE", name=None):
    """The number of bytes, or with unit UTF8_CHAR of characters."""
    _refused.attribute("strings.length", "unit", unit, _UNITS)
    return _native.string_length(convert_to_tensor(input), unit == "BYTE")


def _cased(change, native, encoding, input):
    if encoding not in ("", "utf-8"):
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"only utf-8 or '' (no encoding) is supported; got encoding={encoding!r}")
    return _map(lambda s: change(s.decode()).encode(), input) if encoding else native(convert_to_tensor(input))


@_takes_ragged
def lower(input, encoding="", name=None):
    """Small letters: of ASCII, with the encoding "utf-8" all."""
    return _cased(str.lower, _native.string_lower, encoding, input)


@_takes_ragged
def upper(input, encoding="", name=None):
    """Capital letters: of ASCII, with the encoding "utf-8" all."""
    return _cased(str.upper, _native.string_upper, encoding, input)


@_takes_ragged
def strip(input, name=None):
    return _native.string_strip(convert_to_tensor(input))


@_takes_ragged
def substr(input, pos, len, unit="BYTE", name=None):
    """`len` bytes (with unit UTF8_CHAR characters) from `pos` on, which counts from the end where it is negative.
    Shapes: pos and len fit the texts by NumPy's rule. Raises: InvalidArgumentError where pos is outside."""
    _refused.attribute("strings.substr", "unit", unit, _UNITS)
    parts = [convert_to_tensor(one) for one in (input, pos, len)]
    if unit == "BYTE" and all(one._rank == 0 or one._shape == parts[0]._shape for one in parts[1:]):
        return _native.substring(*parts)
    if any(one._symbolic for one in parts):
        shape = max((one._shape for one in parts), key=builtins.len)
        return _on_host(lambda *values: substr(*values, unit), parts, shape, "string")
    import numpy
    texts = numpy.array(parts[0]._strings(), dtype=object).reshape(tuple(parts[0]._shape))
    texts, starts, sizes = numpy.broadcast_arrays(texts, parts[1].numpy(), parts[2].numpy())
    made = [_part(*row, unit) for row in zip(texts.reshape(-1), starts.reshape(-1), sizes.reshape(-1))]
    return _native.from_strings(made, list(texts.shape))


def _part(text, start, size, unit):
    whole = text if unit == "BYTE" else text.decode()
    start, size = int(start), int(size)
    if abs(start) > builtins.len(whole):
        from .errors import InvalidArgumentError
        raise InvalidArgumentError(None, None, f"pos {start} out of range for string {text!r}")
    start = start + builtins.len(whole) if start < 0 else start
    part = whole[start:start + max(size, 0)]
    return part if unit == "BYTE" else part.encode()


@_takes_ragged
def to_number(input, out_type=float32, name=None):
    """The numbers that texts stand for. Raises: InvalidArgumentError for a text that is none."""
    return _native.string_to_number(convert_to_tensor(input), int(as_dtype(out_type)))


_LONGEST = 1 << 16  # digits and places of a number as text


@_takes_ragged
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Numbers as text. Raises: ValueError for both `scientific` and `shortest`."""
    if scientific and shortest:
        raise ValueError("Cannot select both scientific and shortest notation")
    tensor = convert_to_tensor(input)
    _memory.require(tensor.shape.num_elements() or 1, max(precision, width, 0) * 4, "as_string")
    if max(precision, width) > _LONGEST:
        raise errors.InvalidArgumentError(None, None, f"[as_string] precision and width must be at most {_LONGEST}; got "
                                          f"{precision} and {width}")
    if width <= 0 and tensor.dtype.name in ("bool", "int8", "int16", "int32", "int64", "uint8"):
        return _native.as_string(tensor)
    if tensor._symbolic:
        return _on_host(lambda one: as_string(one, precision, scientific, shortest, width, fill), [tensor],
                       tensor.shape, "string")
    if tensor.dtype.is_floating or width > 0 and tensor.dtype.is_integer:
        form = "%" + ("-" if fill == "-" else fill) + (str(width) if width > 0 else "") + (
            f".{precision}" if precision >= 0 else "") + (
            "d" if tensor.dtype.is_integer else "e" if scientific else "g" if shortest else "f")
        texts = [form % one for one in tensor.numpy().reshape(-1).tolist()]
    elif tensor._dtype == 10:
        texts = ["true" if one else "false" for one in tensor.numpy().reshape(-1)]
    else:
        texts = [one.decode(errors="replace") for one in tensor.numpy().reshape(-1)]
    return _native.from_strings([one.encode() for one in texts], tensor._shape)


@_takes_ragged
def join(inputs, separator="", name=None):
    """Texts one after another, element by element. Raises: InvalidArgumentError where shapes differ; scalars fit all."""
    return _native.string_join([convert_to_tensor(one) for one in inputs], separator)


def _rows(parts, input):
    """Parts of the texts of a tensor, with how many each text has: a vector of one text, ragged rows of several."""
    from .ragged import RaggedTensor
    values, lengths = parts
    if not input._rank:
        return values
    made = RaggedTensor.from_row_lengths(values, lengths, validate=False)
    sizes = sizes_of(input)
    for axis in range(input._rank - 1, 0, -1):
        made = RaggedTensor.from_uniform_row_length(made, sizes[axis])
    return made


def split(input, sep=None, maxsplit=-1, name=None):
    """The parts of texts between separators (or white space): a vector of one text, ragged rows of several."""
    value = convert_to_tensor(input)
    sep = sep.decode() if isinstance(sep, bytes) else sep
    return _rows(_native.string_split(value, sep or "", maxsplit), value)


def bytes_split(input, name=None):
    """The bytes of texts."""
    value = convert_to_tensor(input)
    return _rows(_native.string_split_units(value, True), value)


def _is_plain(encoding, errors, replacement_char, replace_control_characters=False):
    """Whether texts are UTF-8 in which U+FFFD stands for bytes that are no characters."""
    return encoding.upper() in ("UTF-8", "UTF8") and errors == "replace" and replacement_char == 65533 and \
        not replace_control_characters


def unicode_split(input, input_encoding="UTF-8", errors="replace", replacement_char=65533, name=None):
    """The characters of texts, in their encoding. errors: as of `unicode_decode`."""
    value = convert_to_tensor(input)
    if _is_plain(input_encoding, errors, replacement_char):
        return _rows(_native.string_split_units(value, False), value)
    return unicode_split_with_offsets(value, input_encoding, errors, replacement_char)[0]


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Texts along axes one after another; of several axes the first one goes fastest, all of them by default as they lie.

    Raises: OutOfRangeError for an axis that is not there, InvalidArgumentError for one given twice."""
    from .ragged import RaggedTensor
    if isinstance(inputs, RaggedTensor):
        from ._ragged_texts import reduce_join as join_rows
        return join_rows(inputs, axis, keepdims, _plain(separator))
    value = convert_to_tensor(inputs)
    axes = _axes_of(axis, value._rank)
    kept = [i for i in range(value._rank) if i not in axes]
    moved, last = value, kept + axes[::-1]
    if last != list(range(value._rank)):
        moved = _native.transpose(value, last)
    if not axes:
        return value
    if builtins.len(axes) > 1:
        sizes = [value._shape[i] for i in axes]
        known = 0 if 0 in sizes else -1 if None in sizes else math.prod(sizes)
        moved = reshape(moved, sizes_of(value, kept) + [known])
    made = _native.string_reduce_join(moved, _plain(separator))
    return reshape(made, [1 if i in axes else size for i, size in enumerate(sizes_of(value))]) if keepdims else made


def _axes_of(axis, rank):
    from ._tensor import integers
    if axis is None:
        return list(range(rank))[::-1]
    made = []
    axis = integers(axis, "an axis")
    for one in axis if isinstance(axis, (list, tuple)) else [axis]:
        if not -rank <= int(one) < rank:
            from .errors import OutOfRangeError
            raise OutOfRangeError(None, None, f"Invalid reduction dimension {one} for input with {rank} dimension(s)")
        if _axis_of(int(one), rank) in made:
            from .errors import InvalidArgumentError
            raise InvalidArgumentError(None, None, f"Duplicate reduction dimension {one}")
        made.append(_axis_of(int(one), rank))
    return made


def _plain(text):
    """A text that is given as one, as bytes or as a tensor."""
    text = text.numpy() if hasattr(text, "numpy") else text
    return text.decode() if isinstance(text, bytes) else text


def _flat_map(function, input):
    """`function` of the texts, which may be those of a ragged tensor."""
    if hasattr(input, "with_flat_values"):
        return input.with_flat_values(function(input.flat_values))
    return function(convert_to_tensor(input))


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """Texts in which `rewrite` (\\1: the first group, \\0: all) replaces what matches, everywhere or the first time.
    Patterns are RE2's, as TensorFlow's. Raises: InvalidArgumentError for a pattern or a rewrite that is none."""
    return _flat_map(lambda one: _native.regex_replace(one, _plain(pattern), _plain(rewrite), bool(replace_global)), input)


def regex_full_match(input, pattern, name=None):
    """Whether whole texts match a pattern of RE2's. Raises: InvalidArgumentError for one that is none."""
    return _flat_map(lambda one: _native.regex_full_match(one, _plain(pattern)), input)


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """The template with tensors in place of placeholders. Raises: ValueError where there are not as many of both."""
    from ._host_calls import _on_host, _quoted_text
    inputs = [convert_to_tensor(one) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    parts = template.split(placeholder)
    if len(parts) - 1 != len(inputs):
        raise ValueError(f"The template expects {len(parts) - 1} tensors, but the inputs only has {len(inputs)}. Please ensure "
                         "the number of placeholders in template matches inputs length.")

    def filled(*tensors):
        return parts[0] + "".join(_quoted_text(one, summarize) + part for one, part in zip(tensors, parts[1:]))
    return _on_host(filled, inputs, [], "string")


def _characters(input, encoding, errors, replacement_char, replace_control_characters=False):
    """(numbers, offsets) of characters, vectors of one text and ragged rows of several, and how they were read."""
    from ._unicode import Reading, characters
    value = convert_to_tensor(input)
    reading = Reading(encoding, errors, replacement_char, replace_control_characters)
    numbers, offsets, lengths = characters(value, reading)
    return _rows((numbers, lengths), value), _rows((offsets, lengths), value), reading


def unicode_decode(input, input_encoding="UTF-8", errors="replace", replacement_char=65533,
                   replace_control_characters=False, name=None):
    """The numbers of the characters, int32: a vector of one text, ragged rows of several.

    Args: errors: "replace" (by `replacement_char`), "ignore" or "strict" for bytes that are no characters.
    Raises: InvalidArgumentError for such bytes where errors is "strict"."""
    value = convert_to_tensor(input)
    if _is_plain(input_encoding, errors, replacement_char, replace_control_characters):
        return _rows(_native.unicode_decode(value), value)
    return _characters(value, input_encoding, errors, replacement_char, replace_control_characters)[0]


def unicode_decode_with_offsets(input, input_encoding="UTF-8", errors="replace", replacement_char=65533,
                                replace_control_characters=False, name=None):
    """(numbers of the characters, the bytes at which they begin), as `unicode_decode`."""
    return _characters(input, input_encoding, errors, replacement_char, replace_control_characters)[:2]


def unicode_split_with_offsets(input, input_encoding="UTF-8", errors="replace", replacement_char=65533, name=None):
    """(characters, the bytes at which they begin), as `unicode_split`."""
    from ._unicode import texts
    numbers, offsets, reading = _characters(input, input_encoding, errors, replacement_char)
    return _flat_map(lambda one: texts(one, reading), numbers), offsets


def unicode_encode(input, output_encoding="UTF-8", errors="replace", replacement_char=65533, name=None):
    """The texts of rows of characters' numbers: the inverse of `unicode_decode`.

    Raises: InvalidArgumentError for numbers that are no characters where errors is "strict"."""
    from ._unicode import Reading, encoded
    from .ragged import RaggedTensor
    reading = Reading(output_encoding, errors, replacement_char)
    if isinstance(input, RaggedTensor):
        if isinstance(input.values, RaggedTensor):
            return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
        return encoded(input.to_list(), [builtins.len(input)], reading)
    value = convert_to_tensor(input)
    if value._symbolic:
        return _on_host(lambda one: unicode_encode(one, output_encoding, errors, replacement_char), [value],
                        value.shape[:-1], "string")
    numbers = _require_rank(value, 1, "input").numpy()
    return encoded(numbers.reshape(-1, numbers.shape[-1]).tolist(), list(numbers.shape[:-1]), reading)


@_takes_ragged
def unicode_transcode(input, input_encoding, output_encoding, errors="replace", replacement_char=65533,
                      replace_control_characters=False, name=None):
    """Texts in another encoding. Raises: InvalidArgumentError for bytes that are no characters where errors is "strict"."""
    from ._unicode import Reading
    reading = Reading(input_encoding, errors, replacement_char, replace_control_characters)
    writing = Reading(output_encoding, errors, replacement_char)
    return _map(lambda text: writing.written([one for one, _ in reading.characters(text)]), input)


def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False,
           name=None):
    """Words joined, `ngram_width` of them at a time, along the last axis; of a tuple of widths one after another.
    `pad_values`: a text, or (left, right), before the first and behind the last word, `padding_width` times at most.

    Raises: TypeError, ValueError for widths and paddings that are none."""
    from .ragged import RaggedTensor
    widths = [int(one) for one in (ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width])]
    left, right, pad = _padding(widths, pad_values, padding_width)
    own = (widths, _plain(separator), left, right, pad, bool(preserve_short_sequences))
    if isinstance(data, RaggedTensor):
        from ._ragged_texts import over_rows
        return over_rows(lambda texts, splits: _native.string_ngrams(texts, splits, *own), data)
    value = convert_to_tensor(data)
    if value._rank == 0:
        raise ValueError("Data must have rank>0")
    from . import _value_shapes
    *outer, size = sizes_of(value)
    if value._rank == 1:
        return _native.string_ngrams(value, stack([0, _value_shapes.as_int64(size)]), *own)[0]
    if any(isinstance(one, Tensor) for one in outer + [size]):
        rows = convert_to_tensor(1, dtype="int64")
        for one in outer:
            rows = rows * _value_shapes.as_int64(one)
        splits = _value_shapes.arange(_value_shapes.as_int64(0), rows + 1) * _value_shapes.as_int64(size)
    else:
        import numpy
        splits = convert_to_tensor(numpy.arange(int(numpy.prod(outer)) + 1, dtype="int64") * size)
    flat, _ = _native.string_ngrams(_native.reshape(value, [-1]), splits, *own)
    each = -1
    if not isinstance(size, Tensor):
        pads = [width - 1 if pad < 0 else min(pad, width - 1) for width in widths]
        each = sum(max(size + 2 * one - width + 1, 0) for width, one in zip(widths, pads))
        each = each or int(bool(preserve_short_sequences and size))
    return reshape(flat, outer + [each])


def _padding(widths, pad_values, padding_width):
    """(left, right, how often: -1 for one less than a width)"""
    if min(widths, default=0) < 1:
        raise ValueError(f"All ngram_widths must be greater than 0. Got {', '.join(map(str, widths))}")
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        return "", "", 0
    if isinstance(pad_values, (str, bytes)):
        pad_values = (pad_values, pad_values)
    if not isinstance(pad_values, (list, tuple)) or builtins.len(pad_values) != 2 or not all(
            isinstance(one, (str, bytes)) for one in pad_values):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if padding_width is not None and padding_width < 1:
        raise ValueError("padding_width must be greater than 0.")
    return _plain(pad_values[0]), _plain(pad_values[1]), -1 if padding_width is None else int(padding_width)


_HASH_BITS = (1 << 64) - 1


@_takes_ragged
def to_hash_bucket_fast(input, num_buckets, name=None):
    """FarmHash's Fingerprint64 of texts modulo `num_buckets`, int64; TensorFlow's bits."""
    return _native.hash_bucket(convert_to_tensor(input), int(num_buckets), 0, 0, 0)


@_takes_ragged
def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """SipHash 2-4 of texts with a key of two numbers, modulo `num_buckets`, int64; TensorFlow's bits."""
    return _native.hash_bucket(convert_to_tensor(input), int(num_buckets), 1, *(int(one) & _HASH_BITS for one in key))


def to_hash_bucket(input, num_buckets, name=None):
    """MurmurHash64A of texts modulo `num_buckets`, int64; TensorFlow's bits."""
    return _native.hash_bucket(convert_to_tensor(input), int(num_buckets), 2, 0, 0)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """The texts of each segment, one after another. Shapes: inputs [ids..., rest...]; result [num_segments, rest...].

    Raises: InvalidArgumentError for a segment that is not there, or ids of which inputs have no such axes in front."""
    from ._tensor import integers
    from .errors import InvalidArgumentError
    texts, ids = convert_to_tensor(inputs), convert_to_tensor(segment_ids)
    count, rest = int(integers(num_segments, "num_segments")), list(texts._shape)[ids._rank:]
    if list(texts._shape)[:ids._rank] != list(ids._shape):
        raise InvalidArgumentError(None, None, "segment_ids' shape must be a prefix of inputs' shape; got "
                                   f"{ids.shape} and {texts.shape}")
    if texts._symbolic or ids._symbolic:
        return _on_host(lambda *both: unsorted_segment_join(*both, count, separator), [texts, ids], [count, *rest], "string")
    size = math.prod(rest)
    made = [[[] for _ in range(size)] for _ in range(count)]
    flat = texts._strings()
    for row, place in enumerate(ids.numpy().reshape(-1).tolist()):
        if not 0 <= place < count:
            raise InvalidArgumentError(None, None, "segment_ids are not allowed to exceed num_segments or to have "
                                       "negative values.")
        for column in range(size):
            made[place][column].append(flat[row * size + column])
    joint = _plain(separator).encode()
    return _native.from_strings([joint.join(one) for row in made for one in row], [count, *rest])


@_takes_ragged
def unicode_script(input, name=None):
    """Raises: NotImplementedError: the table of scripts is not there."""
    raise NotImplementedError("tf.strings.unicode_script is not built; compute it in Python by tf.numpy_function")
