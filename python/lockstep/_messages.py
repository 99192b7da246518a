"""Messages of TensorFlow's files (GraphDef, Event, TensorProto) in protocol buffers' wire format, and as text."""

import struct

from ._example import _field, _varint

# field number: (name, kind); a kind is "int", "type" (a dtype's number), "bool", "float", "double", "zigzag" (sint64), "text",
# "bytes", or another message's or an enum's name; "*" before a kind means many, "{" a map by texts, "#" one by integers.
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
    "TensorProto": {1: ("dtype", "type"), 2: ("tensor_shape", "TensorShapeProto"), 4: ("tensor_content", "bytes"),
                    5: ("float_val", "*float"), 6: ("double_val", "*double"), 7: ("int_val", "*int"),
                    8: ("string_val", "*bytes"), 10: ("int64_val", "*int"), 11: ("bool_val", "*bool"), 13: ("half_val", "*int")},
    "TensorShapeProto": {2: ("dim", "*Dim"), 3: ("unknown_rank", "bool")},
    "Dim": {1: ("size", "int"), 2: ("name", "text")},
    "FunctionGraphs": {1: ("partition_graphs", "*GraphDef"), 2: ("pre_optimization_graph", "GraphDef"),
                       3: ("post_optimization_graph", "GraphDef")},
    "RunMetadata": {3: ("partition_graphs", "*GraphDef"), 4: ("function_graphs", "*FunctionGraphs")},
    "GraphDef": {1: ("node", "*NodeDef"), 2: ("library", "FunctionDefLibrary"), 4: ("versions", "VersionDef")},
    "VersionDef": {1: ("producer", "int"), 2: ("min_consumer", "int")},
    "NodeDef": {1: ("name", "text"), 2: ("op", "text"), 3: ("input", "*text"), 4: ("device", "text"),
                5: ("attr", "{AttrValue")},
    "AttrValue": {1: ("list", "ListValue"), 2: ("s", "bytes"), 3: ("i", "int"), 4: ("f", "float"), 5: ("b", "bool"),
                  6: ("type", "type"), 7: ("shape", "TensorShapeProto"), 8: ("tensor", "TensorProto"),
                  9: ("placeholder", "text"), 10: ("func", "NameAttrList")},
    "ListValue": {2: ("s", "*bytes"), 3: ("i", "*int"), 4: ("f", "*float"), 5: ("b", "*bool"), 6: ("type", "*type"),
                  7: ("shape", "*TensorShapeProto"), 8: ("tensor", "*TensorProto"), 9: ("func", "*NameAttrList")},
    "NameAttrList": {1: ("name", "text"), 2: ("attr", "{AttrValue")},
    "FunctionDefLibrary": {1: ("function", "*FunctionDef")},
    "FunctionDef": {1: ("signature", "OpDef"), 3: ("node_def", "*NodeDef"), 4: ("ret", "{text"), 5: ("attr", "{AttrValue"),
                    6: ("control_ret", "{text")},
    "OpDef": {1: ("name", "text"), 2: ("input_arg", "*ArgDef"), 3: ("output_arg", "*ArgDef"),
              20: ("control_output", "*text")},
    "MetaGraphDef": {1: ("meta_info_def", "MetaInfoDef"), 2: ("graph_def", "GraphDef"), 3: ("saver_def", "SaverDef"),
                     4: ("collection_def", "{CollectionDef")},
    "MetaInfoDef": {1: ("meta_graph_version", "text"), 4: ("tags", "*text"), 5: ("tensorflow_version", "text")},
    "SaverDef": {1: ("filename_tensor_name", "text"), 2: ("save_tensor_name", "text"), 3: ("restore_op_name", "text"),
                 4: ("max_to_keep", "int"), 5: ("sharded", "bool"), 6: ("keep_checkpoint_every_n_hours", "float"),
                 7: ("version", "int")},
    "CollectionDef": {1: ("node_list", "NodeList"), 2: ("bytes_list", "BytesList"), 3: ("int64_list", "Int64List"),
                      4: ("float_list", "FloatList")},
    "NodeList": {1: ("value", "*text")}, "BytesList": {1: ("value", "*bytes")}, "Int64List": {1: ("value", "*int")},
    "FloatList": {1: ("value", "*float")},
    "VariableDef": {1: ("variable_name", "text"), 2: ("initializer_name", "text"), 3: ("snapshot_name", "text"),
                    4: ("save_slice_info_def", "SaveSliceInfoDef"), 5: ("is_resource", "bool"), 6: ("initial_value_name", "text"),
                    7: ("trainable", "bool"),
                    8: ("synchronization", "int"), 9: ("aggregation", "int")},
    "SaveSliceInfoDef": {1: ("full_name", "text"), 2: ("full_shape", "*int"), 3: ("var_offset", "*int"), 4: ("var_shape", "*int")},
    "ClusterDef": {1: ("job", "*JobDef")},
    "JobDef": {1: ("name", "text"), 2: ("tasks", "#text")},
    "ServerDef": {1: ("cluster", "ClusterDef"), 2: ("job_name", "text"), 3: ("task_index", "int"),
                  4: ("default_session_config", "ConfigProto"), 5: ("protocol", "text")},
    "ConfigProto": {1: ("device_count", "{int"), 2: ("intra_op_parallelism_threads", "int"), 3: ("placement_period", "int"),
                    4: ("device_filters", "*text"), 5: ("inter_op_parallelism_threads", "int"), 6: ("gpu_options", "GPUOptions"),
                    7: ("allow_soft_placement", "bool"), 8: ("log_device_placement", "bool"), 9: ("use_per_session_threads", "bool"),
                    10: ("graph_options", "GraphOptions"), 11: ("operation_timeout_in_ms", "int"),
                    12: ("session_inter_op_thread_pool", "*ThreadPoolOptionProto"), 13: ("rpc_options", "RPCOptions"),
                    14: ("cluster_def", "ClusterDef"), 15: ("isolate_session_state", "bool"),
                    17: ("share_cluster_devices_in_session", "bool")},
    "GPUOptions": {1: ("per_process_gpu_memory_fraction", "double"), 2: ("allocator_type", "text"),
                   3: ("deferred_deletion_bytes", "int"), 4: ("allow_growth", "bool"), 5: ("visible_device_list", "text"),
                   6: ("polling_active_delay_usecs", "int"), 7: ("polling_inactive_delay_msecs", "int"),
                   8: ("force_gpu_compatible", "bool")},
    "GraphOptions": {2: ("enable_recv_scheduling", "bool"), 3: ("optimizer_options", "OptimizerOptions"),
                     4: ("build_cost_model", "int"), 5: ("infer_shapes", "bool"), 6: ("place_pruned_graph", "bool"),
                     7: ("enable_bfloat16_sendrecv", "bool"), 8: ("timeline_step", "int"), 9: ("build_cost_model_after", "int"),
                     10: ("rewrite_options", "RewriterConfig")},
    "OptimizerOptions": {1: ("do_common_subexpression_elimination", "bool"), 2: ("do_constant_folding", "bool"),
                         3: ("opt_level", "OptimizerLevel"), 4: ("do_function_inlining", "bool"), 5: ("global_jit_level", "JitLevel"),
                         6: ("max_folded_constant_in_bytes", "int"), 7: ("cpu_global_jit", "bool")},
    "RewriterConfig": {1: ("layout_optimizer", "Toggle"), 2: ("disable_model_pruning", "bool"), 3: ("constant_folding", "Toggle"),
                       4: ("memory_optimization", "int"), 7: ("arithmetic_optimization", "Toggle"),
                       8: ("dependency_optimization", "Toggle"), 9: ("loop_optimization", "Toggle"),
                       10: ("function_optimization", "Toggle"), 11: ("debug_stripper", "Toggle"),
                       12: ("meta_optimizer_iterations", "int"), 13: ("shape_optimization", "Toggle"), 14: ("remapping", "Toggle"),
                       15: ("scoped_allocator_optimization", "Toggle"), 17: ("min_graph_nodes", "int"),
                       18: ("pin_to_host_optimization", "Toggle"), 19: ("disable_meta_optimizer", "bool"),
                       22: ("implementation_selector", "Toggle"), 23: ("auto_mixed_precision", "Toggle"),
                       24: ("common_subgraph_elimination", "Toggle")},
    "RPCOptions": {1: ("use_rpc_for_inprocess_master", "bool"), 2: ("compression_algorithm", "text"), 3: ("compression_level", "int"),
                   4: ("cache_rpc_response", "bool"), 5: ("disable_session_connection_sharing", "bool"),
                   6: ("num_channels_per_target", "int")},
    "ThreadPoolOptionProto": {1: ("num_threads", "int"), 2: ("global_name", "text")},
    "RunOptions": {1: ("trace_level", "TraceLevel"), 2: ("timeout_in_ms", "int"), 3: ("inter_op_thread_pool", "int"),
                   5: ("output_partition_graphs", "bool"), 7: ("report_tensor_allocations_upon_oom", "bool")},
    "ArgDef": {1: ("name", "text"), 2: ("description", "text"), 3: ("type", "type")},
}
_ENUMS = {"OptimizerLevel": {"L1": 0, "L0": -1}, "JitLevel": {"DEFAULT": 0, "OFF": -1, "ON_1": 1, "ON_2": 2},
          "Toggle": {"DEFAULT": 0, "ON": 1, "OFF": 2, "AGGRESSIVE": 3},
          "TraceLevel": {"NO_TRACE": 0, "SOFTWARE_TRACE": 1, "HARDWARE_TRACE": 2, "FULL_TRACE": 3}}
_EMPTY = {"int": 0, "type": 0, "bool": False, "float": 0.0, "double": 0.0, "text": "", "bytes": b"", "zigzag": 0,
          **dict.fromkeys(_ENUMS, 0)}
_NUMBERS = ("int", "type", "bool", "float", "double", "zigzag", *_ENUMS)
_GROUPS = {"Value": "value", "Event": "what", "CollectionDef": "kind", "AttrValue": "value"}  # the names of their groups
_ONE_OF = {"Value": ("simple_value", "image", "histo", "tensor"), "Event": ("file_version", "graph_def", "summary"),
           "CollectionDef": ("node_list", "bytes_list", "int64_list", "float_list"),
           "AttrValue": tuple(name for name, _ in _MESSAGES["AttrValue"].values())}


class _Repeated(list):
    """Messages of one kind."""

    def __init__(self, kind):
        super().__init__()
        self._kind = kind

    def add(self, **fields):
        """One more, with these fields."""
        self.append(Message(self._kind, **fields))
        return self[-1]


class _Map(dict):
    """Messages of one kind by name; one that is asked for is there from then on."""

    def __init__(self, kind):
        super().__init__()
        self._kind = kind

    def __missing__(self, name):
        made = self[name] = Message(self._kind)
        return made


class Message:
    """A message with its fields as attributes; what it does not have is 0, empty, or an empty message."""

    def __init__(self, kind, data=b"", **fields):
        self.__dict__.update(_kind=kind)
        self.Clear()
        if data:
            self.MergeFromString(data)
        for name, value in fields.items():
            if not any(own == name for own, _ in _MESSAGES[kind].values()):
                raise ValueError(f"Protocol message {kind} has no \"{name}\" field.")
            if value is None:
                continue
            held = getattr(self, name)
            if isinstance(held, list):
                held.extend(value)
            elif isinstance(held, dict):
                held.update(value)
            else:
                setattr(self, name, Message(held._kind, **value) if isinstance(held, Message) and isinstance(value, dict) else value)

    def Clear(self):
        """Takes all fields away."""
        kind = self._kind
        self.__dict__.clear()
        self.__dict__.update(_kind=kind, _has=set(), _unknown=[])
        for name, of in _MESSAGES[kind].values():
            if of[0] in "*{#":
                inner = of[1:]
                made = (list() if inner in _EMPTY else _Repeated(inner)) if of[0] == "*" else (
                    dict() if inner in _EMPTY else _Map(inner))
                self.__dict__[name] = made
            elif of in _EMPTY:
                self.__dict__[name] = _EMPTY[of]

    def MergeFromString(self, data):
        """Takes the fields of a serialized message, too. Raises: DataLossError for other bytes."""
        data = bytes(data)
        try:
            for number, wire, value in _fields(data):
                name, of = _MESSAGES[self._kind].get(number, (None, None))
                if name is not None and wire in _wires(of):
                    self._keep(name, of, wire, value)
                else:
                    self._unknown.append((number, wire, value))
        except (TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError, struct.error) as error:
            _broken(f"{type(error).__name__}: {error}")
        return len(data)

    def ParseFromString(self, data):
        """The same in place of what there was."""
        self.Clear()
        return self.MergeFromString(data)

    def _keep(self, name, of, wire, value):
        if of[0] in "{#":
            entry = {number: one for number, wire, one in _fields(value)
                     if wire in _wires("text" if number == 1 and of[0] == "{" else "int" if number == 1 else of[1:])}
            key = entry.get(1, b"").decode() if of[0] == "{" else _signed(entry.get(1, 0))
            getattr(self, name)[key] = _one(of[1:], entry.get(2, 0 if of[1:] in _NUMBERS else b""))
        elif of[0] == "*":
            getattr(self, name).extend(_packed(of[1:], value) if wire == 2 and of[1:] in _NUMBERS
                                       else [_one(of[1:], value)])
        elif isinstance(self.__dict__.get(name), Message):
            self.__dict__[name].MergeFromString(value)
        else:
            setattr(self, name, _one(of, value))

    def __setattr__(self, name, value):
        for own, of in _MESSAGES[self._kind].values():
            if own == name:
                break
        else:
            raise AttributeError(f"{self._kind} has no field {name!r}")
        group = _ONE_OF.get(self._kind, ())
        if name in group:
            self._has.difference_update(group)
        self._has.add(name)
        if isinstance(value, str) and of in _ENUMS:
            value = _ENUMS[of][value]
        self.__dict__[name] = value.encode() if of == "bytes" and isinstance(value, str) else value

    def __getattr__(self, name):
        for own, of in _MESSAGES.get(self.__dict__.get("_kind"), {}).values():
            if own == name:
                made = self.__dict__[name] = Message(of)
                return made
        raise AttributeError(f"{self.__dict__.get('_kind')} has no field {name!r}")

    def HasField(self, name):
        """Whether the message has a field."""
        held = self.__dict__.get(name)
        return name in self._has or isinstance(held, Message) and bool(held._encoded())

    def WhichOneof(self, group):
        """The name of the one field of a group that is there, or None. Raises: ValueError for a group that is not there."""
        if _GROUPS.get(self._kind, group) != group:
            raise ValueError(f"Protocol message {self._kind} has no oneof {group!r} field.")
        return next((one for one in _ONE_OF.get(self._kind, ()) if self.HasField(one)), None)

    def _present(self):
        """(number, name, kind, value) of each field that is written, in the order of numbers."""
        group = _ONE_OF.get(self._kind, ())
        for number in sorted(_MESSAGES[self._kind]):
            name, of = _MESSAGES[self._kind][number]
            value = self.__dict__.get(name)
            if of[0] in "*{#":
                if value:
                    yield number, name, of, value
            elif value is not None and self.HasField(name) and (
                    name in group or of not in _EMPTY or value != _EMPTY[of]):
                yield number, name, of, value

    def _encoded(self):
        parts = []
        for number, name, of, value in self._present():
            if of[0] in "{#":
                parts += [_field(number, (_field(1, key.encode()) if of[0] == "{" else _key(1, 0) + _varint(key))
                                 + _numbered(2, of[1:], value[key])) for key in sorted(value)]
            elif of[0] == "*" and of[1:] in _NUMBERS:
                parts.append(_field(number, b"".join(_bytes(of[1:], one) for one in value)))
            elif of[0] == "*":
                parts += [_field(number, _bytes(of[1:], one)) for one in value]
            else:
                parts.append(_numbered(number, of, value))
        for number, wire, value in self._unknown:
            parts.append(_field(number, value) if wire == 2 else _key(number, wire) + (
                _varint(value) if wire == 0 else value))
        return b"".join(parts)

    def SerializeToString(self, deterministic=True):
        """The bytes in protocol buffers' wire format; equal messages have equal ones."""
        return self._encoded()

    def ByteSize(self):
        return len(self._encoded())

    def CopyFrom(self, other):
        """Takes over the fields of another message of the kind."""
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other):
        """Takes the fields of another message of the kind, too; lists go on."""
        self.MergeFromString(other.SerializeToString())

    def ClearField(self, name):
        """Takes a field away."""
        of = next((of for own, of in _MESSAGES[self._kind].values() if own == name), None)
        if of is None:
            raise ValueError(f"Protocol message {self._kind} has no \"{name}\" field.")
        self._has.discard(name)
        self.__dict__.pop(name, None)
        if of[0] in "*{#":
            self.__dict__[name] = getattr(Message(self._kind), name)
        elif of in _EMPTY:
            self.__dict__[name] = _EMPTY[of]

    def __eq__(self, other):
        return isinstance(other, Message) and self._kind == other._kind and self._encoded() == other._encoded()

    __hash__ = None

    def _lines(self):
        lines = []
        for _, name, of, value in self._present():
            if of[0] in "{#":
                for key in sorted(value):
                    inner = _shown("value", of[1:], value[key])
                    lines += [f"{name} {{", f"  key: {_text_of('text' if of[0] == '{' else 'int', key)}", *["  " + one for one in inner], "}"]
            elif of[0] == "*":
                lines += [line for one in value for line in _shown(name, of[1:], one)]
            else:
                lines += _shown(name, of, value)
        return lines

    def __str__(self):
        """The text form."""
        return "".join(line + "\n" for line in self._lines())

    __repr__ = __str__


def _shown(name, of, value):
    if isinstance(value, Message):
        return [f"{name} {{", *["  " + line for line in value._lines()], "}"]
    return [f"{name}: {_text_of(of, value)}"]


def _text_of(of, value):
    from ._dtypes import BY_CODE
    from ._example import _float_text, _quoted
    if of in ("text", "bytes"):
        return _quoted(value.encode() if isinstance(value, str) else value)
    if of == "bool":
        return "true" if value else "false"
    if of == "float":
        return _float_text(value)
    if of == "double":
        return repr(float(value)).removesuffix(".0")
    if of in _ENUMS:
        return next((name for name, number in _ENUMS[of].items() if number == value), repr(value))
    if of == "type":
        known = BY_CODE[value] if 0 < value < len(BY_CODE) else None
        names = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
        return "DT_" + names.get(known.name, known.name.upper()) if known else str(int(value))
    return repr(value)


def _bytes(of, value):
    """The bytes of a value without its field's number."""
    if isinstance(value, Message):
        return value._encoded()
    if of in ("float", "double"):
        return struct.pack("<f" if of == "float" else "<d", value)
    if of in _NUMBERS:
        return _varint((int(value) << 1 ^ int(value) >> 63) if of == "zigzag" else int(value))
    return value.encode() if isinstance(value, str) else bytes(value)


def _numbered(number, of, value):
    """The bytes of a field."""
    data = _bytes(of, value)
    return _key(number, {"float": 5, "double": 1}.get(of, 0)) + data if of in _NUMBERS else _field(number, data)


def _key(number, wire):
    return _varint(number << 3 | wire)


def message_class(kind):
    """The class of messages of a kind, with `FromString`, and the values of its enums by name."""
    enums = {name: value for _, of in _MESSAGES[kind].values() for name, value in _ENUMS.get(of, {}).items()}
    return type(kind, (Message,), {**enums, "__init__": lambda self, data=b"", **fields: Message.__init__(self, kind, data, **fields),
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


def _wires(of):
    """The wire types that a field of a type may have; as in protobuf, one of another type counts as unknown."""
    if of[0] in "{#":
        return (2,)
    if of[0] == "*":
        return (*_wires(of[1:]), 2)
    return ({"float": 5, "double": 1}.get(of, 0) if of in _NUMBERS else 2,)


def _one(of, value):
    if of in ("int", "type") or of in _ENUMS:
        return _signed(value)
    if of == "bool":
        return bool(value)
    if of == "zigzag":
        return value >> 1 ^ -(value & 1)
    if of in ("float", "double"):
        return struct.unpack("<f" if of == "float" else "<d", value)[0]
    return value.decode(errors="replace") if of == "text" else value if of == "bytes" else Message(of, value)


def _packed(of, data):
    if of in ("int", "type", "bool") or of in _ENUMS:
        place, made = 0, []
        while place < len(data):
            value, place = _number(data, place)
            made.append(bool(value) if of == "bool" else _signed(value))
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
    from ._function import init_scope
    from .data import TFRecordDataset
    with init_scope():  # also beside a graph that is being built
        records = [record.numpy() for record in TFRecordDataset(str(path))]
    for record in records:
        yield Message("Event", record)
