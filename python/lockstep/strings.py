"""Texts: `tf.strings`. Eager; inside of a traced function by `tf.py_function`."""

from . import _native
from ._dtypes import as_dtype, float32, int32
from ._tensor import convert_to_tensor


def _map(function, value, dtype=None):
    value = convert_to_tensor(value)
    if value._symbolic:
        from ._function import TensorSpec, py_function
        return py_function(lambda v: _map(function, v, dtype), [value],
                           TensorSpec(value.shape, as_dtype(dtype or "string")))
    made = [function(one) for one in value._strings()]
    if dtype is None:
        return _native.from_strings(made, value._shape)
    import numpy
    return convert_to_tensor(numpy.array(made, dtype=as_dtype(dtype).as_numpy_dtype)
                             .reshape(value._shape))


def length(input, unit="BYTE", name=None):
    """The number of bytes, or with unit UTF8_CHAR of characters."""
    return _map(lambda s: len(s) if unit == "BYTE" else len(s.decode()), input, int32)


def lower(input, encoding="", name=None):
    return _map(lambda s: s.decode().lower().encode(), input)


def upper(input, encoding="", name=None):
    return _map(lambda s: s.decode().upper().encode(), input)


def strip(input, name=None):
    return _map(bytes.strip, input)


def substr(input, pos, len, unit="BYTE", name=None):
    return _map(lambda s: s[pos:pos + len], input)


def to_number(input, out_type=float32, name=None):
    """The numbers that texts stand for. Raises: InvalidArgumentError for a text that is none."""
    kind = float if as_dtype(out_type).is_floating else int

    def read(text):
        try:
            return kind(text)
        except ValueError:
            from .errors import InvalidArgumentError
            shown = text.decode(errors="replace") if isinstance(text, bytes) else text
            raise InvalidArgumentError(None, None, f"StringToNumberOp could not correctly convert string: {shown}") \
                from None
    return _map(read, input, out_type)


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Numbers as text."""
    from ._function import _scalar_text
    tensor = convert_to_tensor(input)
    if tensor.dtype.is_floating and precision < 0 and not shortest:
        texts = [f"{float(one):f}" for one in tensor.numpy().reshape(-1)]
    elif tensor.dtype.is_floating and precision >= 0:
        texts = [f"{float(one):.{precision}f}" for one in tensor.numpy().reshape(-1)]
    elif tensor._dtype == 10:
        texts = ["true" if one else "false" for one in tensor.numpy().reshape(-1)]
    else:
        texts = [_scalar_text(one, tensor.dtype) for one in tensor.numpy().reshape(-1)]
    return _native.from_strings([one.encode() for one in texts], tensor._shape)


def join(inputs, separator="", name=None):
    """Texts one after another, element by element."""
    parts = [convert_to_tensor(one) for one in inputs]
    shape = max((one._shape for one in parts), key=len)
    if any(one._symbolic for one in parts):
        from ._function import TensorSpec, py_function
        return py_function(lambda *values: join(values, separator), parts, TensorSpec(list(shape), "string"))
    size = 1
    for one in shape:
        size *= one
    lists = [one._strings() * (size if one._rank == 0 else 1) for one in parts]
    glue = separator.encode()
    return _native.from_strings([glue.join(row) for row in zip(*lists)], shape)


def split(input, sep=None, maxsplit=-1, name=None):
    """The parts of texts between separators (or white space): a vector of one text, ragged rows of several."""
    from .ragged import RaggedTensor
    value = convert_to_tensor(input)
    if value._symbolic and value._rank == 0:
        from ._function import TensorSpec, py_function
        return py_function(lambda one: split(one, sep, maxsplit), [value], TensorSpec([None], "string"))
    sep = sep.encode() if isinstance(sep, str) else sep
    rows = [one.split(sep or None, maxsplit) for one in value._strings()]
    flat = _native.from_strings([part for row in rows for part in row], [sum(map(len, rows))])
    return flat if value._rank == 0 else RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


def bytes_split(input, name=None):
    """The bytes of texts."""
    from .ragged import RaggedTensor
    value = convert_to_tensor(input)
    rows = [[one[i:i + 1] for i in range(len(one))] for one in value._strings()]
    flat = _native.from_strings([part for row in rows for part in row], [sum(map(len, rows))])
    return flat if value._rank == 0 else RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


def unicode_split(input, input_encoding="UTF-8", errors="replace", replacement_char=65533, name=None):
    """The characters of texts."""
    from .ragged import RaggedTensor
    value = convert_to_tensor(input)
    rows = [[char.encode() for char in one.decode(errors="replace")] for one in value._strings()]
    flat = _native.from_strings([part for row in rows for part in row], [sum(map(len, rows))])
    return flat if value._rank == 0 else RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Texts along axes one after another."""
    import numpy
    value = convert_to_tensor(inputs)
    array = numpy.array(value._strings(), dtype=object).reshape(tuple(value._shape))
    axes = list(range(value._rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    moved = numpy.moveaxis(array, [one % value._rank for one in axes], range(-len(axes), 0))
    kept = moved.shape[:moved.ndim - len(axes)]
    rows = moved.reshape(kept + (-1,)).reshape(-1, int(numpy.prod(moved.shape[len(kept):])))
    texts = [separator.encode().join(row) for row in rows]
    shape = [1 if i in [one % value._rank for one in axes] else size
             for i, size in enumerate(value._shape)] if keepdims else list(kept)
    return _native.from_strings(texts, shape)


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    import re
    return _map(lambda s: re.sub(pattern.encode(), rewrite.encode(), s,
                                 count=0 if replace_global else 1), input)


def regex_full_match(input, pattern, name=None):
    import re
    return _map(lambda s: re.fullmatch(pattern.encode(), s) is not None, input, "bool")


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """The template with tensors in place of placeholders."""
    from ._function import _tensor_text
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    for one in inputs:
        template = template.replace(placeholder, _tensor_text(convert_to_tensor(one), summarize), 1)
    return convert_to_tensor(template)
