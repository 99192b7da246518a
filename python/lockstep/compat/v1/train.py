"""Optimizers and helpers of version 1: `tf.compat.v1.train`."""

import os

from ... import _native, nest
from ..._function import group
from ..._tensor import convert_to_tensor
from ..._variable import Variable
from ...train import (BytesList, Checkpoint, CheckpointManager, Coordinator, Example,  # noqa: F401
                      ExponentialMovingAverage, Feature, Features, FloatList, Int64List,
                      checkpoints_iterator, get_checkpoint_state, latest_checkpoint, list_variables,
                      load_checkpoint, load_variable)
from ...train_cluster import ClusterDef, ClusterSpec, JobDef  # noqa: F401
from .monitored import (CheckpointSaverHook, CheckpointSaverListener, ChiefSessionCreator, FeedFnHook,  # noqa: F401
                        FinalOpsHook, GlobalStepWaiterHook, LoggingTensorHook, MonitoredSession,
                        MonitoredTrainingSession, NanLossDuringTrainingError, NanTensorHook, Scaffold,
                        SecondOrStepTimer, SessionCreator, SessionRunArgs, SessionRunContext, SessionRunHook,
                        SessionRunValues, SingularMonitoredSession, StepCounterHook, StopAtStepHook,
                        WorkerSessionCreator)
from .supervisor import LooperThread, Supervisor  # noqa: F401
from ..._messages import summary_iterator  # noqa: F401
from .queue_runner import (QueueRunner, add_queue_runner, batch, input_producer,  # noqa: F401
                           range_input_producer, shuffle_batch, slice_input_producer, start_queue_runners,
                           string_input_producer)
from .replica_setter import replica_device_setter  # noqa: F401


def __getattr__(name):
    if name == "SyncReplicasOptimizer":
        from .sync_replicas import SyncReplicasOptimizer
        return SyncReplicasOptimizer
    raise AttributeError(f"module 'lockstep.compat.v1.train' has no attribute {name!r}")


class Optimizer:
    """An update rule whose updates are ops: `minimize`, or `compute_gradients` and `apply_gradients`."""

    def __init__(self, kind, use_locking=False, name=None, **options):
        self._native = _native.make_optimizer(kind, options)
        from . import get_default_graph, in_graph
        if in_graph():  # the count and the rate are no variables of version 1
            for one in self._native.variables()[:2]:
                get_default_graph().add_to_collection("lockstep/optimizers", one.key)
        self._name = name or kind
        self._built = False

    def minimize(self, loss, global_step=None, var_list=None, **kwargs):
        """An op that updates the variables by the gradients of `loss`."""
        return self.apply_gradients(self.compute_gradients(loss, var_list), global_step)

    def compute_gradients(self, loss, var_list=None, **kwargs):
        """(gradient, variable) pairs. `loss` is a tensor of a graph, or a function (eagerly)."""
        from . import in_graph, trainable_variables
        if not in_graph():
            from ..._tape import GradientTape
            with GradientTape() as tape:
                value = loss()
            variables = var_list or list(tape.watched_variables())
            return list(zip(tape.gradient(value, variables), variables))
        from ..._tape import gradients
        variables = nest.flatten(var_list) if var_list is not None else trainable_variables()
        return list(zip(gradients(loss, variables), variables))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An op that updates. Raises: ValueError when there are no gradients."""
        from . import GraphOperation, get_default_graph, in_graph
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable: "
                             f"{[variable.name for _, variable in grads_and_vars]}.")

        def update():
            from ...keras.optimizers import _plain  # noqa: F401
            rows = [_row(gradient) for gradient, _ in pairs]
            self._native.apply(rows, [variable._v for _, variable in pairs])
            if global_step is not None:
                global_step.assign_add(1)
        if not in_graph():
            update()
            return group()
        graph = get_default_graph()
        if not self._built:  # the slots' first assignments are no part of an update
            self._native.build([variable._v for _, variable in pairs])
            self._built = True
        return GraphOperation(graph._native.group_effects(update), graph)

    def get_name(self):
        return self._name

    def get_slot_names(self):
        """Of what is kept for each variable, such as "momentum"."""
        return sorted(getattr(self._native, "names", ()))

    def get_slot(self, var, name):
        """The variable that is kept for `var` under a name; None where there is none."""
        names = getattr(self._native, "names", ())
        made = self._native._made.get(var._v.key) if name in names else None
        return made[names.index(name)] if isinstance(made, tuple) else made

    def variables(self):
        """All that updates keep, but the variables themselves."""
        if not isinstance(self._native, _Slots):
            return [Variable._wrap(one) for one in self._native.variables()]
        made = [one for kept in self._native._made.values() for one in (kept if isinstance(kept, tuple) else (kept,))]
        return [one for one in (*made, *(getattr(self._native, "_powers", None) or ())) if one is not None]


def _row(gradient):
    from ..._tensor import IndexedSlices, static_shape
    if isinstance(gradient, IndexedSlices):
        return _native.from_slices(gradient.values, gradient.indices, static_shape(gradient.dense_shape))
    return gradient


def _is_number(rate):
    """Whether a rate is known now; a tensor of a graph, such as a decayed one, is computed in each run."""
    return not isinstance(rate, Variable) and not getattr(rate, "_symbolic", False)


def _by_ops(rate):
    """Whether an update is made of ops: in graphs, so that savers see all that it keeps under version 1's names."""
    from . import in_graph
    return in_graph() or not _is_number(rate)


class GradientDescentOptimizer(Optimizer):
    """w -= rate * g. The rate may be a tensor."""

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        if _by_ops(learning_rate):
            self._native, self._name, self._built = _Momentum(learning_rate, None, False), name, False
            return
        super().__init__("SGD", name=name, learning_rate=float(learning_rate))


class MomentumOptimizer(Optimizer):
    """a = momentum * a + g, w -= rate * a. Rate and momentum may be tensors."""

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum",
                 use_nesterov=False):
        if _by_ops(learning_rate) or not _is_number(momentum):
            self._native = _Momentum(learning_rate, momentum, use_nesterov)
            self._name, self._built = name, False
            return
        super().__init__("SGD", name=name, learning_rate=float(learning_rate), momentum=float(momentum),
                         nesterov=use_nesterov)


class AdamOptimizer(Optimizer):
    """Adam."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False,
                 name="Adam"):
        if _by_ops(learning_rate):
            self._native, self._name, self._built = _Adam(learning_rate, beta1, beta2, epsilon), name, False
            return
        super().__init__("Adam", name=name, learning_rate=float(learning_rate), beta_1=beta1,
                         beta_2=beta2, epsilon=epsilon)


class AdagradOptimizer(Optimizer):
    """Adagrad."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        self._native = _Adagrad(learning_rate, initial_accumulator_value)
        self._name, self._built = name, False


class _Slots:
    """What applies gradients by ops: the slots of each variable are made once."""

    def __init__(self, first):
        self._first, self._made = first, {}

    def build(self, variables):
        for one in variables:
            if one.key not in self._made:
                whole = Variable._wrap(one)
                self._made[one.key] = self._first(whole)


class _Adagrad(_Slots):
    names = ("accumulator",)

    def __init__(self, rate, begins_with):
        from ... import ops_array
        super().__init__(lambda variable: Variable(
            ops_array.fill(variable.shape.as_list(), ops_array.constant(begins_with, variable.dtype)), trainable=False,
            name=f"{variable._v.name}/Adagrad"))
        self._rate = rate

    def apply(self, gradients, variables):
        from ... import ops_math
        self.build(variables)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            sum_of_squares = self._made[native.key].assign_add(gradient * gradient) + 0.0
            variable.assign_sub(self._rate * gradient / ops_math.sqrt(sum_of_squares))


class _RMSProp(_Slots):
    names = ("rms", "momentum", "mg")

    def __init__(self, rate, decay, momentum, epsilon, centered):
        from ... import ops_array

        def first(variable):
            shape = variable.shape.as_list()

            def slot(fill, name):
                return Variable(ops_array.fill(shape, ops_array.constant(fill, variable.dtype)), trainable=False,
                                name=f"{variable._v.name}/{name}")
            return slot(1.0, "RMSProp"), slot(0.0, "RMSProp_1"), slot(0.0, "RMSProp_2") if centered else None
        super().__init__(first)
        self._rates = rate, decay, momentum, epsilon

    def apply(self, gradients, variables):
        from ... import ops_math
        from ..._tensor import convert_to_tensor as tensor
        self.build(variables)
        rate, decay, momentum, epsilon = self._rates
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), tensor(gradient)
            square, moved, mean = self._made[native.key]
            size = square.assign(decay * square + (1 - decay) * gradient * gradient) + 0.0
            if mean is not None:
                middle = mean.assign(decay * mean + (1 - decay) * gradient) + 0.0
                size = size - middle * middle
            step = moved.assign(momentum * moved + rate * gradient / ops_math.sqrt(size + epsilon)) + 0.0
            variable.assign_sub(step)


def _zeros_slot(variable, name):
    from ... import ops_array
    return Variable(ops_array.zeros(variable.shape.as_list(), variable.dtype), trainable=False,
                    name=f"{variable._v.name}/{name}")


class _Momentum(_Slots):
    """Gradient descent by ops, with momentum unless that is None."""

    names = property(lambda self: () if self._rates[1] is None else ("momentum",))

    def __init__(self, rate, momentum, nesterov):
        super().__init__(lambda variable: None if momentum is None else _zeros_slot(variable, "Momentum"))
        self._rates = rate, momentum, nesterov

    def apply(self, gradients, variables):
        self.build(variables)
        rate, momentum, nesterov = self._rates
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            slot = self._made[native.key]
            if slot is not None:
                moved = slot.assign(momentum * slot + gradient) + 0.0
                gradient = gradient + momentum * moved if nesterov else moved
            variable.assign_sub(rate * gradient)


class _Adam(_Slots):
    """Adam by ops."""

    names = ("m", "v")

    def __init__(self, rate, beta1, beta2, epsilon):
        super().__init__(lambda variable: (_zeros_slot(variable, "Adam"), _zeros_slot(variable, "Adam_1")))
        self._rates, self._powers = (rate, beta1, beta2, epsilon), None

    def build(self, variables):
        super().build(variables)
        if self._powers is None:
            self._powers = [Variable(float(beta), trainable=False, name=f"beta{i + 1}_power")
                            for i, beta in enumerate(self._rates[1:3])]

    def apply(self, gradients, variables):
        from ... import ops_math
        self.build(variables)
        rate, beta1, beta2, epsilon = self._rates
        first, second = [one + 0.0 for one in self._powers]
        step = rate * ops_math.sqrt(1 - second) / (1 - first)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            mean, square = self._made[native.key]
            mean_now = mean.assign(beta1 * mean + (1 - beta1) * gradient) + 0.0
            square_now = square.assign(beta2 * square + (1 - beta2) * gradient * gradient) + 0.0
            variable.assign_sub(step * mean_now / (ops_math.sqrt(square_now) + epsilon))
        for power, beta in zip(self._powers, (beta1, beta2)):
            power.assign(power * beta)


class RMSPropOptimizer(Optimizer):
    """RMSprop, whose mean square begins at 1, as in version 1."""

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, name="RMSProp"):
        self._native = _RMSProp(float(learning_rate), decay, momentum, epsilon, centered)
        self._name, self._built = name, False


class Saver:
    """Writes the variables of a graph from a session into a checkpoint, under their names, and back."""

    def __init__(self, var_list=None, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 **options):
        from . import global_variables, in_graph
        self._given = var_list
        self._kept = []
        self._most = max_to_keep
        if var_list is None and in_graph() and not global_variables():
            raise ValueError("No variables to save")
        self._assign = None
        if in_graph():  # ops that restore, as the graph may be finalized later
            from . import assign, name_scope, placeholder
            with name_scope("save"):
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
        """Writes "PATH-<step>", and the file `checkpoint` beside it; the path."""
        if global_step is not None:
            step = global_step if isinstance(global_step, int) else int(sess.run(global_step))
            save_path = f"{save_path}-{step}"
        variables = self._variables()
        os.makedirs(os.path.dirname(save_path) or ".", exist_ok=True)
        values = sess.run([one for _, one in variables])
        _native.write_tensor_bundle(save_path, [
            (name, convert_to_tensor(value)) for (name, _), value in zip(variables, values)])
        self._kept = [one for one in self._kept if one != save_path] + [save_path]
        while self._most and len(self._kept) > self._most:
            old = self._kept.pop(0)
            for end in (".index", ".data-00000-of-00001"):
                if os.path.exists(old + end):
                    os.remove(old + end)
        if write_state:
            update_checkpoint_state(os.path.dirname(save_path) or ".", save_path, self._kept, latest_filename)
        return save_path

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
    path = os.path.join(save_dir, latest_filename or "checkpoint")
    with open(path + ".unfinished", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(path + ".unfinished", path)


def global_step(sess, global_step_tensor):
    """The number of steps that a session has made."""
    return int(sess.run(global_step_tensor))


def piecewise_constant(x, boundaries, values, name=None):
    """values[i] up to and with boundaries[i], the last one behind them."""
    from ... import ops_array, ops_math
    x = convert_to_tensor(x)
    place = ops_math.reduce_sum(ops_math.cast(x > ops_array.constant(boundaries, dtype=x.dtype), "int32"))
    return ops_array.gather(ops_array.constant([float(one) for one in values]), place)


piecewise_constant_decay = piecewise_constant


def _steps(global_step, decay_steps):
    from ... import ops_math
    return ops_math.cast(global_step, "float32"), float(decay_steps)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0,
                     cycle=False, name=None):
    """Falls to the end rate by a power."""
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    if cycle:
        steps = steps * ops_math.maximum(ops_math.ceil(step / steps), 1.0)
    else:
        step = ops_math.minimum(step, steps)
    return (learning_rate - end_learning_rate) * ops_math.pow(1.0 - step / steps, power) + end_learning_rate


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate / (1 + decay_rate * step / decay_steps)."""
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.floor(step / steps) if staircase else step / steps
    return learning_rate / (1.0 + decay_rate * part)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate * exp(-decay_rate * step / decay_steps)."""
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.floor(step / steps) if staircase else step / steps
    return learning_rate * ops_math.exp(-decay_rate * part)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Falls by a cosine."""
    import math
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.minimum(step, steps) / steps
    return learning_rate * ((1 - alpha) * 0.5 * (1.0 + ops_math.cos(math.pi * part)) + alpha)


def get_or_create_global_step(graph=None):
    """The variable that counts steps."""
    from . import get_default_graph
    graph = graph or get_default_graph()
    known = graph._collections.get("global_step")
    if known:
        return known[0]
    from ..._dtypes import int64
    made = Variable(0, trainable=False, name="global_step", dtype=int64)
    graph.add_to_collection("global_step", made)
    return made


def get_global_step(graph=None):
    from . import get_default_graph
    known = (graph or get_default_graph())._collections.get("global_step")
    return known[0] if known else None


def create_global_step(graph=None):
    """The variable that counts steps. Raises: ValueError where there is one already."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


def assert_global_step(global_step_tensor):
    """Raises: TypeError unless it is a whole number without axes."""
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


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


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate * decay_rate^(step / decay_steps)."""
    from ... import ops_math
    power = ops_math.cast(global_step, "float32") / decay_steps
    power = ops_math.floor(power) if staircase else power
    return learning_rate * ops_math.pow(float(decay_rate), power)
