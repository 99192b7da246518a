"""The text form of messages, as `str(message)` and protobuf write it, parsed again.

    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }

A field has a name and a value; a message as value stands in braces, and the fields of a map entry are `key` and `value`.
Fields that a message does not have here are skipped."""

import re

from . import _messages
from ._messages import Message

_TOKEN = re.compile(r"""(?:\s|\#[^\n]*)*(?:
    (?P<name>[A-Za-z_][\w./]*) | (?P<number>[-+]?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?|inf\w*|nan))
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*') | (?P<mark>[{}<>\[\]:;,/.]) | (?P<end>\Z))""", re.VERBOSE | re.DOTALL)
_ESCAPES = {"n": 10, "r": 13, "t": 9, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|.)", re.DOTALL)
_NUMBERED = {"LEGACY": 0, "V1": 1, "V2": 2}  # of enums that are numbers here
_DEEPEST = 100


def parsed(kind, text):
    """The message of a kind that a text describes. Raises: ValueError for another text."""
    tokens = _Tokens(text)
    made = Message(kind)
    _fill(made, tokens, "", 0)
    return made


class _Tokens:
    """The tokens of a text, one read ahead."""

    def __init__(self, text):
        self._text, self._place = text, 0
        self.advance()

    def advance(self):
        """The current token, (kind, text); the next one becomes the current one. Raises: ValueError."""
        before = getattr(self, "current", None)
        found = _TOKEN.match(self._text, self._place)
        if found is None:
            raise ValueError(f"no token of a message's text at {self._place}: {self._text[self._place:self._place + 30]!r}")
        self._place = found.end()
        self.current = found.lastgroup, found[found.lastgroup]
        return before

    def take(self, mark):
        """Whether the current token is this mark, which is then passed."""
        if self.current != ("mark", mark):
            return False
        self.advance()
        return True

    def require(self, mark):
        if not self.take(mark):
            raise ValueError(f"{mark!r} is missing before {self.current[1]!r} at {self._place}")


def _fill(message, tokens, closing, depth):
    """Takes fields until the closing mark, or the end. `message` None: skips them."""
    if depth > _DEEPEST:
        raise ValueError(f"messages lie deeper than {_DEEPEST} within another")
    fields = {} if message is None else {name: of for name, of in _messages._MESSAGES[message._kind].values()}
    while not (tokens.take(closing) if closing else tokens.current[0] == "end"):
        name = _field_name(tokens)
        tokens.take(":")
        of = fields.get(name)
        if tokens.take("["):
            while not tokens.take("]"):
                _take_value(message, name, of, tokens, depth)
                tokens.take(",")
        else:
            _take_value(message, name, of, tokens, depth)
        if not tokens.take(","):
            tokens.take(";")


def _field_name(tokens):
    if tokens.take("["):  # an extension, or the type of an Any
        while not tokens.take("]"):
            if tokens.advance()[0] == "end":
                raise ValueError("the text ends within the name of a field")
        return None
    kind, name = tokens.advance()
    if kind != "name":
        raise ValueError(f"the name of a field must stand before {name!r}")
    return name


def _take_value(message, name, of, tokens, depth):
    """Reads one value into a field; without `of` skips it."""
    closing = "}" if tokens.take("{") else ">" if tokens.take("<") else None
    if of is None:
        _skip(tokens, closing, depth)
    elif of[0] in "{#":
        if closing is None:
            raise ValueError(f"an entry of {name} must be in braces")
        key, value = _entry(of, tokens, closing, depth)
        getattr(message, name)[key] = value
    else:
        kind = of.lstrip("*")
        value = _one(kind, tokens, closing, depth)
        if of[0] == "*":
            getattr(message, name).append(value)
        else:
            setattr(message, name, value)


def _one(kind, tokens, closing, depth):
    """A value of a kind; of a message behind its opening mark."""
    if kind in _messages._MESSAGES:
        if closing is None:
            raise ValueError(f"a {kind} must be in braces")
        made = Message(kind)
        _fill(made, tokens, closing, depth + 1)
        return made
    if closing is not None:
        raise ValueError(f"a value of the kind {kind} is no message")
    return _plain(kind, tokens)


def _entry(of, tokens, closing, depth):
    key, value = ("" if of[0] == "{" else 0), None
    while not tokens.take(closing):
        name = _field_name(tokens)
        tokens.take(":")
        inner = "}" if tokens.take("{") else ">" if tokens.take("<") else None
        if name == "key":
            key = _one("text" if of[0] == "{" else "int", tokens, inner, depth)
        elif name == "value":
            value = _one(of[1:], tokens, inner, depth)
        else:
            raise ValueError(f"an entry of a map has a key and a value; got {name!r}")
    if value is None:
        value = Message(of[1:]) if of[1:] in _messages._MESSAGES else _messages._EMPTY[of[1:]]
    return key, value


def _skip(tokens, closing, depth):
    if closing is not None:
        _fill(None, tokens, closing, depth + 1)
        return
    kind = tokens.advance()[0]
    if kind not in ("name", "number", "string"):
        raise ValueError("a field has no value")
    while kind == "string" and tokens.current[0] == "string":
        tokens.advance()


def _plain(of, tokens):
    kind, text = tokens.advance()
    if of in ("text", "bytes"):
        if kind != "string":
            raise ValueError(f"a string is needed; got {text!r}")
        data = _unescaped(text)
        while tokens.current[0] == "string":
            data += _unescaped(tokens.advance()[1])
        return data if of == "bytes" else data.decode("utf-8", errors="replace")
    if kind not in ("name", "number"):
        raise ValueError(f"a number is needed; got {text!r}")
    if of == "bool":
        if text not in ("true", "false", "True", "False", "t", "f", "0", "1"):
            raise ValueError(f"true or false is needed; got {text!r}")
        return text in ("true", "True", "t", "1")
    if of in ("float", "double"):
        return float(text.replace(" ", "").rstrip("fF") if not text.lstrip("-+ ").startswith(("inf", "nan")) else text)
    if kind == "name":
        return _of_enum(of, text)
    return int(text.replace(" ", ""), 0)


def _of_enum(of, name):
    """The number of an enum's value."""
    if of == "type":
        from ._dtypes import as_dtype
        short = {"DT_FLOAT": "float32", "DT_DOUBLE": "float64", "DT_HALF": "float16"}.get(name, name.removeprefix("DT_").lower())
        return 0 if name == "DT_INVALID" else int(as_dtype(short))
    if of in _messages._ENUMS:
        return _messages._ENUMS[of][name]
    return _NUMBERED.get(name, 0)


def _unescaped(quoted):
    def byte(found):
        text = found[1].decode("utf-8", errors="replace")
        if text[0] in "xX" and len(text) > 1:
            return bytes([int(text[1:], 16)])
        if text[0] in "01234567":
            return bytes([int(text, 8) & 255])
        if text not in _ESCAPES:
            raise ValueError(f"a string has no escape \\{text}")
        return bytes([_ESCAPES[text]])
    return _ESCAPE.sub(byte, quoted[1:-1].encode("utf-8", errors="surrogatepass"))
