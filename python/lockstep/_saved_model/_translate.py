"""Graphs of Lockstep as functions of TensorFlow."""

from . import _more_rules
from ._nodes import Endpoint, function_name, NodeWriter, RESOURCE, Types
from ._protos import Message
from ._structures import shape_proto

_EFFECTS = frozenset("AssignVariableOp AssignAddVariableOp AssignSubVariableOp Assert PrintV2 If While StatefulPartitionedCall".split())


class GraphTranslator:
    """Writes graphs, with the bodies of their branches and loops, into a library.

    Args: library: the FunctionDefs; handle_data: {address of a variable: (dtype, shape)}."""

    def __init__(self, library, names, handle_data):
        self.library, self._names, self.handle_data = library, names, handle_data

    def unique(self, base):
        name, count = base, 0
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        return name

    def function(self, name, graph_def, parameters):
        """Writes a graph as a function. `parameters`: the names of its inputs. Returns: (the function's name, the addresses of the
        variables that it takes behind them)."""
        bodies = {one.signature.name: one for one in graph_def.library.function}
        results = [one for one in graph_def.node if one.name.startswith("result_") and one.op == "Identity"]
        results.sort(key=lambda one: int(one.name.rpartition("_")[2]))
        nodes = [one for one in graph_def.node if one not in results]
        body = _Body(self, bodies)
        body.begin(parameters, [one for one in nodes if one.op == "Placeholder"])
        body.nodes([one for one in nodes if one.op != "Placeholder"])
        outputs = [body.value(one.input[0]) for one in results]
        return body.finish(self.unique(name), [f"identity_{place}" if place else "identity" for place in range(len(outputs))], outputs)


class _Body:
    """One function while it is written."""

    def __init__(self, translator, bodies):
        self._translator, self._bodies = translator, bodies
        self.w = NodeWriter()
        self._values, self._made, self._effects = {}, {}, []
        self._variables, self._arguments, self._handles = {}, [], {}  # variables: {address: Endpoint of the argument}

    def begin(self, names, placeholders):
        for name, node in zip(names, placeholders):
            made = Endpoint(self.w.unique(name), node.attr["dtype"].type)
            self._arguments.append(made)
            self._values[node.name, 0] = made

    def variable(self, address):
        """The argument that a variable is."""
        if address not in self._variables:
            self._variables[address] = Endpoint(self.w.unique(f"resource_{len(self._variables)}"), RESOURCE)
        return self._variables[address]

    def nodes(self, nodes):
        for node in nodes:
            first = len(self.w.nodes)
            self._node(node)
            fresh = self.w.nodes[first:]
            self._made[node.name] = fresh[-1].name if fresh else None
            self._effects += [one.name for one in fresh if one.op in _EFFECTS]
            controls = [made for one in node.input if one.startswith("^") and (made := self._made.get(one[1:])) is not None]
            if controls and fresh:
                target = next((one for one in fresh if any(piece in self._variables.values() for piece in one.input)), fresh[0])
                target.input.extend("^" + one for one in controls if "^" + one not in target.input and one != target.name)

    def _node(self, node):
        if node.op == "VarHandleOp":
            self._handles[node.name] = node.attr["shared_name"].s.decode()
            return
        inputs = [one for one in node.input if not one.startswith("^")]
        if node.op in ("NoOp", "Group", "RngReadAndSkip"):
            self._values[node.name, 0] = None
            return
        if node.op in ("If", "While"):
            made = (self._branches if node.op == "If" else self._loop)(node, [self.value(one) for one in inputs])
        else:
            made = _more_rules.translate(self.w, node, [self.value(one) for one in inputs])
        for place, one in enumerate(made):
            self._values[node.name, place] = one

    def value(self, text):
        """The Endpoint of an input of a node: "name", "name:1" in graphs, "name:output:1" in bodies."""
        name, *rest = text.split(":")
        if name in self._handles:
            return self.variable(self._handles[name])
        return self._values[name, int(rest[-1]) if rest else 0]

    def _captures(self, names):
        """The addresses of the variables that functions read, also inside of others, in a fixed order."""
        found, waiting = {}, list(names)
        while waiting:
            for node in self._bodies[waiting.pop()].node_def:
                if node.op == "VarHandleOp":
                    found[node.attr["shared_name"].s.decode()] = True
                waiting += [one.func.name for one in node.attr.values() if one.WhichOneof("value") == "func"]
        return sorted(found)

    def _inner(self, name, captures, extra=()):
        """A body's writer, begun with its parameters, the variables, and `extra` arguments."""
        proto = self._bodies[name]
        body = _Body(self._translator, self._bodies)
        for one in proto.signature.input_arg:
            made = Endpoint(body.w.unique(one.name), one.type)
            body._arguments.append(made)
            body._values[one.name, 0] = made
        for address in captures:
            body.variable(address)
        body.extra = [Endpoint(body.w.unique(one), dtype) for one, dtype in extra]
        body.nodes(proto.node_def)
        return body, [body.value(proto.ret[one.name]) for one in proto.signature.output_arg]

    def _branches(self, node, inputs):
        names = [node.attr[one].func.name for one in ("then_branch", "else_branch")]
        captures = self._captures(names)
        attributes = {"Tout": Types(node.attr["Tout"].list.type)}
        for key, name in zip(("then_branch", "else_branch"), names):
            body, outputs = self._inner(name, captures)
            made, _ = body.finish(self._translator.unique(name), [f"result_{one}" for one in range(len(outputs))], outputs)
            attributes[key] = function_name(made)
        return self.w.add("If", [inputs[0], inputs[1:] + [self.variable(one) for one in captures]], attributes, node.name)

    def _loop(self, node, inputs):
        """A loop with as many iterations as its attribute allows counts them in a further variable, the last one."""
        names = [node.attr[one].func.name for one in ("cond", "body")]
        captures = self._captures(names)
        most = node.attr["maximum_iterations"].i if "maximum_iterations" in node.attr else -1
        extra = [("iteration", 3)] if most >= 0 else []
        condition, holds = self._inner(names[0], captures, extra)
        step, outputs = self._inner(names[1], captures, extra)
        outputs = outputs + [step.variable(one) for one in captures]
        if extra:
            below = condition.w.add("Less", [condition.extra[0], condition.w.constant(most, "int32")])[0]
            holds = condition.w.add("LogicalAnd", [holds[0], below])
            outputs += step.w.add("AddV2", [step.extra[0], step.w.constant(1, "int32")])
        arguments = inputs + [self.variable(one) for one in captures] + ([self.w.constant(0, "int32")] if extra else [])
        made = {"cond": function_name(condition.finish(self._translator.unique(names[0]), ["result"], holds)[0]),
                "body": function_name(step.finish(self._translator.unique(names[1]), [f"result_{one}" for one in range(len(outputs))],
                                                  outputs)[0]),
                "output_shapes": Message("ListValue", shape=[shape_proto(None)] * len(arguments)), "parallel_iterations": 10}
        return self.w.add("While", [arguments], made, node.name)

    extra = ()

    def finish(self, name, result_names, results):
        """Adds the function to the library. Returns: (its name, the addresses of the variables that it takes)."""
        made = Message("FunctionDef")
        made.signature = Message("OpDef", name=name, is_stateful=bool(self._variables or self._effects))
        for one in self._arguments:
            made.signature.input_arg.add(name=one, type=one.dtype)
        for address, one in self._variables.items():
            dtype, shape = self._translator.handle_data[address]
            made.signature.input_arg.add(name=one, type=RESOURCE, handle_data=[Message("HandleData", dtype=dtype, shape=shape)])
        for one in self.extra:
            made.signature.input_arg.add(name=one, type=one.dtype)
        used = set()
        for result_name, one in zip(result_names, results):
            if ":" not in one:  # an argument: a result is a node's
                one = self.w.add("Identity", [one], {}, result_name)[0]
            while result_name in used or any(result_name == argument for argument in self._arguments):
                result_name += "_"
            used.add(result_name)
            made.signature.output_arg.add(name=result_name, type=one.dtype)
            made.ret[result_name] = one
        for one in self._effects:
            made.signature.control_output.append(one)
            made.control_ret[one] = one
        made.node_def.extend(self.w.nodes)
        self._translator.library.append(made)
        return name, list(self._variables)
