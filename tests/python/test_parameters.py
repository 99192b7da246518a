"""Every parameter of a public function is read, or is on a list of those that have no effect in TensorFlow either."""
import ast
import functools
import inspect
import pathlib
import types
import unittest

import lockstep

FOLDER = pathlib.Path(lockstep.__file__).parent

# Parameters that no function has to read, by the reason. TensorFlow documents them as without effect on values.
NO_EFFECT = {
    "names of ops, which no result depends on; functions that `_op_names` wraps use them in graphs": "name values example_name example_names",
    "how a loop is scheduled and kept in memory": "parallel_iterations swap_memory back_prop experimental_use_pfor "
                                                  "fallback_to_while_loop warn max_intra_op_parallelism",
    "how values are kept from being written at the same time; assignments are atomic here": "use_locking",
    "checks of indices and shapes, which are always made": "validate_indices validate_args validate_shape infer_shape "
                                                          "element_shape clear_after_read allow_fast_lookup check_types",
    "hints for speed; the bits of results do not depend on them":
        "jit_compile experimental_compile experimental_implements experimental_autograph_options experimental_attributes "
        "experimental_follow_type_hints a_is_sparse b_is_sparse grad_a grad_b gate_gradients aggregation_method "
        "colocate_gradients_with_ops use_cudnn_on_gpu use_cudnn unroll flash_attention sparse_gradient stateful "
        "colocate_with_first_write_call buffer_size num_parallel_calls num_parallel_batches deterministic synchronous "
        "use_unbounded_threadpool parser_num_threads sloppy sloppy_ordering buffer_output_elements prefetch_input_elements "
        "initial_num_buckets shift caching_device experimental_enable_variable_lifting experimental_is_anonymous "
        "options cross_device_ops communication_options free_memory",
    "where values are placed; a process has one device of each kind": "device target_device source_device devices device_type "
        "enable destinations colocate_with_variable ignore_existing use_gpu force_gpu experimental_priority "
        "experimental_device_ordinal experimental_io_device import_scope partition_info",
    "the order in which equal or unsorted values come, which TensorFlow leaves open": "stable sorted",
    "numbers are real, and equal their conjugates": "conjugate",
    "what Python hands to every method of this kind": "memo traceback error",
}
ALLOWED = {name for names in NO_EFFECT.values() for name in names.split()}

# Methods that are called with arguments which one kind of class uses and another does not: hooks and interfaces.
INTERFACES = {
    "epoch", "batch", "logs", "inputs", "mask", "previous_mask", "sequences", "coord", "run_values", "run_context", "session",
    "global_step_value", "task_type", "task_id", "config_proto", "initial_state_shape", "value_shape", "key_shape", "training",
    "regularization_losses", "custom_objects"}


# Parameters of single functions that have no effect in TensorFlow either, by the reason and the place of the function.
NO_EFFECT_HERE = {
    "a gradient that is not there is zeros in TensorFlow, too, whatever is given": {"_tape.py:batch_jacobian": "unconnected_gradients"},
    "a name of an op or a resource": {"_tensor_array.py:__init__": "tensor_array_name", "compat/v1/data.py:from_structure": "shared_name",
                                      "compat/v1/data.py:make_initializable_iterator": "shared_name"},
    "features of the conversion that are always on": {"autograph.py:to_code": "experimental_optional_features recursive",
                                                      "autograph.py:to_graph": "experimental_optional_features"},
    "TensorFlow does not read it": {
        "compat/v1/_graph_defs.py:import_graph_def": "op_dict", "compat/v1/_graphs.py:as_graph_def": "from_version use_pybind11_proto",
        "keras/_training.py:compute_loss": "x", "keras/_training.py:compute_metrics": "x", "summary.py:trace_export": "profiler_outdir",
        "distribute/partitioners.py:__call__": "dtype", "keras/optimizers/__init__.py:add_variable": "layout"},
    "attributes that are not known are left out of a graph anyway": {"compat/v1/_graph_defs.py:import_graph_def": "producer_op_list"},
    "the graph is the same, with shapes and default attributes written out": {
        "compat/v1/_graphs.py:as_graph_def": "add_shapes", "compat/v1/meta_graphs.py:export_meta_graph": "strip_default_attrs"},
    "the collection of savers is not written": {"compat/v1/meta_graphs.py:export_meta_graph": "clear_extraneous_savers"},
    "how a session connects": {"compat/v1/_sessions.py:reset": "config"},
    "a check that a program does not lock one resource twice": {"critical_section.py:execute": "exclusive_resource_access"},
    "how long the stack in a message is, which names the op alone": {
        "debugging.py:enable_check_numerics": "path_length_limit stack_height_limit"},
    "the function has one replica": {"distribute/coordinator.py:all_gather": "axis"},
    "there is no GPU of any capability for ops of TensorFlow": {
        "test.py:is_gpu_available": "cuda_only min_cuda_compute_capability"},
    "`__new__` reads it and chooses the class": {"distribute/__init__.py:__init__": "coordinated"},
    "an interface: others of its kind use it": {
        "distribute/coordinator.py:shards_in_scope": "variable_def", "keras/_layer.py:build": "input_shape",
        "keras/applications/convnext.py:build": "input_shape", "keras/models.py:build": "input_shape",
        "keras/regularizers.py:__call__": "x", "sparse.py:batch_spec": "size"},
    "the step is traced anew in each call anyway": {"keras/_training.py:make_train_function": "force"},
    "every split is checked": {"ragged.py:from_uniform_row_length": "validate"},
    "a writer is saved with nothing": {"summary.py:create_file_writer": "experimental_trackable"},
    "the server listens from the beginning, because its port is free only then": {
        "distribute/server.py:create_local_server": "start"},
}

# Arguments that constructors need, for the test of keywords that they do not know.
NEEDED = {
    "units": 2, "filters": 2, "kernel_size": 2, "rate": 0.5, "num_heads": 1, "key_dim": 2, "input_dim": 3, "output_dim": 2,
    "equation": "ab,bc->ac", "output_shape": 2, "cells": [], "function": abs, "axes": 1, "shape": (2,), "n": 2, "dims": (1,),
    "target_shape": (1,), "num_bins": 3, "num_tokens": 3, "height": 2, "width": 2, "factor": 0.1, "scale": 1.0, "stddev": 0.1,
    "activation": "relu", "height_factor": 0.1, "width_factor": 0.1, "output_size": 2, "learning_rate": 0.1}
FREE = ("LambdaCallback", "CallbackList", "MeanMetricWrapper")  # whose other keywords are attributes, or the function's


@functools.cache
def nodes_of(path):
    """The definitions of functions of a file, by line and name."""
    found = {}
    for node in ast.walk(ast.parse(pathlib.Path(path).read_text())):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno] + [one.lineno for one in node.decorator_list])
            found[first, node.name] = node
    return found


class Reads(ast.NodeVisitor):
    """The names that a body reads. `_ = x`, `x` alone and `del x` do not count."""

    def __init__(self):
        self.names = set()

    def visit_Assign(self, node):
        if not (len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_"):
            self.generic_visit(node)

    def visit_Expr(self, node):
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if not all(isinstance(one, ast.Name) for one in parts):
            self.generic_visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.names.add(node.id)


def unread(node):
    """The parameters of a function that its body does not read. A body that only raises reads none, and ignores none."""
    body = [one for one in node.body if not isinstance(one, ast.Expr) or not isinstance(one.value, ast.Constant)]
    if not body or all(isinstance(one, (ast.Raise, ast.Pass)) for one in body):
        return []
    reads, given = Reads(), node.args
    for one in node.body:
        reads.visit(one)
    return [one.arg for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            if one is not None and one.arg not in reads.names and not one.arg.startswith("_") and one.arg not in ("self", "cls")]


def public_members():
    """(path, value) of the functions and classes of the package that have public names."""
    seen, todo, found = set(), [("tf", lockstep)], {}
    while todo:
        path, module = todo.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in dir(module):
            try:
                value = None if name.startswith("_") else getattr(module, name)
            except (AttributeError, ImportError, NotImplementedError):
                continue
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("lockstep"):
                    todo.append((f"{path}.{name}", value))
            elif callable(value):
                found.setdefault(id(value), (f"{path}.{name}", value))
    return list(found.values())


def public_functions():
    """(path, function) for the public functions, and the methods of the public classes, that the package defines."""
    done = set()
    for path, value in public_members():
        members = [(path, value)]
        if isinstance(value, type):
            members = [(f"{path}.{name}", getattr(member, "__func__", member)) for base in value.__mro__
                       if base.__module__.startswith("lockstep") for name, member in vars(base).items()
                       if not name.startswith("_") or name in ("__init__", "__call__")]
        for name, function in members:
            function = inspect.unwrap(function) if callable(function) else function
            if isinstance(function, types.FunctionType) and function.__code__ not in done \
                    and function.__code__.co_filename.startswith(str(FOLDER)):
                done.add(function.__code__)
                yield name, function


class Parameters(unittest.TestCase):
    def test_are_read(self):
        ignored, count = {}, 0
        for path, function in public_functions():
            code = function.__code__
            node = nodes_of(code.co_filename).get((code.co_firstlineno, code.co_name))
            if node is None:
                continue
            count += 1
            names = set(unread(node)) - ALLOWED - INTERFACES
            if names:
                where = f"{pathlib.Path(code.co_filename).relative_to(FOLDER)}:{code.co_name}"
                ignored.setdefault(where, set()).update(names)
        self.assertGreater(count, 2000)
        listed = {}
        for places in NO_EFFECT_HERE.values():
            for where, names in places.items():
                listed.setdefault(where, set()).update(names.split())
        new = {where: sorted(names - listed.get(where, set())) for where, names in ignored.items()}
        new = {where: names for where, names in new.items() if names}
        self.assertEqual(new, {}, "these parameters are ignored: use them, or refuse other values by `_refused.only`")
        gone = {where: sorted(names - ignored.get(where, set())) for where, names in listed.items()}
        gone = {where: names for where, names in gone.items() if names}
        self.assertEqual(gone, {}, "these parameters are read: take them off the list of those without effect")

    def test_unknown_keywords_are_refused(self):
        keras, refused = lockstep.keras, 0
        for module in (keras.layers, keras.losses, keras.metrics, keras.optimizers, keras.callbacks, keras.constraints):
            for name in dir(module):
                made = getattr(module, name, None)
                if name.startswith("_") or name in FREE or not isinstance(made, type) or not made.__module__.startswith(
                        module.__name__):
                    continue
                wanted = [one for one in list(inspect.signature(made.__init__).parameters.values())[1:]
                          if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
                given = {one.name: NEEDED.get(one.name) for one in wanted}
                with self.subTest(name=name), self.assertRaises((TypeError, ValueError)):
                    made(**given, bogus_argument=1)
                refused += 1
        self.assertGreater(refused, 150)

    def test_unknown_keywords_of_functions_are_refused(self):
        keras = lockstep.keras
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        optimizer, variable, x = keras.optimizers.SGD(), keras.Variable(1.0), [[1.0]]
        for call in (lambda **more: model.fit(lockstep.constant(x), lockstep.constant(x), verbose=0, **more),
                     lambda **more: model.evaluate(lockstep.constant(x), lockstep.constant(x), verbose=0, **more),
                     lambda **more: optimizer.apply_gradients([(lockstep.constant(1.0), variable)], **more),
                     lambda **more: optimizer.minimize(lambda: variable * 2.0, [variable], **more),
                     lambda **more: keras.models.clone_model(model, **more),
                     lambda **more: keras.Variable(1.0, **more),
                     lambda **more: keras.random.SeedGenerator(1, **more),
                     lambda **more: keras.name_scope("a", **more)):
            call()
            with self.assertRaises((TypeError, ValueError)):
                call(bogus_argument=1)

    def test_other_values_of_what_is_not_built_are_refused(self):
        nn, layers = lockstep.nn, lockstep.keras.layers
        volume, kernel = lockstep.ones([1, 2, 2, 2, 1]), lockstep.ones([2, 2, 2, 1, 1])
        for call in (lambda: nn.conv3d_transpose(volume, kernel, [1, 2, 2, 2, 1], 1, dilations=2),
                     lambda: layers.StringLookup(encoding="utf-16"),
                     lambda: lockstep.train.ExponentialMovingAverage(0.9, zero_debias=True)):
            with self.assertRaises(NotImplementedError):
                call()
        with self.assertRaises(ValueError):
            lockstep.keras.metrics.AUC(curve="ROK")


if __name__ == "__main__":
    unittest.main()
