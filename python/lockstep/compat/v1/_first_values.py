"""Ops that give variables their first values."""

from ... import _native
from ..._function import Operation
from ..._open_variable import OpenVariable
from ..._tensor import convert_to_tensor, Tensor
from ._graphs import get_default_graph, GraphOperation, in_graph
from ._variables import global_variables, local_variables


class _Initializers(Operation):
    """Gives eager variables their first values again."""

    def __init__(self, variables):
        super().__init__([], "init")
        self.variables = variables


def _then_from_files(initializer, graph):
    """The op, and behind it the values that `init_from_checkpoint` has read."""
    from ..._function import control_dependencies, group
    read = graph.get_collection("lockstep/first")
    if not read:
        return initializer
    with control_dependencies([initializer]):
        return group(*[variable.assign(value) for variable, value in read])


def _with_open(initializer, graph, variables):
    """The op, and those that give variables of open shapes their first values."""
    if not variables:
        return initializer
    made = graph._native.group([initializer._native, *(one.initializer._native for one in variables)], "init")
    return GraphOperation(made, graph)


def global_variables_initializer():
    """An operation that gives all variables their first values, but local ones."""
    if in_graph():
        graph = get_default_graph()
        apart = graph.get_collection("lockstep/elsewhere")
        made = graph._native.initializer() if not apart else _native.variables_initializer(
            [one for one in graph._native.variables() if one.key not in apart])
        return _then_from_files(_with_open(GraphOperation(made, graph), graph, graph.get_collection("lockstep/open")), graph)
    return _Initializers(None)


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    """An operation that gives local variables their first values."""
    if in_graph():
        graph = get_default_graph()
        own = local_variables()
        return variables_initializer(own) if own else GraphOperation(graph._native.group([]), graph)
    return Operation([], "init_local")


initialize_local_variables = local_variables_initializer


def tables_initializer(name="init_all_tables"):
    """An operation that does nothing: tables have their values when they are made."""
    return GraphOperation(get_default_graph()._native.group([], name), get_default_graph()) if in_graph() else Operation([], name)


def variables_initializer(var_list, name="init"):
    """The same for some variables."""
    if not in_graph():
        return _Initializers(list(var_list))
    graph = get_default_graph()
    var_list = list(var_list)
    open_ones = [one for one in var_list if isinstance(one, OpenVariable)]
    if open_ones:
        rest = variables_initializer([one for one in var_list if one not in open_ones], name)
        return _with_open(rest, graph, open_ones)
    if not var_list or name != "init":
        first = [_native.variables_initializer([one._v for one in var_list])] if var_list else []
        return GraphOperation(graph._native.group(first, name), graph)
    return GraphOperation(_native.variables_initializer([one._v for one in var_list]), graph)


def initializer_of(variable):
    """The op that gives a variable of a graph its first value, "NAME/Assign"."""
    try:
        return get_default_graph().get_operation_by_name(f"{variable._v.name}/Assign")
    except KeyError:  # of a graph that was imported
        return variables_initializer([variable])


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of variables that have no value in the session, a vector of texts."""
    from ... import ops_array
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not in_graph():
        return convert_to_tensor([], dtype="string")
    if not variables:
        return convert_to_tensor([], dtype="string")
    flags = ops_array.stack([is_variable_initialized(one) for one in variables])
    names = [one.op.name if hasattr(one.op, "name") else one.name for one in variables]
    plain = [one.removesuffix(":0").encode() for one in names]

    def missing(values):
        have = values[0].numpy().tolist()
        return [convert_to_tensor([one for one, there in zip(plain, have) if not there], dtype="string")]
    return _native.host_call(missing, [flags], [7], [[-1]])[0]


def is_variable_initialized(variable):
    if isinstance(variable, OpenVariable):
        return variable.is_initialized()
    return _native.is_variable_initialized(variable._v)


def _initialize(variables):
    from ..._variable import _by_key, _initial
    if variables is None:
        variables = [one for one in list(_by_key.values()) if one._initial is not None]
    for one in variables:
        value = _initial(one._initial, one._initial_dtype)
        one.assign(value() if callable(value) and not isinstance(value, Tensor)
                   else convert_to_tensor(value))
