"""Checkpoints of version 1: `tf.compat.v1.train.Saver`."""

import os
import time

from ... import _native
from ..._tensor import convert_to_tensor
from ..._variable import Variable
from ..._whole_files import write_whole
from ...train import load_checkpoint


class Saver:
    """Writes the variables of a graph from a session into a checkpoint, under their names, and back."""

    def __init__(self, var_list=None, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 **options):
        from . import global_variables, in_graph
        self._given = var_list
        self._kept = []
        self._most = max_to_keep
        self._every = keep_checkpoint_every_n_hours * 3600
        self._written, self._next_kept = {}, time.time() + self._every
        if var_list is None and in_graph() and not global_variables():
            raise ValueError("No variables to save")
        self._assign, self._scope = None, None
        if in_graph():  # ops that restore, as the graph may be finalized later
            from . import assign, name_scope, placeholder
            with name_scope(name or "save") as scope:
                self._scope = scope
                fed = [(name, placeholder(one.dtype, one.shape)) for name, one in self._variables()]
                self._assign = [(name, value, assign(one, value))
                                for (name, value), (_, one) in zip(fed, self._variables())]

    def _variables(self):
        from . import global_variables
        given = global_variables() if self._given is None else self._given
        if isinstance(given, dict):
            return list(given.items())
        return [(one._v.name, one) for one in given]

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta",
             write_meta_graph=True, write_state=True, **options):
        """Writes "PATH-<step>", the graph beside it ("PATH-<step>.meta") and the file `checkpoint`; the path."""
        if global_step is not None:
            step = global_step if isinstance(global_step, int) else int(sess.run(global_step))
            save_path = f"{save_path}-{step}"
        variables = self._variables()
        os.makedirs(os.path.dirname(save_path) or ".", exist_ok=True)
        values = sess.run([one for _, one in variables])
        _native.write_tensor_bundle(save_path, [
            (name, convert_to_tensor(value)) for (name, _), value in zip(variables, values)])
        self._kept = [one for one in self._kept if one != save_path] + [save_path]
        self._written[save_path] = time.time()
        while self._most and len(self._kept) > self._most:
            old = self._kept.pop(0)
            if self._written.get(old, 0) > self._next_kept:  # one of every so many hours stays
                self._next_kept += self._every
                continue
            for end in (".index", ".data-00000-of-00001", "." + meta_graph_suffix):
                if os.path.exists(old + end):
                    os.remove(old + end)
        if write_meta_graph and self._scope is not None:
            with sess.graph.as_default():
                self.export_meta_graph(f"{save_path}.{meta_graph_suffix}")
        if write_state:
            update_checkpoint_state(os.path.dirname(save_path) or ".", save_path, self._kept, latest_filename)
        return save_path

    @property
    def saver_def(self):
        """What a `.meta` file says of it."""
        from .meta_graphs import SaverDef
        scope = self._scope or ""
        return SaverDef(filename_tensor_name=scope + "Const:0", save_tensor_name=scope + "Identity:0",
                        restore_op_name=scope + "restore_all", max_to_keep=self._most or 0, version=2,
                        keep_checkpoint_every_n_hours=10000.0)

    as_saver_def = saver_def.fget

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False, export_scope=None, clear_devices=False,
                          **options):
        """The default graph with its variables and collections."""
        from .meta_graphs import export_with_keys
        return export_with_keys(dict(self._variables()), filename, None, self.saver_def, collection_list, as_text, None,
                                clear_devices)

    def restore(self, sess, save_path):
        """Assigns what a checkpoint has. Raises: ValueError for no checkpoint, NotFoundError naming a
        variable that it does not have."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not os.path.exists(f"{save_path}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        reader = load_checkpoint(save_path)
        if self._assign is None:
            for name, one in self._variables():
                one.assign(reader.get_tensor(name))
            return
        self._set_hidden(sess)
        sess.run([op for _, _, op in self._assign],
                 {value: reader.get_tensor(name) for name, value, _ in self._assign})

    def _set_hidden(self, session):
        """Gives the rates of optimizers, which no checkpoint of version 1 has, their values where they have none."""
        from . import is_variable_initialized, variables_initializer
        graph = session.graph
        hidden = graph.get_collection("lockstep/optimizers")
        if not hidden or graph.finalized:
            return
        with graph.as_default():
            own = [Variable._wrap(one) for one in graph._native.variables() if one.key in hidden]
            ready = session.run([is_variable_initialized(one) for one in own])
            empty = [one for one, there in zip(own, ready) if not there]
            if empty:
                session.run(variables_initializer(empty))

    @property
    def last_checkpoints(self):
        return list(self._kept)


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                            latest_filename=None, **options):
    """Writes the file that names the newest checkpoint of a directory."""
    def inside(path):
        path = os.path.abspath(path)
        folder = os.path.abspath(save_dir)
        return os.path.relpath(path, folder) if path.startswith(folder + os.sep) else path
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
    """Deletes the files of a checkpoint."""
    folder, base = os.path.split(checkpoint_prefix)
    for one in os.listdir(folder or "."):
        if one == f"{base}.index" or one == f"{base}.{meta_graph_suffix}" or one.startswith(f"{base}.data-"):
            os.remove(os.path.join(folder, one))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When checkpoints were written, seconds since 1970; those that are not there are left out."""
    return [os.path.getmtime(f"{one}.index") for one in checkpoint_prefixes if checkpoint_exists(one)]
