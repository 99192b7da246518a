"""Graphs as messages: written to files, and made ops again."""

import contextlib
import os

from ... import _memory, _native, errors
from ..._messages import make_ndarray, message_class
from ..._tensor import convert_to_tensor, named
from . import _import_signatures
from ._graphs import get_default_graph, in_graph, name_scope

GraphDef = message_class("GraphDef")
NodeDef = message_class("NodeDef")
AttrValue = message_class("AttrValue")

_OWN_PRODUCER = 1  # the version that Lockstep writes; TensorFlow's are larger
# What the exporter adds to an op's own attributes; to those of ops on variables the dtype, too.
_ADDED = ("T", "_output_shapes", "Tcond", "Tin", "Tout")
# Ops whose nodes have TensorFlow's form in Lockstep's graphs, too.
_AS_IN_TENSORFLOW = ("Const", "Placeholder", "PlaceholderWithDefault", "NoOp", "Group", "VarHandleOp")


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph as a GraphDef, as text or in binary. Returns: the path."""
    found = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    os.makedirs(str(logdir), exist_ok=True)
    path = os.path.join(str(logdir), name)
    with open(path, "wb") as file:
        file.write(str(found).encode() if as_text else found.SerializeToString())
    return path


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the ops of a GraphDef, of Lockstep or of TensorFlow, to the graph that is built now, under the names
    `name`/... ("import" by default, "" for their own). Ops of TensorFlow are those of frozen models.

    Args: input_map: {name in the GraphDef: tensor that is taken instead}; return_elements: names of tensors ("x:0")
    and ops ("x") of the GraphDef.
    Returns: what return_elements names. Raises: TypeError for no GraphDef; ValueError for an input or a name that is not
    there; UnimplementedError with the names of all ops that Lockstep does not take: variables, functions, others."""
    if getattr(graph_def, "_kind", None) != "GraphDef":
        if not hasattr(graph_def, "SerializeToString"):
            raise TypeError(f"Argument `graph_def` must be a GraphDef proto. Received type {type(graph_def).__name__}")
        graph_def = GraphDef(graph_def.SerializeToString())
    if not in_graph():
        with get_default_graph().as_default():
            return import_graph_def(graph_def, input_map, return_elements, name)
    from ._import_ops import refuse_unknown
    own = is_own(graph_def)
    if not own:
        refuse_unknown(graph_def)
    with name_scope("import" if name is None else name) as prefix:
        values, ops = Import(graph_def, input_map or {}, own).all()
    return None if return_elements is None else [_element(one, values, ops, prefix) for one in return_elements]


def is_own(graph_def):
    """Whether Lockstep has written it."""
    return graph_def.versions.producer == _OWN_PRODUCER


def _element(name, values, ops, prefix):
    node, _, place = name.partition(":")
    if node not in ops:
        raise ValueError(f"Requested return_element {name!r} not found in graph_def.")
    if not place:
        if ops[node] is None:
            raise ValueError(f"[import_graph_def] a return_element that is an op must not be replaced, and have a value; got {name!r}; "
                             f"ask for {name + ':0'!r}")
        return ops[node]
    if int(place) >= len(values[node]):
        raise ValueError(f"Requested return_element {name!r} not found in graph_def: {node} has {len(values[node])} outputs")
    return values[node][int(place)]


def _attribute(value):
    """(kind, value) as `_native.emit` takes it; None for what only a file has."""
    kind = value.WhichOneof("value")
    if kind == "tensor":
        return "tensor", _constant(value.tensor)
    if kind == "shape":
        return "list(int)", _sizes(value.shape)
    if kind == "list":
        return ("list(float)", list(value.list.f)) if value.list.f else ("list(int)", list(value.list.i))
    return None if kind in (None, "func", "placeholder") else (kind, getattr(value, kind))


def _sizes(shape):
    return [one.size for one in shape.dim]


def _constant(tensor):
    from ..._dtypes import as_dtype
    dtype, count = as_dtype(tensor.dtype), 1
    for size in _sizes(tensor.tensor_shape):
        if size < 0:
            raise ValueError(f"the sizes of a constant must not be negative; got {_sizes(tensor.tensor_shape)}")
        count *= size
    _memory.require(count, max(1, dtype.size), "import_graph_def")
    return convert_to_tensor(make_ndarray(tensor), dtype=dtype)


def _no_first_value(node):
    """What a variable begins with whose first value was left out: an error, unless it is restored."""
    from ..._dtypes import as_dtype

    def refuse(_):
        raise errors.FailedPreconditionError(
            None, None, f"[import_meta_graph] the first value of {node.name!r} was left out, as Lockstep does not take its ops; "
            "restore the variable")
    return _native.host_call(refuse, [], [as_dtype(node.attr["dtype"].type)], [_sizes(node.attr["shape"].shape)])[0]


# What parsing a node's attributes and calling an op's function raise for a wrong node.
_WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def _by_name(graph_def):
    """The nodes of a GraphDef by name. Raises: ValueError for a name that two have, or that no node can have."""
    nodes = {}
    for node in graph_def.node:
        if not node.name or node.name.startswith("^") or ":" in node.name:
            raise ValueError(f"Node {node.name!r}: Node name contains invalid characters (op {node.op!r})")
        if node.name in nodes:
            raise ValueError(f"Node {node.name!r} is not unique (op {node.op!r})")
        nodes[node.name] = node
    return nodes


@contextlib.contextmanager
def _naming(node):
    """The time in which a node becomes an op: errors name the node and its op, and are of few classes. Raises:
    InvalidArgumentError, which is a ValueError, for a node that is wrong; ResourceExhaustedError; other OpErrors as they are."""
    try:
        yield
    except errors.OpError as error:
        raise type(error)(None, None, f"{error} (node {node.name!r} of the op {node.op!r} in the GraphDef)") from None
    except MemoryError:
        raise errors.ResourceExhaustedError(
            None, None, f"[import_graph_def] node {node.name!r} of the op {node.op!r} needs more memory than there is") from None
    except _WRONG as error:
        raise errors.InvalidArgumentError(
            None, None, f"[import_graph_def] node {node.name!r} of the op {node.op!r} is wrong: {type(error).__name__}: "
            f"{str(error)[:2000]}") from error


class Import:
    """The nodes of a GraphDef, made ops in an order in which inputs come first. `variables`: what has become of its
    variables, by name; where they are going to be `restored`, they may be without a first value."""

    def __init__(self, graph_def, input_map, own, untrained=(), restored=False):
        self._nodes = _by_name(graph_def)
        self._replaced = {key if ":" in key or key.startswith("^") else key + ":0": value
                          for key, value in input_map.items()}
        missing = [key for key in self._replaced if key.split(":")[0].lstrip("^") not in self._nodes]
        if missing:
            raise ValueError("Attempted to map inputs that were not found in graph_def: " + str(missing))
        self._own, self._untrained, self._restored = own, untrained, restored
        self._values, self._ops, self.variables = {}, {}, {}
        self.left_out = {}  # by name of a node: why; None where it is one that it needs

    def all(self):
        """(the tensors, the op) of each node by name."""
        for name in self._nodes:
            self._make(name)
        return self._values, self._ops

    def _make(self, name):
        """Makes a node and all that it needs, inputs first, without recursion."""
        waiting, on_the_way = [(name, iter(self._inputs(name)))], {name}
        while waiting:
            last, inputs = waiting[-1]
            missing = None if last in self._ops else next((one for one in inputs if one not in self._ops), None)
            if missing is None:
                waiting.pop()
                on_the_way.discard(last)
                if last not in self._ops:
                    self._one(self._nodes[last])
            elif missing in on_the_way:
                raise ValueError(f"[import_graph_def] a node must not wait for itself; got {missing!r} of the op "
                                 f"{self._nodes[missing].op!r}; loops of version 1 are not taken")
            else:
                waiting.append((missing, iter(self._inputs(missing))))
                on_the_way.add(missing)

    def _inputs(self, name):
        """The names of the nodes that a node needs. Raises: ValueError for one that is not there."""
        node = self._nodes[name]
        if node.op == "VarHandleOp":
            source = self._first_value(name)
            found = [] if source is None else [source]
        else:
            found = [one for one in node.input if self._place(one) not in self._replaced]
        found = [one.lstrip("^").split(":")[0] for one in found]
        for one in found:
            if one not in self._nodes:
                raise ValueError(f"Node {name!r}: Unknown input node {one!r} (op {node.op!r})")
        return found

    def _first_value(self, variable):
        """The input of the op that gives a variable its first value; None where it is going to be restored."""
        assign = self._nodes.get(variable + "/Assign")
        if assign is None or assign.op != "AssignVariableOp" or list(assign.input[:1]) != [variable] or len(assign.input) < 2:
            if self._restored:
                return None
            raise errors.UnimplementedError(
                None, None, f"[import_graph_def] a variable must have its first value by an op {variable + '/Assign'!r}; got none; "
                "make variables constants (convert_variables_to_constants_v2), or build that part of the graph anew")
        return assign.input[1]

    @staticmethod
    def _place(text):
        return text if ":" in text or text.startswith("^") else text + ":0"

    def _input(self, text):
        place = self._place(text)
        if place in self._replaced:
            return convert_to_tensor(self._replaced[place])
        node, _, number = place.partition(":")
        if not number.isdecimal() or int(number) >= len(self._values[node]):
            raise ValueError(f"[import_graph_def] an input must be there; got {text!r}, but {node!r} has "
                             f"{len(self._values[node])} outputs")
        return self._values[node][int(number)]

    def _one(self, node):
        if not self._restored:
            with _naming(node):
                return self._made(node)
        lacking = [one for one in self._inputs(node.name) if one in self.left_out]
        try:
            if not lacking:
                with _naming(node):
                    return self._made(node)
            self.left_out[node.name] = None
        except errors.OpError as error:
            self.left_out[node.name] = error
        self._keep(node.name, [], None)

    def _made(self, node):
        from ..._function import control_dependencies, device
        if node.name in self._ops:  # made with its variable
            return
        if not self._own or node.op in _AS_IN_TENSORFLOW:
            _import_signatures.check(node)
        if node.op == "VarHandleOp":
            with device(node.device or None):
                return self._variable(node)
        inputs = [self._input(one) for one in node.input if not one.startswith("^")]
        waits = [value for one in node.input if one.startswith("^")
                 for value in ([self._ops[one[1:]]] if self._ops[one[1:]] is not None else self._values[one[1:]][:1])]
        if node.op in ("NoOp", "Group"):
            return self._keep(node.name, [], self._as_operation(get_default_graph()._native.group(
                [getattr(one, "_native", one) for one in waits], node.name)))
        with control_dependencies(waits or None), device(node.device or None):
            if inputs and inputs[0].dtype.name == "resource":
                return self._on_variable(node, inputs)
            made = self._emitted(node, inputs)
        fresh = [one for one in made if one._symbolic and not any(one is other for other in inputs)]
        if fresh and len(made) == len(fresh):
            made = [named(made[0], node.name)] + made[1:] if len(made) == 1 else made
            self._ops[node.name] = self._operation(made[0])
        else:
            self._ops[node.name] = None
        self._values[node.name] = made

    def _keep(self, name, values, op):
        self._values[name], self._ops[name] = values, op

    def _variable(self, node):
        """A variable with the op that gives it its first value, and its read."""
        from ..._variable import Variable
        source = self._first_value(node.name)
        value = _no_first_value(node) if source is None else self._input(source)
        made = self.variables[node.name] = Variable(value, trainable=node.name not in self._untrained, name=node.name)
        handle = made._v.handle
        self._keep(node.name, [handle], None)
        self._keep(node.name + "/Assign", [], self._as_operation(_native.initializer_of(made._v)))
        for read in (node.name + "/Read", node.name + "/Read/ReadVariableOp"):
            if read in self._nodes and list(self._nodes[read].input) == [node.name]:
                value = get_default_graph().get_tensor_by_name(made._v.name + "/Read:0")
                self._keep(read, [value], self._operation(value))

    def _on_variable(self, node, inputs):
        attributes = {key: _attribute(value) for key, value in node.attr.items() if key not in (*_ADDED, "dtype")} if self._own else {}
        made = None if None in attributes.values() else _native.emit_node(node.op, inputs, attributes, node.name)
        if made is None:
            raise errors.UnimplementedError(None, None, f"[import_graph_def] the op {node.op!r} on a variable is not taken")
        self._keep(node.name, made[0], self._as_operation(made[1]))

    @staticmethod
    def _as_operation(native):
        from ._graphs import GraphOperation
        return GraphOperation(native, get_default_graph())

    def _operation(self, tensor):
        return self._as_operation(_native.operation_of(tensor))

    def _emitted(self, node, inputs):
        from ._import_ops import emit
        if not self._own or node.op in _AS_IN_TENSORFLOW:
            return emit(node, inputs)
        attributes = {key: _attribute(value) for key, value in node.attr.items() if key not in _ADDED}
        made = None
        if None not in attributes.values() and node.op != "PyFunction":
            made = _native.emit(node.op, inputs, attributes)
        if made is None:
            raise errors.UnimplementedError(
                None, None, f"[import_graph_def] ops must have values alone; got {node.op!r}, a branch, a loop or Python; build that "
                "part of the graph anew")
        return made
