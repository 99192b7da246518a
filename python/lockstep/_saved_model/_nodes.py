"""Nodes of a function in TensorFlow's form, with the attributes and names of outputs that its ops have."""

from .._dtypes import as_dtype
from .._tensor import convert_to_tensor
from .._tensor_proto import serialize
from ._protos import Message
from ._signatures import signature_of

RESOURCE, BOOL, INT32, INT64 = 20, 10, 3, 9


def attribute(value):
    """The AttrValue of a Python value: a bool, number, text, dtype, list of these, or a message."""
    made = Message("AttrValue")
    if isinstance(value, Message):
        kind = {"TensorShapeProto": "shape", "TensorProto": "tensor", "NameAttrList": "func", "ListValue": "list"}[value._kind]
        setattr(made, kind, value)
    elif isinstance(value, bool):
        made.b = value
    elif isinstance(value, Types):
        made.list = Message("ListValue", type=[int(one) for one in value])
    elif isinstance(value, Type):
        made.type = int(value)
    elif isinstance(value, int):
        made.i = value
    elif isinstance(value, float):
        made.f = value
    elif isinstance(value, (str, bytes)):
        made.s = value
    elif isinstance(value, (list, tuple)):
        made.list = Message("ListValue", **({"f": list(value)} if value and isinstance(value[0], float) else {"i": list(value)}))
    else:
        raise TypeError(f"[saved_model] no attribute can hold {type(value).__name__}")
    return made


class Type(int):
    """A dtype's number as an attribute."""


class Types(tuple):
    """Dtypes' numbers as an attribute."""


def function_name(name):
    return Message("NameAttrList", name=name)


class Endpoint(str):
    """The name of a value in a function, and its dtype's number."""

    def __new__(cls, name, dtype):
        made = str.__new__(cls, name)
        made.dtype = int(dtype)
        return made


class NodeWriter:
    """Collects the nodes of one FunctionDef, or with `is_graph` of a GraphDef, where values have other names."""

    def __init__(self, is_graph=False):
        self.nodes, self._used, self._is_graph = [], set(), is_graph
        self.last = None  # the node that was added last

    def unique(self, base):
        """A name that no node has."""
        base = "".join(one if one.isalnum() or one in "_./-" else "_" for one in base) or "node"
        base = base if base[0].isalnum() or base[0] == "." else "n" + base
        name, count = base, 0
        while name in self._used:
            count += 1
            name = f"{base}_{count}"
        self._used.add(name)
        return name

    def constant(self, value, dtype=None, name="Const"):
        """The Endpoint of a constant."""
        tensor = convert_to_tensor(value, dtype=None if dtype is None else as_dtype(dtype))
        return self.constant_of(Message("TensorProto", serialize(tensor)), name)

    def constant_of(self, proto, name="Const"):
        return self.add("Const", [], {"value": proto, "dtype": Type(proto.dtype)}, name)[0]

    def integers(self, values, name="Const"):
        """A vector of int32, or of int64 where a number needs that."""
        wide = any(not -2**31 <= one < 2**31 for one in values)
        return self.constant(convert_to_tensor(list(values), dtype="int64" if wide else "int32"), name=name)

    def add(self, op, inputs, attributes=None, name=None, controls=()):
        """Adds a node. An input that is a list stands for an argument of several values. Returns: its Endpoints."""
        signature = signature_of(op)
        node = Message("NodeDef", name=self.unique(name or op), op=op)
        made = dict(attributes or {})
        for argument, given in zip(signature.inputs, inputs):
            several = isinstance(given, (list, tuple))
            if argument.number:
                made.setdefault(argument.number, len(given))
            if argument.many:
                made.setdefault(argument.many, Types(one.dtype for one in given))
            if argument.type:
                made.setdefault(argument.type, Type((given[0] if several else given).dtype))
            node.input.extend(given if several else [given])
        node.input.extend("^" + one for one in controls if "^" + one not in node.input)
        for key, value in made.items():
            node.attr[key] = attribute(value)
        self.nodes.append(node)
        self.last = node
        return [self._endpoint(node, *one) for one in enumerate(self._outputs(signature, made))]

    @staticmethod
    def _outputs(signature, attributes):
        """(name, index in it, dtype) of each output."""
        found = []
        for one in signature.outputs:
            if one.many:
                found += [(one.name, place, dtype) for place, dtype in enumerate(attributes[one.many])]
                continue
            dtype = attributes[one.type] if one.type else RESOURCE if one.fixed == "resource" else as_dtype(one.fixed)
            found += [(one.name, place, dtype) for place in range(attributes[one.number] if one.number else 1)]
        return found

    def _endpoint(self, node, number, output):
        name, place, dtype = output
        if self._is_graph:
            return Endpoint(node.name if number == 0 else f"{node.name}:{number}", dtype)
        return Endpoint(f"{node.name}:{name}:{place}", dtype)
