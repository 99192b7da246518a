"""Messages of TensorFlow's files (GraphDef, Event, TensorProto), read from protocol buffers' wire format."""

import struct

# field number: (name, kind); a kind is "int", "float", "double", "text", "bytes", or another message's name; "*" before a
# kind means many.
_MESSAGES = {
    "Event": {1: ("wall_time", "double"), 2: ("step", "int"), 3: ("file_version", "text"), 4: ("graph_def", "bytes"),
              5: ("summary", "Summary")},
    "Summary": {1: ("value", "*Value")},
    "Value": {1: ("tag", "text"), 2: ("simple_value", "float"), 4: ("image", "Image"), 5: ("histo", "HistogramProto"),
              7: ("node_name", "text"), 8: ("tensor", "TensorProto"), 9: ("metadata", "SummaryMetadata")},
    "Image": {1: ("height", "int"), 2: ("width", "int"), 3: ("colorspace", "int"), 4: ("encoded_image_string", "bytes")},
    "HistogramProto": {1: ("min", "double"), 2: ("max", "double"), 3: ("num", "double"), 4: ("sum", "double"),
                       5: ("sum_squares", "double"), 6: ("bucket_limit", "*double"), 7: ("bucket", "*double")},
    "SummaryMetadata": {1: ("plugin_data", "PluginData"), 2: ("display_name", "text"), 3: ("summary_description", "text")},
    "PluginData": {1: ("plugin_name", "text"), 2: ("content", "bytes")},
    "TensorProto": {1: ("dtype", "int"), 2: ("tensor_shape", "TensorShapeProto"), 4: ("tensor_content", "bytes"),
                    5: ("float_val", "*float"), 6: ("double_val", "*double"), 7: ("int_val", "*int"),
                    8: ("string_val", "*bytes"), 10: ("int64_val", "*int"), 11: ("bool_val", "*int")},
    "TensorShapeProto": {2: ("dim", "*Dim")},
    "Dim": {1: ("size", "int"), 2: ("name", "text")},
    "GraphDef": {1: ("node", "*NodeDef")},
    "NodeDef": {1: ("name", "text"), 2: ("op", "text"), 3: ("input", "*text"), 4: ("device", "text")},
}
_EMPTY = {"int": 0, "float": 0.0, "double": 0.0, "text": "", "bytes": b""}
_ONE_OF = ("simple_value", "image", "histo", "tensor")


class Message:
    """A message with its fields as attributes; what it does not have is 0, empty, or an empty message."""

    def __init__(self, kind, data=b""):
        self._kind, self._data, self._has = kind, bytes(data), set()
        for name, of in _MESSAGES[kind].values():
            if of.startswith("*"):
                setattr(self, name, [])
            elif of in _EMPTY:
                setattr(self, name, _EMPTY[of])
        for number, wire, value in _fields(self._data):
            if number in _MESSAGES[kind]:
                self._keep(*_MESSAGES[kind][number], wire, value)

    def _keep(self, name, of, wire, value):
        self._has.add(name)
        if of.startswith("*"):
            getattr(self, name).extend(_packed(of[1:], value) if wire == 2 and of[1:] in ("int", "float", "double")
                                       else [_one(of[1:], value)])
        else:
            setattr(self, name, _one(of, value))

    def __getattr__(self, name):
        for own, of in _MESSAGES.get(self.__dict__.get("_kind"), {}).values():
            if own == name:
                made = Message(of)
                setattr(self, name, made)
                return made
        raise AttributeError(f"{self.__dict__.get('_kind')} has no field {name!r}")

    def HasField(self, name):
        """Whether the message has a field."""
        return name in self._has

    def WhichOneof(self, group):
        """The name of the one field of a group that is there, or None."""
        return next((one for one in _ONE_OF if one in self._has), None)

    def SerializeToString(self):
        """The bytes that it was read from."""
        return self._data

    def ByteSize(self):
        return len(self._data)


def message_class(kind):
    """The class of messages of a kind, with `FromString`."""
    return type(kind, (Message,), {"__init__": lambda self, data=b"": Message.__init__(self, kind, data),
                                   "FromString": classmethod(lambda cls, data: cls(data)), "__module__": __name__})


def _number(data, place):
    value = shift = 0
    while True:
        if place >= len(data):
            _broken("a number goes on behind the end")
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
        if shift > 63:
            _broken("a number has more than ten bytes")


def _broken(what):
    from .errors import DataLossError
    raise DataLossError(None, None, f"[message] fields must lie within the message; {what}; the file is cut or no event file")


def _fields(data):
    """(number, wire type, value) of each field."""
    place = 0
    while place < len(data):
        key, place = _number(data, place)
        wire = key & 7
        if wire == 0:
            value, place = _number(data, place)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, place = data[place:place + size], place + size
        elif wire == 2:
            size, place = _number(data, place)
            value, place = data[place:place + size], place + size
        else:
            _broken(f"got the wire type {wire}")
        if place > len(data):
            _broken(f"got one that ends at {place} of {len(data)}")
        yield key >> 3, wire, value


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _one(of, value):
    if of == "int":
        return _signed(value)
    if of in ("float", "double"):
        return struct.unpack("<f" if of == "float" else "<d", value)[0]
    return value.decode(errors="replace") if of == "text" else value if of == "bytes" else Message(of, value)


def _packed(of, data):
    if of == "int":
        place, made = 0, []
        while place < len(data):
            value, place = _number(data, place)
            made.append(_signed(value))
        return made
    letter, size = ("f", 4) if of == "float" else ("d", 8)
    return list(struct.unpack(f"<{len(data) // size}{letter}", data[:len(data) // size * size]))


def make_ndarray(tensor):
    """The NumPy array of a TensorProto. Raises: TypeError for dtypes that are not built."""
    import numpy
    from ._dtypes import as_dtype
    shape = [one.size for one in tensor.tensor_shape.dim]
    dtype = as_dtype(tensor.dtype)
    if dtype.name == "string":
        values = list(tensor.string_val)
        made = numpy.empty(len(values), dtype=object)
        made[:] = values
    elif tensor.tensor_content:
        return numpy.frombuffer(tensor.tensor_content, dtype.as_numpy_dtype).copy().reshape(shape)
    else:
        values = tensor.float_val or tensor.double_val or tensor.int_val or tensor.int64_val or tensor.bool_val or [0]
        made = numpy.array(values, dtype.as_numpy_dtype)
    count = int(numpy.prod(shape))
    return (numpy.repeat(made, count) if len(made) == 1 and count != 1 else made).reshape(shape)


def summary_iterator(path):
    """The events of an event file, one after another: `wall_time`, `step`, and `summary.value` with `tag`, `simple_value`,
    `tensor`, `histo`, `image` and `metadata`. Raises: NotFoundError, DataLossError for a broken file."""
    from .data import TFRecordDataset
    for record in TFRecordDataset(str(path)):
        yield Message("Event", record.numpy())
