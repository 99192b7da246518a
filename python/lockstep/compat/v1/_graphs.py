"""Graphs that are built first, and which of them is built now."""

import contextlib
import re
import weakref

from ... import _function, _native, _threads, errors, nest
from ..._dtypes import resource, use_version_1_shapes
from ..._function import Operation
from ..._thread_lists import ThreadList
from ..._variable import UnreadVariable, Variable, references

_by_key = weakref.WeakValueDictionary()


def _variable(native):
    """The Python object of a graph's variable, whether or not the program has kept it."""
    made = Variable._wrap(native)
    made._of_graph = True
    return made


class Graph:
    """A graph that is built first and run later, by a `Session`."""

    def __init__(self, native=None):
        self._native = native or _native.Graph()
        self.parts_of_variables = []  # the objects of variables that are parts of partitioned ones
        self._collections = {}
        self._variables = {}  # by name, of get_variable
        self._rank_free = set()  # runs that need no placeholder's number of axes
        self._of_gradients = set()  # the numbers of nodes that gradients made, where a placeholder has no shape
        self._not_fed, self._not_fetched = set(), set()  # names
        _by_key[self._native.key] = self

    @staticmethod
    def of(native):
        """The graph that a native one belongs to; always the same while it lives."""
        return _by_key.get(native.key) or Graph(native)

    def as_default(self):
        """A context in which everything that is computed becomes ops of the graph."""
        return _GraphContext(self)

    def get_operations(self):
        return [GraphOperation(one, self) for one in self._native.operations()]

    def get_operation_by_name(self, name):
        """The op of a name. Raises: KeyError where there is none."""
        try:
            return GraphOperation(self._native.operation_by_name(name), self)
        except (errors.NotFoundError, errors.InvalidArgumentError):
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.") from None

    def get_tensor_by_name(self, name):
        """The tensor of a name such as "x:0". Raises: ValueError for another form, KeyError where there is none."""
        if ":" not in name:
            if any(one.name == name for one in self._native.operations()):
                raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of the form "
                                 '"<op_name>:<output_index>".')
            raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor name. Tensor names must "
                             'be of the form "<op_name>:<output_index>".')
        try:
            return self._native.tensor_by_name(name)
        except (errors.NotFoundError, errors.InvalidArgumentError):
            of = name.partition(":")[0]
            try:
                found = f"exists but only has {len(self._native.operation_by_name(of).outputs())} outputs."
            except errors.NotFoundError:
                found = "does not exist in the graph."
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist. The operation, {of!r}, {found}") \
                from None

    @property
    def seed(self):
        """The seed from which its random ops follow that are made later; None at first."""
        return self._native.seed

    @seed.setter
    def seed(self, value):
        self._native.seed = None if value is None else int(value)

    version = property(lambda self: len(self._native.operations()))
    building_function = False

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or op of a name ("x:0", "x"), or the object itself. Raises: KeyError; ValueError for a name of the other
        kind; TypeError for an object of the other kind."""
        if not allow_tensor and not allow_operation:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        wanted = " or ".join(["Tensor"] * bool(allow_tensor) + ["Operation"] * bool(allow_operation))
        if not isinstance(obj, str):
            if not (allow_operation if isinstance(obj, GraphOperation) else allow_tensor):
                raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")
            return obj
        if ":" in obj and not allow_tensor:
            raise ValueError(f"Name {obj!r} appears to refer to a Tensor, not a {wanted}.")
        if ":" not in obj and not allow_operation:
            raise ValueError(f"Name {obj!r} appears to refer to an Operation, not a {wanted}.")
        return self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)

    def unique_name(self, name, mark_as_used=True):
        """The name that the next op of this name would get, which is taken from then on if it is to be marked."""
        return self._native.unique_name(name, bool(mark_as_used))

    def finalize(self):
        """From now on nothing may be added."""
        self._native.finalize()

    finalized = property(lambda self: self._native.finalized)

    def get_collection(self, name, scope=None):
        if name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES):
            own = self._native.variables() if name == GraphKeys.GLOBAL_VARIABLES \
                else self._native.trainable_variables()
            hidden = self._collections.get("lockstep/optimizers", [])
            if name == GraphKeys.GLOBAL_VARIABLES:
                hidden = hidden + self._collections.get("lockstep/elsewhere", [])
            return [_variable(one) for one in own
                    if (scope is None or re.match(scope, one.name)) and one.key not in hidden] + [
                one for one in self._collections.get("lockstep/open", [])
                if (scope is None or re.match(scope, one._v.name)) and (one.trainable or name == GraphKeys.GLOBAL_VARIABLES)]
        return [one for one in self._collections.get(name, [])
                if scope is None or re.match(scope, getattr(one, "name", ""))]

    def get_collection_ref(self, name):
        """The list itself that a collection is."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self):
        """The names of the collections that hold something."""
        own = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES]
        return [one for one in own if self.get_collection(one)] + [
            name for name, values in self._collections.items() if values and not name.startswith("lockstep/")]

    def clear_collection(self, name):
        """Forgets what a collection holds."""
        self._collections.pop(name, None)

    def add_to_collection(self, name, value):
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        """Adds to each of the collections."""
        for one in dict.fromkeys([names] if isinstance(names, str) else names):
            self.add_to_collection(one, value)

    def keep_out_of_globals(self, variable):
        """A variable that belongs to other collections alone, such as the local ones."""
        self.add_to_collection("lockstep/elsewhere", variable._v.key)

    collections = property(lambda self: self.get_all_collection_keys())

    def prevent_feeding(self, tensor):
        """From now on runs refuse to be fed with the tensor."""
        self._not_fed.add(_native.name_of(tensor))

    def is_feedable(self, tensor):
        """Whether runs may be fed with the tensor."""
        return not self._not_fed or _native.name_of(tensor) not in self._not_fed

    def prevent_fetching(self, op):
        """From now on runs refuse to be asked for the op and its tensors."""
        self._not_fetched.add(op.name)

    def is_fetchable(self, tensor_or_op):
        """Whether runs may be asked for a tensor or an op."""
        return not self._not_fetched or tensor_or_op.name.partition(":")[0] not in self._not_fetched

    def colocate_with(self, op, ignore_existing=False):
        from ._functions import colocate_with
        return colocate_with(op, ignore_existing)

    def container(self, container_name):
        return contextlib.nullcontext(container_name)

    def control_dependencies(self, control_inputs):
        from ..._function import control_dependencies
        return control_dependencies(control_inputs)

    def gradient_override_map(self, op_type_map):
        """A context in which ops of a kind have the gradient that `tf.RegisterGradient` has registered by a name, as
        {"Relu": "GuidedRelu"}. Raises: TypeError for what is no such map."""
        from ..._gradient_maps import override_map
        return override_map(self, op_type_map)

    def device(self, name):
        from ..._function import device
        return device(name)

    def name_scope(self, name):
        return name_scope(name)

    def get_name_scope(self):
        """The open scopes: "a/b"."""
        return _function.name_scope_prefix().rstrip("/")

    def as_graph_def(self, from_version=None, add_shapes=False, use_pybind11_proto=False):
        """The graph as a GraphDef: ops under Lockstep's names (TensorFlow's, where it has them), each with its shapes."""
        from ._graph_defs import GraphDef
        return GraphDef(self._native.graph_def())

    def to_dot(self):
        """The graph in the language of Graphviz."""
        return self._native.dot()


def _whole_name(device):
    from ...device_spec import DeviceSpec
    return DeviceSpec.from_string(device).to_string()


class GraphOperation:
    """An op of a graph."""

    def __init__(self, native, graph):
        self._native = native
        self.graph = graph

    name = property(lambda self: self._native.name)

    @property
    def type(self):
        kind = self._native.type
        if kind == "Const" and self._native.outputs()[0].dtype == resource:
            return "VarHandleOp"
        return {"Group": "NoOp"}.get(kind, kind)

    device = property(lambda self: _whole_name(self._native.device))
    outputs = property(lambda self: self._native.outputs())
    inputs = property(lambda self: tuple(self._native.inputs()))
    @property
    def node_def(self):
        """The op as a GraphDef has it: `name`, `op`, `input`, `device`, `attr`."""
        return next(one for one in self.graph.as_graph_def().node if one.name == self.name)

    def colocation_groups(self):
        """The names of the ops with which it is together: [b"loc:@NAME"], its own where there is none."""
        attributes = self.node_def.attr
        return list(attributes["_class"].list.s) if "_class" in attributes else [f"loc:@{self.name}".encode()]

    control_inputs = property(lambda self: [GraphOperation(one, self.graph) for one in self._native.control_inputs()])

    def run(self, feed_dict=None, session=None):
        from ._sessions import get_default_session
        (session or get_default_session()).run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


_graphs = ThreadList()  # those that are default


class _GraphContext:
    def __init__(self, graph):
        self._graph = graph

    def __enter__(self):
        self._scope = _native.GraphScope(self._graph._native)
        self._scope.enter()
        _graphs().append(self._graph)
        return self._graph

    def __exit__(self, *_):
        _graphs().pop()
        self._scope.exit()


_global = Graph()
_without_eager = [False]


def in_graph():
    """Whether ops are added to a graph."""
    return _native.has_graph()


def get_default_graph():
    """The graph to which ops are added now."""
    graphs = _graphs()
    return graphs[-1] if graphs else _global


def reset_default_graph():
    """The process's graph becomes an empty one."""
    global _global
    _global = Graph()
    if _without_eager[0] and len(_graphs()) == 1:
        _leave()
        _enter()


_permanent = []


def _enter():
    context = _global.as_default()
    context.__enter__()
    _permanent.append(context)


def _leave():
    _permanent.pop().__exit__()


def _own_graph():
    return Graph().as_default() if _without_eager[0] else contextlib.nullcontext()


def disable_eager_execution():
    """From now on what this thread computes becomes ops of the default graph, and what a thread that starts later computes those of
    a graph of its own, until it enters another."""
    if not _without_eager[0]:
        _without_eager[0] = True
        _enter()
        _threads.enter_in_threads(_own_graph)


def enable_eager_execution(*_, **__):
    """Ops happen at once again."""
    if _without_eager[0]:
        _without_eager[0] = False
        _leave()


def disable_v2_behavior():
    """Version 1 altogether: graphs, shapes of `Dimension`s, variables that show as references."""
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_resource_variables()


def enable_v2_behavior():
    """Version 2 again."""
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()


def disable_v2_tensorshape():
    """From now on the sizes of shapes are `Dimension`s, with a `value`, and one that is not known shows as "?"."""
    use_version_1_shapes(True)


def enable_v2_tensorshape():
    """The sizes of shapes are numbers and None again."""
    use_version_1_shapes(False)


def disable_control_flow_v2():
    pass


def enable_control_flow_v2():
    pass


def control_flow_v2_enabled():
    """Whether loops and branches are ops with bodies of their own: always."""
    return True


def disable_resource_variables():
    """From now on variables of graphs show as TensorFlow's references do. They stay what they are: reads take snapshots."""
    references[0] = True


def enable_resource_variables():
    """Variables show as those with handles again."""
    references[0] = False


def control(control_inputs):
    return None


def graph_group(inputs, options):
    """An op of the graph that is done when all inputs are; None outside of graphs."""
    if not in_graph():
        return None
    fetches = _targets(nest.flatten(list(inputs)))
    return GraphOperation(get_default_graph()._native.group(fetches, options.get("name") or "group_deps"),
                          get_default_graph())


def graph_variable(args, kwargs):
    return None


def graph_gradients(*_):
    return None


def _targets(leaves):
    made = []
    for one in leaves:
        if one is None:
            continue
        if isinstance(one, GraphOperation):
            made.append(one._native)
        elif isinstance(one, UnreadVariable):
            made.append(one._value)
        elif isinstance(one, Variable):
            made.append(getattr(one, "_now", one._v))
        elif isinstance(one, Operation):
            made.extend(one.tensors)
        else:
            made.append(one)
    return made


class GraphKeys:
    GLOBAL_VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"
    READY_OP = "ready_op"
    SAVERS = "savers"
    SUMMARY_OP = "summary_op"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    GLOBAL_STEP = "global_step"
    REGULARIZATION_LOSSES = "regularization_losses"
    VARIABLES = GLOBAL_VARIABLES
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES, LOCAL_RESOURCES = "resources", "local_resources"
    LOCAL_INIT_OP, READY_FOR_LOCAL_INIT_OP = "local_init_op", "ready_for_local_init_op"
    EVAL_STEP = "eval_step"
    COND_CONTEXT, WHILE_CONTEXT = "cond_context", "while_context"


class name_scope(_function.name_scope):
    """A prefix of the names of ops in graphs, and of variables."""

    def __init__(self, name=None, default_name=None, values=None):
        super().__init__(default_name if name is None else name)


def executing_eagerly_outside_functions():
    """Whether ops happen at once here, or would if no function were being traced."""
    return not _without_eager[0] and not in_graph()
