"""Messages of examples: `tf.train.Example` and its parts, which are printed as protocol buffers are."""

import struct

from . import _native


def _varint(number):
    number &= (1 << 64) - 1
    made = bytearray()
    while True:
        byte = number & 127
        number >>= 7
        made.append(byte | (128 if number else 0))
        if not number:
            return bytes(made)


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _quoted(value):
    text = ""
    for byte in value:
        if byte in (34, 39, 92):
            text += "\\" + chr(byte)
        elif byte == 10:
            text += "\\n"
        elif byte == 13:
            text += "\\r"
        elif byte == 9:
            text += "\\t"
        else:
            text += chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
    return f'"{text}"'


def _float_text(value):
    """The shortest text that gives the same float32."""
    if value != value or value in (float("inf"), float("-inf")):
        return {float("inf"): "inf", float("-inf"): "-inf"}.get(value, "nan")
    for digits in (6, 9):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            break
    return text


class _Values(list):
    """The values of a list, each checked."""

    def __init__(self, check, values=()):
        self._check = check
        super().__init__(check(one) for one in values)

    def append(self, value):
        super().append(self._check(value))

    def extend(self, values):
        super().extend([self._check(one) for one in values])

    def __setitem__(self, place, value):
        super().__setitem__(place, [self._check(one) for one in value] if isinstance(place, slice) else self._check(value))


class _Message:
    def SerializeToString(self, deterministic=None):
        """The bytes in protocol buffers' wire format; equal messages have equal ones."""
        return self._bytes()

    def __str__(self):
        return "".join(line + "\n" for line in self._lines())

    __repr__ = __str__

    def __eq__(self, other):
        return type(self) is type(other) and self._bytes() == other._bytes()

    def CopyFrom(self, other):
        self.__dict__.update(type(self).FromString(other.SerializeToString()).__dict__)

    def ByteSize(self):
        return len(self._bytes())

    def Clear(self):
        """Takes everything away."""
        self.__init__()

    def IsInitialized(self):
        return True

    def MergeFromString(self, serialized):
        """Takes what a serialized message has, too; features of a name that is there take its place."""
        self.ParseFromString(self.SerializeToString() + bytes(serialized))
        return len(serialized)

    def MergeFrom(self, other):
        """The same of a message."""
        self.MergeFromString(other.SerializeToString())

    @classmethod
    def FromString(cls, serialized):
        """Raises: DataLossError for other bytes."""
        made = cls()
        made.ParseFromString(serialized)
        return made


class _List(_Message):
    def __init__(self, value=()):
        self.__dict__["value"] = _Values(self._check, value)

    def _lines(self):
        return [f"value: {self._text(one)}" for one in self.value]

    def _bytes(self):
        return b"".join(_field(1, one) for one in self.value)


class BytesList(_List):
    """Texts. Raises: TypeError for other values."""

    @staticmethod
    def _check(value):
        if isinstance(value, str):
            value = value.encode()
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes")
        return bytes(value)

    _text = staticmethod(_quoted)


class FloatList(_List):
    """Floats of 32 bits. Raises: TypeError for other values."""

    @staticmethod
    def _check(value):
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int, float")
        return struct.unpack("f", struct.pack("f", float(value)))[0]

    _text = staticmethod(_float_text)

    def _bytes(self):
        data = b"".join(struct.pack("<f", one) for one in self.value)
        return _field(1, data) if data else b""


class Int64List(_List):
    """Integers of 64 bits. Raises: TypeError for other values."""

    @staticmethod
    def _check(value):
        if isinstance(value, (str, bytes, float)) or not hasattr(value, "__index__") and not hasattr(
                value, "__int__"):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int")
        return int(value)

    _text = staticmethod(str)

    def _bytes(self):
        data = b"".join(_varint(one) for one in self.value)
        return _field(1, data) if data else b""


_KINDS = (("bytes_list", BytesList, 1), ("float_list", FloatList, 2), ("int64_list", Int64List, 3))


class Feature(_Message):
    """One list: of bytes, floats or integers."""

    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        self._set = None
        for (name, kind, _), given in zip(_KINDS, (bytes_list, float_list, int64_list)):
            self.__dict__[name] = given if given is not None else kind()
            if given is not None:
                self._set = name

    def WhichOneof(self, group):
        """The name of the list that it has; None for an empty feature. Raises: ValueError for a group other than "kind"."""
        if group != "kind":
            raise ValueError(f"Protocol message Feature has no oneof {group!r} field.")
        if self._set is not None:
            return self._set
        return next((name for name, _, _ in _KINDS if getattr(self, name).value), None)

    def HasField(self, name):
        return self.WhichOneof("kind") == name

    def _lines(self):
        name = self.WhichOneof("kind")
        if name is None:
            return []
        return [f"{name} {{"] + ["  " + line for line in getattr(self, name)._lines()] + ["}"]

    def _bytes(self):
        name = self.WhichOneof("kind")
        number = next((number for known, _, number in _KINDS if known == name), None)
        return b"" if number is None else _field(number, getattr(self, name)._bytes())


class _Map(dict):
    """Parts of one kind by name; a name that is asked for is there from then on."""

    def __init__(self, kind, parts):
        super().__init__(parts or {})
        self._kind = kind

    def __missing__(self, name):
        made = self[name] = self._kind()
        return made

    def get_or_create(self, name):
        return self[name]


class _Named(_Message):
    """A message of parts by name, in the attribute `_field_name`."""

    def _lines(self):
        parts, lines = getattr(self, self._field_name), []
        for name in sorted(parts):
            lines += [self._field_name + " {", f"  key: {_quoted(name.encode())}", "  value {"]
            lines += ["    " + line for line in parts[name]._lines()] + ["  }", "}"]
        return lines

    def _bytes(self):
        parts = getattr(self, self._field_name)
        return b"".join(_field(1, _field(1, name.encode()) + _field(2, parts[name]._bytes())) for name in sorted(parts))


class Features(_Named):
    """Features by name."""

    _field_name = "feature"

    def __init__(self, feature=None):
        self.feature = _Map(Feature, feature)


class Example(_Message):
    """Named lists."""

    def __init__(self, features=None):
        self.features = features or Features()

    def _lines(self):
        return ["features {"] + ["  " + line for line in self.features._lines()] + ["}"]

    def _bytes(self):
        return _native.serialize_example({
            name: ((one.WhichOneof("kind") or "bytes_list")[:-5], list(getattr(
                one, one.WhichOneof("kind") or "bytes_list").value))
            for name, one in self.features.feature.items()})

    def ParseFromString(self, serialized):
        """Takes the features of a serialized example. Raises: DataLossError for other bytes."""
        self.features = Features({name: _feature(pair) for name, pair in _native.deserialize_example(serialized).items()})
        return len(serialized)


def _feature(pair):
    """A feature of (kind, values), or an empty one of None."""
    if pair is None:
        return Feature()
    kind = {"bytes": BytesList, "float": FloatList, "int64": Int64List}[pair[0]]
    return Feature(**{pair[0] + "_list": kind(pair[1])})


class FeatureList(_Message):
    """Features, one a step of a sequence."""

    def __init__(self, feature=()):
        self.feature = _Steps(feature)

    def _lines(self):
        return [line for one in self.feature for line in ["feature {", *["  " + inner for inner in one._lines()], "}"]]

    def _bytes(self):
        return b"".join(_field(1, one._bytes()) for one in self.feature)


class _Steps(list):
    """The features of a list."""

    def add(self, **lists):
        """One more feature, with these lists."""
        self.append(Feature(**lists))
        return self[-1]


class FeatureLists(_Named):
    """Feature lists by name."""

    _field_name = "feature_list"

    def __init__(self, feature_list=None):
        self.feature_list = _Map(FeatureList, feature_list)


class SequenceExample(_Message):
    """Named lists (the context), and named lists of them, one a step."""

    def __init__(self, context=None, feature_lists=None):
        self.context, self.feature_lists = context or Features(), feature_lists or FeatureLists()

    def _lines(self):
        parts = [(name, part._lines()) for name, part in (("context", self.context), ("feature_lists", self.feature_lists))]
        return [line for name, lines in parts if lines for line in [f"{name} {{", *["  " + one for one in lines], "}"]]

    def _bytes(self):
        return b"".join(_field(number, part._bytes()) for number, part in ((1, self.context), (2, self.feature_lists))
                        if part._bytes())

    def ParseFromString(self, serialized):
        """Takes what a serialized example has. Raises: DataLossError for other bytes."""
        context, lists = _native.deserialize_sequence_example(serialized)
        self.context = Features({name: _feature(pair) for name, pair in context.items()})
        self.feature_lists = FeatureLists({name: FeatureList([_feature(pair) for pair in one]) for name, one in lists.items()})
        return len(serialized)
