"""Runs the nodes of a library's functions: each becomes the op of Lockstep that does the same, at once or while a function is traced.

A value is a tensor, a variable, a table or a TensorArray, which stands for TensorFlow's list of tensors. A node with inputs that are all
known now is run now, also while a function is traced, so sizes that a graph computes from shapes are numbers."""

from .. import _control_flow, _native, errors
from .._function import init_scope
from .._tensor import Tensor, convert_to_tensor
from .._tensor_array import TensorArray
from . import _ops
from ._files import broken
from ._signatures import signature_of

_MOST_DEPTH = 200  # of functions that call functions


class Library:
    """The functions of a file by name."""

    def __init__(self, functions, where):
        self.where = where
        self._functions = {one.signature.name: one for one in functions}
        self._bodies = {}

    def __contains__(self, name):
        return name in self._functions

    def body(self, name):
        """The Body of a function. Raises: DataLossError where the file has none of this name."""
        if name not in self._bodies:
            if name not in self._functions:
                raise broken(f"{self.where} must hold each function that it calls; {name!r} is missing")
            self._bodies[name] = Body(self, self._functions[name])
        return self._bodies[name]


class Body:
    """One function: its parameters, nodes and results."""

    def __init__(self, library, proto):
        self.library, self.proto, self.name = library, proto, proto.signature.name
        self.parameters = [one.name for one in proto.signature.input_arg]
        self.nodes = {one.name: one for one in proto.node_def}
        self.results = [proto.ret.get(one.name, "") for one in proto.signature.output_arg]
        self.effects = list(proto.control_ret.values())
        self.constants = {}

    def run(self, arguments, depth=0):
        """The results for these arguments. Raises: UnimplementedError that names an op which Lockstep does not have."""
        if len(arguments) != len(self.parameters):
            raise broken(f"the function {self.name!r} takes {len(self.parameters)} arguments; got {len(arguments)}")
        if depth > _MOST_DEPTH:
            raise broken(f"functions must not call each other more than {_MOST_DEPTH} deep; {self.name!r} does")
        return _Run(self, arguments, depth).all()


class _Run:
    """One pass over a function's nodes."""

    def __init__(self, body, arguments, depth):
        self.body, self.depth = body, depth
        self.values = {name: [value] for name, value in zip(body.parameters, arguments)}

    def all(self):
        for one in (*self.body.effects, *self.body.results):
            self._make(one.lstrip("^").split(":")[0])
        return [self._value(one) for one in self.body.results]

    def _make(self, name):
        """Makes a node after all that it needs."""
        waiting, open_ = [name], {name}
        while waiting:
            last = waiting[-1]
            missing = [] if last in self.values else [one for one in self._needs(last) if one not in self.values]
            if last in self.values or not missing:
                if last not in self.values:
                    self.values[last] = self._run(self.body.nodes[last])
                waiting.pop()
                open_.discard(last)
            elif missing[0] in open_:
                raise broken(f"a node must not need itself; {missing[0]!r} of {self.body.name!r} does")
            else:
                waiting.append(missing[0])
                open_.add(missing[0])

    def _needs(self, name):
        node = self.body.nodes.get(name)
        if node is None:
            raise broken(f"the function {self.body.name!r} needs a node {name!r}, which it does not have")
        return [one.lstrip("^").split(":")[0] for one in node.input]

    def _value(self, text):
        """The value of "node:output:index", "node:index" or a parameter's name."""
        name, *rest = text.split(":")
        values, node = self.values[name], self.body.nodes.get(name)
        place = 0
        if rest:
            place = int(rest[-1]) if rest[-1].isdecimal() else -1
            if len(rest) == 2 and node is not None:
                place += _first_output(node, rest[0])
        if not 0 <= place < len(values):
            raise broken(f"an input must be an output of a node; got {text!r} in {self.body.name!r}")
        return values[place]

    def _run(self, node):
        inputs = [self._value(one) for one in node.input if not one.startswith("^")]
        try:
            return self._outputs(node, inputs)
        except (errors.OpError, ValueError, TypeError) as error:
            if getattr(error, "_names_node", False):
                raise
            text = f"{error} (op {node.op}, node {node.name!r} of the function {self.body.name!r} of {self.body.library.where})"
            made = type(error)(None, None, text) if isinstance(error, errors.OpError) else type(error)(text)
            made._names_node = True
            raise made from error

    def _outputs(self, node, inputs):
        if node.op == "Const":
            if node.name not in self.body.constants:
                with init_scope():
                    self.body.constants[node.name] = _ops.constant(node)
            return [self.body.constants[node.name]]
        control = _CONTROL.get(node.op)
        if control is not None:
            return control(self, node, inputs)
        if node.op in self.body.library:  # the form of older files: the op is the function
            return self.body.library.body(node.op).run(inputs, self.depth + 1)
        if self._is_known(node, inputs):
            with init_scope():
                return _ops.run(node, inputs)
        return _ops.run(node, inputs)

    @staticmethod
    def _is_known(node, inputs):
        if node.op in _ops.STATEFUL or not _native.is_tracing():
            return False
        if node.op in ("Shape", "Size", "Rank"):
            return _ops.has_known_shape(node.op, inputs[0])
        return all(type(one) is Tensor and not one._symbolic for one in inputs)

    def function(self, node, name):
        """The Body that an attribute names."""
        return self.body.library.body(node.attr[name].func.name)

    def call(self, body):
        return lambda arguments: body.run(arguments, self.depth + 1)


def _first_output(node, name):
    """The number of the first output of this name among a node's outputs."""
    signature = signature_of(node.op)
    if signature is None or len(signature.outputs) < 2:
        return 0
    place = 0
    for one in signature.outputs:
        if one.name == name:
            return place
        place += node.attr[one.number].i if one.number else len(node.attr[one.many].list.type) if one.many else 1
    raise broken(f"the op {node.op} has no output {name!r}")


def _called(run, node, inputs):
    return run.call(run.function(node, "f"))(inputs)


def _is_carried(value):
    return isinstance(value, (Tensor, TensorArray))


def _branches(run, node, inputs):
    predicate, *arguments = inputs
    branches = [run.call(run.function(node, name)) for name in ("then_branch", "else_branch")]
    return _chosen(convert_to_tensor(predicate), branches, arguments)


def _cases(run, node, inputs):
    index, *arguments = inputs
    bodies = [run.body.library.body(one.name) for one in node.attr["branches"].list.func]
    made = _control_flow.switch_case(index, [(lambda body=body: tuple(run.call(body)(arguments))) for body in bodies])
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _chosen(predicate, branches, arguments):
    if predicate.dtype.name != "bool":
        predicate = convert_to_tensor(predicate) != 0
    known = None if not predicate._symbolic else _native.static_value(predicate)
    if not predicate._symbolic or known is not None:
        return branches[0 if bool(known if known is not None else predicate) else 1](arguments)
    made = _control_flow.cond(predicate, *[(lambda branch=branch: tuple(branch(arguments))) for branch in branches])
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _loop(run, node, inputs):
    """`While`: tensors and lists are carried from iteration to iteration; variables and tables stay what they are."""
    condition, body = (run.call(run.function(node, name)) for name in ("cond", "body"))
    carried = [place for place, one in enumerate(inputs) if _is_carried(one)]

    def whole(values):
        made = list(inputs)
        for place, one in zip(carried, values):
            made[place] = one
        return made

    def step(*values):
        results = body(whole(values))
        return tuple(results[place] for place in carried)
    start = tuple(inputs[place] for place in carried)
    if _native.is_tracing():
        start = tuple(_native.identity(one) if type(one) is Tensor else one for one in start)
    made = _control_flow.while_loop(lambda *values: condition(whole(values))[0], step, start)
    return whole(made if isinstance(made, (list, tuple)) else [made])


_CONTROL = {"PartitionedCall": _called, "StatefulPartitionedCall": _called, "If": _branches, "StatelessIf": _branches,
            "Case": _cases, "StatelessCase": _cases, "While": _loop, "StatelessWhile": _loop}
