"""Graphs with what belongs to them, their variables and collections: `.meta` files."""

import os

from ... import _refused, errors
from ..._damage import reading, refuse
from ..._message_text import parsed
from ..._messages import Message, message_class
from ..._tensor import Tensor
from ..._variable import Variable
from ..._whole_files import write_whole
from ._graph_defs import Import, is_own
from ._graphs import get_default_graph, GraphKeys, GraphOperation, in_graph, name_scope

MetaGraphDef = message_class("MetaGraphDef")
VariableDef = message_class("VariableDef")
SaverDef = message_class("SaverDef")

_OF_VARIABLES = ("local_variables", "model_variables", "moving_average_variables", "metric_variables", "global_step")
_SAVED = "lockstep/saved"  # the keys of a saver's checkpoints, each with a variable's name
_HIDDEN = ("lockstep/optimizers", "lockstep/elsewhere")  # the keys of variables that are none of the global ones


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, as_text=False,
                      graph=None, export_scope=None, clear_devices=False, clear_extraneous_savers=False, strip_default_attrs=False,
                      save_debug_info=False, **kwargs):
    """The graph with its variables and collections as a MetaGraphDef, and in a file where one is named. What a collection
    holds beside variables, tensors, ops, numbers and texts is left out."""
    _refused.no_more("export_meta_graph", kwargs)
    _refused.only("export_meta_graph", export_scope=(export_scope, None), save_debug_info=(save_debug_info, False))
    return export_with_keys({}, filename, graph_def, saver_def, collection_list, as_text, graph, clear_devices, meta_info_def)


def export_with_keys(saved, filename, graph_def, saver_def, collection_list, as_text, graph, clear_devices,
                     meta_info_def=None):
    """The same, with `saved`: what the keys of checkpoints are for variables, by the keys."""
    graph = graph or get_default_graph()
    made = MetaGraphDef()
    if meta_info_def is not None:
        made.meta_info_def.CopyFrom(meta_info_def)
    else:
        made.meta_info_def.tags.append("train")
    made.graph_def.CopyFrom(graph_def or graph.as_graph_def())
    if clear_devices:
        for node in made.graph_def.node:
            node.device = ""
    if saver_def is not None:
        made.saver_def.CopyFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        _put(made.collection_def, key, graph.get_collection(key))
    for key in _HIDDEN:
        keys = graph._collections.get(key, [])
        names = [one.name.encode() for one in graph._native.variables() if one.key in keys]
        if names:
            made.collection_def[key].bytes_list.value.extend(names)
    for key, variable in saved.items():
        made.collection_def[_SAVED].bytes_list.value.append(f"{key}\n{variable._v.name}".encode())
    if filename is not None:
        os.makedirs(os.path.dirname(os.fspath(filename)) or ".", exist_ok=True)
        write_whole(filename, str(made).encode() if as_text else made.SerializeToString())
    return made


def _put(collections, key, values):
    if not values:
        return
    if all(isinstance(one, Variable) for one in values):
        collections[key].bytes_list.value.extend(_variable_def(one).SerializeToString() for one in values)
    elif all(isinstance(one, (Tensor, GraphOperation)) for one in values):
        collections[key].node_list.value.extend(one.name for one in values)
    elif all(type(one) is int for one in values):
        collections[key].int64_list.value.extend(values)
    elif all(isinstance(one, (int, float)) for one in values):
        collections[key].float_list.value.extend(values)
    elif all(isinstance(one, (str, bytes)) for one in values):
        collections[key].bytes_list.value.extend(one.encode() if isinstance(one, str) else one for one in values)


def _variable_def(variable):
    name = variable._v.name
    made = VariableDef(variable_name=name + ":0", initializer_name=name + "/Assign", snapshot_name=name + "/Read:0",
                       is_resource=True, trainable=bool(variable.trainable))
    part, shape = variable.part_of, variable.shape.as_list()
    if part is not None:
        made.save_slice_info_def = Message(
            "SaveSliceInfoDef", full_name=part.name, var_shape=shape,
            full_shape=[part.size if axis == part.axis else size for axis, size in enumerate(shape)],
            var_offset=[part.begin if axis == part.axis else 0 for axis in range(len(shape))])
    return made


def _note_parts(meta, variables):
    """Tells variables which part they are of a partitioned one."""
    from ._variables import note_part, PartOf
    key = GraphKeys.GLOBAL_VARIABLES
    for data in meta.collection_def[key].bytes_list.value if key in meta.collection_def else ():
        info, one = VariableDef(data).save_slice_info_def, variables.get(_variable_name(data))
        if info.full_name and one is not None:
            axis = next((axis for axis, (whole, own) in enumerate(zip(info.full_shape, info.var_shape)) if whole != own), 0)
            note_part(one, PartOf(info.full_name, info.full_shape[axis], axis, info.var_offset[axis]))


def read_meta_graph_file(filename):
    """A `.meta` file. Raises: OSError where there is none, DataLossError where it is none."""
    if not os.path.exists(filename):
        raise OSError(f"File does not exist. Received: {filename}.")
    with open(filename, "rb") as file:
        data = file.read()
    made, problem = None, None
    try:
        made = MetaGraphDef(data)
    except (ValueError, IndexError, KeyError, errors.DataLossError) as error:
        problem = error
    if made is not None and made.graph_def.node:
        return made
    try:
        return parsed("MetaGraphDef", data.decode("utf-8"))
    except (ValueError, KeyError, TypeError) as error:
        if made is None:
            refuse(filename, f"it must hold a MetaGraphDef; as bytes: {problem}; as text: {error}")
        return made


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Builds the graph of a MetaGraphDef, of Lockstep or of TensorFlow, with its variables and collections, in the default
    graph; its ops get their old names, below `import_scope` if there is one. Branches, loops and calls of Python, ops of
    TensorFlow that Lockstep does not take, and what depends on them, are left out, and named in a warning; a variable whose
    first value is among them must be restored.

    Returns: a `Saver` of its variables; None where it has none. Raises: OSError for a file that is not there."""
    _refused.no_more("import_meta_graph", kwargs)
    meta = meta_graph_or_file if hasattr(meta_graph_or_file, "graph_def") else read_meta_graph_file(meta_graph_or_file)
    if getattr(meta, "_kind", None) != "MetaGraphDef":
        meta = MetaGraphDef(meta.SerializeToString())
    if not in_graph():
        with get_default_graph().as_default():
            return import_meta_graph(meta, clear_devices, import_scope)
    label = "the MetaGraphDef" if hasattr(meta_graph_or_file, "graph_def") else meta_graph_or_file
    with reading(label, (ValueError, errors.OpError, NotImplementedError)):
        return _imported(meta, clear_devices, import_scope)


def _imported(meta, clear_devices, import_scope):
    own = is_own(meta.graph_def)
    unknown = _leave_out(meta, own)
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    trained = GraphKeys.TRAINABLE_VARIABLES
    trained = {_variable_name(one) for one in meta.collection_def[trained].bytes_list.value} if trained in meta.collection_def else ()
    untrained = {node.name for node in meta.graph_def.node if node.op == "VarHandleOp"}.difference(trained)
    with name_scope(import_scope or ""):
        made = Import(meta.graph_def, {}, own, untrained, restored=True)
        made.all()
    _note_parts(meta, made.variables)
    ops = {one.name: one.op for one in meta.graph_def.node}
    for name in (name for name, why in made.left_out.items() if why is not None):
        unknown.setdefault(ops[name], name)
    if unknown:
        from ._logging import logging
        logging.warning("[import_meta_graph] left out, with what depends on them: " + ", ".join(
            f"{op} (node {name})" for op, name in sorted(unknown.items())))
    _fill_collections(meta, made, import_scope + "/" if import_scope else "")
    from .saving import Saver
    saved = _saved(meta, made.variables)
    return Saver(saved) if saved else None


def _saved(meta, variables):
    """What the graph's saver saves, {key: variable}; of another graph all global variables under the names that they had."""
    if _SAVED in meta.collection_def:
        pairs = [one.decode().split("\n") for one in meta.collection_def[_SAVED].bytes_list.value]
        return {key: variables[name] for key, name in pairs if name in variables}
    own = {one._v.key for one in get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)}
    return {name: one for name, one in variables.items() if one._v.key in own}


def _leave_out(meta, own):
    """Takes out of the graph the ops of its saver, which a new one has, and those that Lockstep does not take. Returns: the
    latter's ops, each with the name of a node."""
    from ._import_ops import takes
    saver = meta.saver_def.restore_op_name.rpartition("/")[0]
    gone, unknown = set(), {}
    nodes = meta.graph_def.node
    for node in nodes:
        if saver and node.name.startswith(saver + "/"):
            gone.add(node.name)
        elif not own and not takes(node):
            unknown.setdefault(node.op, node.name)
            gone.add(node.name)
    grows = bool(gone)
    while grows:  # loops of version 1 name nodes that come later
        before = len(gone)
        gone.update(node.name for node in nodes if any(one.lstrip("^").split(":")[0] in gone for one in node.input))
        grows = len(gone) > before
    kept = [node for node in nodes if node.name not in gone]
    del nodes[:]
    nodes.extend(kept)
    return unknown


def _variable_name(data):
    return VariableDef(data).variable_name.split(":")[0]


def _fill_collections(meta, made, prefix):
    graph = get_default_graph()
    for key in _HIDDEN:
        for name in meta.collection_def[key].bytes_list.value if key in meta.collection_def else ():
            graph.add_to_collection(key, made.variables[name.decode()]._v.key)
    own = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, _SAVED, *_HIDDEN)
    for key, held in meta.collection_def.items():
        if key in own:
            continue
        kind = held.WhichOneof("kind")
        values = list(getattr(held, kind).value) if kind else []
        if kind == "bytes_list":
            values = [_held(one, made.variables) for one in values]
            if key in _OF_VARIABLES:  # others were left out
                values = [one for one in values if isinstance(one, Variable)]
        elif kind == "node_list":
            values = [one for one in (_found(graph, prefix + one) for one in values) if one is not None]
        for one in values:
            graph.add_to_collection(key, one)


def _held(data, variables):
    """What bytes of a collection stand for: a variable, a text, or themselves."""
    try:
        return variables[_variable_name(data)]
    except (ValueError, IndexError, KeyError, errors.DataLossError):
        pass
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _found(graph, name):
    try:
        return graph.as_graph_element(name)
    except (KeyError, ValueError):
        return None
