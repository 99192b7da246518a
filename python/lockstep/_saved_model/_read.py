"""`tf.saved_model.load`: the objects of a SavedModel."""

import os

from .. import _attribute_containers, errors
from .._damage import no_damage, reading
from .._dtypes import as_dtype
from .._tensor import convert_to_tensor
from .._variable import Variable
from ..module import Module
from . import _files, _ops
from ._files import broken
from ._calls import Library
from ._protos import Message
from ._restored import python_signature, RestoredConcrete, RestoredFunction, SignatureMap
from ._structures import decode, shape_of

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_LISTS, _DICTS, _TUPLES = "trackable_list_wrapper", "trackable_dict_wrapper", "trackable_tuple_wrapper"


def load(export_dir, tags=None):
    """The object that was saved. Raises: OSError where there is no SavedModel; ValueError for other tags; DamagedFileError."""
    path, prefix = _files.paths_of(export_dir)
    meta = _files.meta_graph_of(_files.read(export_dir), tags, path)
    with reading(path):
        if not meta.object_graph_def.nodes:
            raise no_damage(NotImplementedError(f"[saved_model] {path} is of TensorFlow 1: it has a graph and no objects, which is not "
                                                "read; load it in TensorFlow 2 and save it again"))
        return _Loader(meta, path, prefix).root()


def values_reader(prefix):
    """The CheckpointReader of a SavedModel's variables; None where it has none."""
    from ..train import CheckpointReader
    return CheckpointReader(prefix) if os.path.exists(prefix + ".index") else None


class _Loader:
    """Makes the nodes of the object graph, each when it is asked for first."""

    def __init__(self, meta, path, prefix):
        self._meta, self._path, self._prefix = meta, path, prefix
        self._nodes = meta.object_graph_def.nodes
        self._concretes_of = meta.object_graph_def.concrete_functions
        self._library = Library(meta.graph_def.library.function, path)
        self._graph_nodes = {one.name: one for one in meta.graph_def.node}
        self._made, self._concretes = {}, {}
        self._reader = values_reader(prefix)
        self._keys = self._checkpoint_keys()

    def root(self):
        for number in range(len(self._nodes)):
            self._object(number)
        for number, node in enumerate(self._nodes):
            self._add_children(number, node)
        made = self._object(0)
        if isinstance(made, Module):
            made.__dict__["tensorflow_version"] = self._meta.meta_info_def.tensorflow_version
            made.__dict__["tensorflow_git_version"] = ""
            made.__dict__["graph_debug_info"] = None
            if "signatures" not in made.__dict__:
                made.__dict__["signatures"] = SignatureMap()
        return made

    def _checkpoint_keys(self):
        """{number of a node: key in the checkpoint} of the variables: both graphs are walked along equal names of children."""
        if self._reader is None or not self._reader.has_tensor(_OBJECTS):
            return {}
        with reading(self._prefix + ".index"):
            saved = Message("TrackableObjectGraph", bytes(self._reader.get_tensor(_OBJECTS))).nodes
            keys, waiting, seen = {}, [(0, 0)], set()
            while waiting:
                own, other = waiting.pop()
                if own in seen:
                    continue
                seen.add(own)
                if saved[other].attributes:
                    keys[own] = saved[other].attributes[0].checkpoint_key
                places = {one.local_name: one.node_id for one in saved[other].children}
                waiting += [(one.node_id, places[one.local_name]) for one in self._node(own).children if one.local_name in places]
            return keys

    def _node(self, number):
        if not 0 <= number < len(self._nodes):
            raise broken(f"objects must have numbers below {len(self._nodes)}; got {number}")
        return self._nodes[number]

    def _object(self, number):
        if number not in self._made:
            node = self._node(number)
            kind = node.WhichOneof("kind") or "user_object"
            self._made[number] = None  # a function that captures itself captures nothing
            self._made[number] = getattr(self, "_" + kind)(number, getattr(node, kind))
        return self._made[number]

    def _user_object(self, number, proto):
        if proto.identifier == "signature_map":
            return SignatureMap()
        if proto.identifier == _LISTS:
            return _attribute_containers.wrap([])
        if proto.identifier == _DICTS:
            return _attribute_containers.wrap({})
        if proto.identifier == _TUPLES:
            children = [one for one in self._node(number).children if one.local_name.isdecimal()]
            children.sort(key=lambda one: int(one.local_name))
            return tuple(self._object(one.node_id) for one in children)
        return object.__new__(_class_of([one.local_name for one in self._node(number).children]))

    def _variable(self, number, proto):
        dtype, shape = as_dtype(proto.dtype), shape_of(proto.shape)
        key = self._keys.get(number)
        if key is None or not self._reader.has_tensor(key):
            if dtype.name == "resource":
                raise errors.UnimplementedError(None, None, "[saved_model] variables must hold numbers or texts")
            raise broken(f"the checkpoint {self._prefix} must hold each variable; {proto.name!r} is missing")
        with reading(self._prefix):
            value = self._reader._bundle.read(key)
            if value.dtype != dtype or not shape.is_compatible_with(value.shape):
                raise broken(f"the variable {proto.name!r} must be {dtype.name} of the shape "
                             f"{shape}; the checkpoint has {value.dtype.name} of {value.shape}")
        open_shape = {"shape": shape} if not shape.is_fully_defined() else {}
        return Variable(value, trainable=proto.trainable, name=proto.name or None, synchronization=max(0, min(proto.synchronization, 3)),
                        aggregation=_aggregation(proto.aggregation), **open_shape)

    def _constant(self, number, proto):
        node = self._graph_nodes.get(proto.operation)
        if node is None or node.op != "Const":
            raise broken(f"a constant must be a node of the graph; {proto.operation!r} is not")
        return _ops.constant(node)

    def _captured_tensor(self, number, proto):
        body = self._library.body(proto.concrete_function)
        node = body.nodes.get(proto.name.split(":")[0])
        return _ops.constant(node) if node is not None and node.op == "Const" else None  # of a gradient function, which is not called

    def _asset(self, number, proto):
        assets = self._meta.asset_file_def
        if not 0 <= proto.asset_file_def_index < len(assets):
            raise broken(f"an asset must have a number below {len(assets)}")
        name = assets[proto.asset_file_def_index].filename
        folder = os.path.join(os.path.dirname(self._path), "assets")
        if os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
            raise broken(f"assets must lie in {folder}; got {name!r}")
        return convert_to_tensor(os.path.join(folder, name))

    def _resource(self, number, proto):
        from ._tables import RestoredTable
        children = {one.local_name: one.node_id for one in self._node(number).children}
        return RestoredTable(self._create_body(children), lambda: self._initialized(children), self._path)

    def _create_body(self, children):
        names = self._names_of(children.get("_create_resource"))
        return self._library.body(names[0]) if names else None

    def _initialized(self, children):
        for name in self._names_of(children.get("_initialize"))[:1]:
            self._concrete(name).run_for_effects()

    def _names_of(self, number):
        node = None if number is None else self._node(number)
        return [] if node is None else list(node.function.concrete_functions)

    def _function(self, number, proto):
        found = [self._concrete(name) for name in proto.concrete_functions]
        spec = proto.function_spec
        return RestoredFunction(_plain_name(proto.concrete_functions), found, python_signature(spec), decode(spec.input_signature))

    def _bare_concrete_function(self, number, proto):
        made = self._concrete(proto.concrete_function_name)
        made._keywords, made._positional = list(proto.argument_keywords), proto.allowed_positional_arguments
        return made

    def _concrete(self, name):
        if name not in self._concretes:
            if name not in self._concretes_of:
                raise broken(f"the object graph must describe each function; {name!r} is missing")
            proto = self._concretes_of[name]
            captures = [self._object(one) for one in proto.bound_inputs]
            self._concretes[name] = RestoredConcrete(self._library.body(name), proto, captures)
        return self._concretes[name]

    def _add_children(self, number, node):
        made = self._object(number)
        for one in node.children:
            child = self._object(one.node_id)
            if isinstance(made, SignatureMap):
                made._add_signature(one.local_name, child)
            elif isinstance(made, list):
                if one.local_name.isdecimal():
                    made.append(child)
            elif isinstance(made, dict):
                made[one.local_name] = child
            elif isinstance(made, Module):
                made.__dict__[one.local_name] = child


def _aggregation(number):
    from .._variable import VariableAggregation
    return VariableAggregation(number if 0 <= number <= 3 else 0)


def _plain_name(names):
    """The name of the Python function that concrete functions were traced of."""
    name = names[0] if names else "function"
    return name.removeprefix("__inference_").rpartition("_")[0] or name


def _class_of(names):
    """A class of its own for an object: an attribute may have the name of a property, and `__call__` makes it callable."""
    made = type("_UserObject", (Module,), {})
    for name in names:
        if isinstance(getattr(Module, name, None), property):
            setattr(made, name, property(lambda self, name=name: self.__dict__[name]))
    if "__call__" in names:
        made.__call__ = lambda self, *args, **kwargs: self.__dict__["__call__"](*args, **kwargs)
    return made
