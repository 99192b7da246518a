"""Characters of texts in any encoding, and what is done with bytes that are none: `tf.strings.unicode_...`."""

import codecs

from . import _native
from ._dtypes import int32, int64
from ._function import TensorSpec
from ._host_calls import _on_host, py_function
from ._tensor import convert_to_tensor
from .errors import InvalidArgumentError


class Reading:
    """How texts are read.

    Args: errors: "replace" (by `replacement_char`), "ignore" or "strict" for what is no character.
    Raises: InvalidArgumentError for an encoding or a way that there is not."""

    def __init__(self, encoding, errors, replacement_char, replace_control_characters=False):
        if errors not in ("replace", "ignore", "strict"):
            raise InvalidArgumentError(None, None, f"Value for attr 'errors' of \"{errors}\" is not in the list of allowed "
                                       'values: "strict", "replace", "ignore"')
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise InvalidArgumentError(None, None, f"Could not create converter for input encoding: {encoding}") from None
        self.encoding, self._errors = encoding, errors
        self._replacement, self._controls = replacement_char, replace_control_characters

    def _put(self, made, place):
        if self._errors == "strict":
            raise InvalidArgumentError(None, None, "Invalid formatting on input string")
        if self._errors == "replace":
            made.append((self._replacement, place))

    def characters(self, text):
        """(number, the byte at which it begins) of each character of a text."""
        made, place = [], 0
        while place < len(text):
            bad = None
            try:
                part = text[place:].decode(self.encoding)
            except UnicodeDecodeError as error:
                bad = place + error.start, place + error.end
                part = text[place:bad[0]].decode(self.encoding)
            for one in part:
                if self._controls and ord(one) <= 0x1F:
                    if self._errors != "ignore":
                        made.append((self._replacement, place))
                else:
                    made.append((ord(one), place))
                place += len(one.encode(self.encoding))
            if bad is not None:
                self._put(made, bad[0])
                place = bad[1]
        return made

    def written(self, numbers):
        """The text of characters' numbers."""
        made = []
        for one in numbers:
            if 0 <= one <= 0x10FFFF and not 0xD800 <= one < 0xE000:
                made.append(chr(one))
            elif self._errors == "strict":
                raise InvalidArgumentError(None, None, "Code point is out of range for Unicode, or is a surrogate.")
            elif self._errors == "replace":
                made.append(chr(self._replacement))
        return "".join(made).encode(self.encoding)


def characters(value, reading):
    """(numbers int32, offsets int64, how many each text has int64) of the texts of a tensor, flat."""
    if value._symbolic:
        return tuple(py_function(lambda one: characters(one, reading), [value], [
            TensorSpec([None], int32), TensorSpec([None], int64), TensorSpec([None], int64)]))
    rows = [reading.characters(one) for one in value._strings()]
    flat = [one for row in rows for one in row]
    return (convert_to_tensor([one for one, _ in flat], dtype=int32), convert_to_tensor([place for _, place in flat], dtype=int64),
            convert_to_tensor([len(row) for row in rows], dtype=int64))


def texts(numbers, reading):
    """The character of each number, as a text."""
    if numbers._symbolic:
        return _on_host(lambda one: texts(one, reading), [numbers], numbers.shape, "string")
    return _native.from_strings([reading.written([one]) for one in numbers.numpy().reshape(-1).tolist()], numbers._shape)


def encoded(rows, shape, reading):
    """The texts of rows of numbers, in a shape."""
    return _native.from_strings([reading.written(row) for row in rows], shape)
