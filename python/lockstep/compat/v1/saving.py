"""Checkpoints of version 1: `tf.compat.v1.train.Saver`."""

import collections
import os
import time

import numpy

from ... import _native, _refused, errors
from ..._tensor import convert_to_tensor
from ..._variable import Variable
from ..._whole_files import write_whole
from ...train import load_checkpoint


def ask_for_hidden(graph):
    """For each rate of an optimizer of the graph, (whether it has a value, what gives it its first). Adds what the graph has
    not yet, unless it is finalized."""
    from . import is_variable_initialized
    asked = graph.get_collection_ref("lockstep/hidden")
    if not graph.finalized:
        with graph.as_default():
            known = {one for one, _, _ in asked}
            for one in graph._native.variables():
                if one.key in graph.get_collection("lockstep/optimizers") and one.key not in known:
                    own = Variable._wrap(one)
                    own._of_graph = True
                    asked.append((one.key, is_variable_initialized(own), own.initializer))
    return [(ready, initializer) for _, ready, initializer in asked]


class Saver:
    """Writes the variables of a graph from a session into a checkpoint, under their names, and back."""

    def __init__(self, var_list=None, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None, defer_build=False,
                 **options):
        from . import global_variables, in_graph
        self._given = var_list
        self._kept = []
        self._most, self._relative = max_to_keep, options.get("save_relative_paths", False)
        self._every = keep_checkpoint_every_n_hours * 3600
        self._written, self._next_kept = {}, time.time() + self._every
        if in_graph() and not defer_build and not (global_variables() if var_list is None else var_list):
            raise ValueError("No variables to save")
        self._assign, self._scope, self._name = None, None, name or "save"
        if in_graph() and not defer_build:
            self.build()

    def build(self):
        """Adds the ops that restore to the graph, as it may be finalized later: of the variables that there are now."""
        from . import assign, name_scope, placeholder
        if self._assign is not None:
            return
        self._given = dict(self._variables())
        with name_scope(self._name) as scope:
            self._scope = scope
            fed = [placeholder(one.dtype, one.shape) for one in self._given.values()]
            self._assign = [(name, value, assign(one, value)) for value, (name, one) in zip(fed, self._given.items())]

    def _variables(self):
        from . import global_variables
        given = global_variables() if self._given is None else self._given
        if not isinstance(given, (dict, list, tuple)):
            raise TypeError(f"Variables to save should be passed in a dict or a list. Got {given}")
        for one in given.values() if isinstance(given, dict) else given:
            if not isinstance(one, Variable):
                raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {one}")
        if isinstance(given, dict):
            return list(given.items())
        names = collections.Counter(one._v.name for one in given)
        for name, count in names.items():
            if count > 1:
                raise ValueError(f"At least two variables have the same name: {name}")
        return [(one._v.name, one) for one in given]

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta",
             write_meta_graph=True, write_state=True, **options):
        """Writes "PATH-<step>", the graph beside it ("PATH-<step>.meta") and, unless `write_state` is False, the file `checkpoint`,
        which names those that are kept; the path. Raises: RuntimeError before `build`; ValueError for a `latest_filename` with
        folders; TypeError without a session."""
        from . import in_graph
        if in_graph() and self._assign is None:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        if os.path.split(latest_filename or "")[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if not hasattr(sess, "run"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if global_step is not None:
            step = global_step if isinstance(global_step, int) else int(sess.run(global_step))
            save_path = f"{save_path}-{step}"
        variables = self._variables()
        os.makedirs(os.path.dirname(save_path) or ".", exist_ok=True)
        values = sess.run([one for _, one in variables])
        _native.write_tensor_bundle(save_path, [
            (name, convert_to_tensor(value)) for name, value in _joined(variables, values)])
        if write_state:
            self._keep(save_path, meta_graph_suffix)
        if write_meta_graph and self._scope is not None:
            with sess.graph.as_default():
                self.export_meta_graph(f"{save_path}.{meta_graph_suffix}")
        if write_state:
            folder = os.path.dirname(save_path) or "."
            kept = [save_path, *self._kept]
            if self._relative:  # to the folder
                kept = [os.path.relpath(one, folder) if os.path.isabs(one) else one for one in kept]
            update_checkpoint_state(folder, kept[0], kept[1:], latest_filename)
        return save_path

    def _keep(self, path, meta_graph_suffix):
        """Notes a checkpoint, and deletes the oldest ones where there are too many."""
        self._kept = [one for one in self._kept if one != path] + [path]
        self._written[path] = time.time()
        while self._most and len(self._kept) > self._most:
            old = self._kept.pop(0)
            if self._written.get(old, 0) > self._next_kept:  # one of every so many hours stays
                self._next_kept += self._every
                continue
            for end in (".index", ".data-00000-of-00001", "." + meta_graph_suffix):
                if os.path.exists(old + end):
                    os.remove(old + end)

    @property
    def saver_def(self):
        """What a `.meta` file says of it."""
        from .meta_graphs import SaverDef
        scope = self._scope or ""
        return SaverDef(filename_tensor_name=scope + "Const:0", save_tensor_name=scope + "Identity:0",
                        restore_op_name=scope + "restore_all", max_to_keep=self._most or 0, version=2,
                        keep_checkpoint_every_n_hours=10000.0)

    as_saver_def = to_proto = saver_def.fget

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False, export_scope=None, clear_devices=False,
                          **options):
        """The default graph with its variables and collections."""
        _refused.only("Saver.export_meta_graph", export_scope=(export_scope, None))
        from .meta_graphs import export_with_keys
        return export_with_keys(dict(self._variables()), filename, None, self.saver_def, collection_list, as_text, None,
                                clear_devices)

    def restore(self, sess, save_path):
        """Assigns what a checkpoint has. Raises: ValueError for no checkpoint, NotFoundError naming a variable that it does not have,
        InvalidArgumentError naming one that has another shape there."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not os.path.exists(f"{save_path}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        reader = load_checkpoint(save_path)
        if self._assign is None:
            for name, one in self._variables():
                one.assign(_stored(reader, name, one))
            return
        self._set_hidden(sess)
        values = {name: _stored(reader, name, self._given[name]) for name, _, _ in self._assign}
        for name, value, _ in self._assign:
            if not value.shape.is_compatible_with(values[name].shape):
                raise errors.InvalidArgumentError(
                    None, None, "Restoring from checkpoint failed. This is most likely due to a mismatch between the current graph and the "
                    f"graph from the checkpoint. Please ensure that you have not altered the graph expected based on the checkpoint: "
                    f"{name!r} has the shape {value.shape}, in {save_path} {values[name].shape}")
        sess.run([op for _, _, op in self._assign], {value: values[name] for name, value, _ in self._assign})

    def _set_hidden(self, session):
        """Gives the rates of optimizers, which no checkpoint of version 1 has, their values where they have none."""
        asked = ask_for_hidden(session.graph)
        ready = session.run([ready for ready, _ in asked])
        session.run([initializer for there, (_, initializer) in zip(ready, asked) if not there])

    @property
    def last_checkpoints(self):
        return list(self._kept)

    def set_last_checkpoints(self, last_checkpoints):
        """Takes these for the checkpoints that it has written, the oldest first. Raises: ValueError for no list."""
        if not isinstance(last_checkpoints, list):
            raise ValueError(f"A list of paths is needed; got {last_checkpoints!r}")
        self.set_last_checkpoints_with_time([(one, float("nan")) for one in last_checkpoints])

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """The same of (path, when it was written, seconds since 1970)."""
        self._kept = [one for one, _ in last_checkpoints_with_time]
        self._written.update(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths):
        """Takes those of the paths that there are for the checkpoints that it has written."""
        there = [one for one in checkpoint_paths if checkpoint_exists(one)]
        self.set_last_checkpoints_with_time(list(zip(there, get_checkpoint_mtimes(there))))


def _joined(variables, values):
    """(name, value) of what a checkpoint gets: the parts of a partitioned variable are one where all of them are there."""
    parts = {}
    for (name, one), value in zip(variables, values):
        if one.part_of is not None and name == one._v.name:
            parts.setdefault(one.part_of.name, []).append((one.part_of, value))
    whole = {}
    for name, found in parts.items():
        found.sort(key=lambda pair: pair[0].begin)
        axis = found[0][0].axis
        if sum(value.shape[axis] for _, value in found) == found[0][0].size:
            whole[name] = numpy.concatenate([value for _, value in found], axis)
    left = [(name, value) for (name, one), value in zip(variables, values)
            if one.part_of is None or name != one._v.name or one.part_of.name not in whole]
    return left + list(whole.items())


def _stored(reader, name, variable):
    """What a checkpoint has for a variable; for a part its rows of the whole."""
    part = variable.part_of
    if part is None or reader.has_tensor(name) or not reader.has_tensor(part.name):
        return reader.get_tensor(name)
    rows = slice(part.begin, part.begin + variable.shape.as_list()[part.axis])
    return reader.get_tensor(part.name)[(slice(None),) * part.axis + (rows,)]


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                            latest_filename=None, **options):
    """Writes the file that names the newest checkpoint of a directory: by paths below it where the directory and they are
    given by relative ones."""
    def inside(path):
        return path if os.path.isabs(save_dir) or os.path.isabs(path) else os.path.relpath(path, save_dir)
    lines = [f'model_checkpoint_path: "{inside(model_checkpoint_path)}"']
    lines += [f'all_model_checkpoint_paths: "{inside(one)}"'
              for one in all_model_checkpoint_paths or [model_checkpoint_path]]
    write_whole(os.path.join(save_dir, latest_filename or "checkpoint"), ("\n".join(lines) + "\n").encode())


def checkpoint_exists(checkpoint_prefix):
    """Whether there is a checkpoint of this path."""
    return os.path.exists(f"{checkpoint_prefix}.index")


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Lets variables begin with the values that a checkpoint has: {name there: variable, or its name here}, or
    {"scope/": "other/scope/"} for all below. Raises: ValueError for names that are not there and for other shapes."""
    from . import get_default_graph, global_variables
    reader = load_checkpoint(ckpt_dir_or_file)
    saved = reader.get_variable_to_shape_map()
    own = {one._v.name: one for one in global_variables()}
    pairs = []
    for there, here in assignment_map.items():
        if isinstance(here, str) and (there.endswith("/") or there == "/"):
            prefix = "" if here == "/" else here
            pairs += [(there.lstrip("/") + name[len(prefix):], one) for name, one in own.items() if name.startswith(prefix)]
            continue
        if isinstance(here, str) and here not in own:
            raise ValueError(f"Assignment map with scope only name {here} should map to a variable of the graph; it has "
                             f"{', '.join(sorted(own))}")
        pairs.append((there, own[here] if isinstance(here, str) else here))
    for name, variable in pairs:
        if name not in saved:
            raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {saved}")
        if list(saved[name]) != list(variable.shape):
            raise ValueError(f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of tensor {name} "
                             f"({list(saved[name])}) from checkpoint reader.")
        get_default_graph().add_to_collection("lockstep/first", (variable, convert_to_tensor(reader.get_tensor(name))))


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix="meta"):
    """Deletes the files of a checkpoint: of the format 2, the index and the data; of the format 1, the one file of that name."""
    folder, base = os.path.split(checkpoint_prefix)
    if checkpoint_format_version != 2:
        for one in (checkpoint_prefix, f"{checkpoint_prefix}.{meta_graph_suffix}"):
            if os.path.exists(one):
                os.remove(one)
        return
    for one in os.listdir(folder or "."):
        if one == f"{base}.index" or one == f"{base}.{meta_graph_suffix}" or one.startswith(f"{base}.data-"):
            os.remove(os.path.join(folder, one))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When checkpoints were written, seconds since 1970; those that are not there are left out."""
    return [os.path.getmtime(f"{one}.index") for one in checkpoint_prefixes if checkpoint_exists(one)]
