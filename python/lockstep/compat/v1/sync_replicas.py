"""Synchronous training by replicas with parameter servers: `tf.compat.v1.train.SyncReplicasOptimizer`."""

from ..._function import control_dependencies
from ..._tensor import IndexedSlices, convert_to_tensor
from ..._variable import Variable
from ...queue import FIFOQueue
from .accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from .hooks import SessionRunHook
from .queue_runner import QueueRunner
from .optimizers import Optimizer


def _operations(*made):
    from . import graph_group
    return graph_group(made, {})


def _where(device):
    from ..._function import device as scope
    import contextlib
    return scope(device) if device else contextlib.nullcontext()


class SyncReplicasOptimizer(Optimizer):
    """Gathers the gradients of `replicas_to_aggregate` replicas, applies their mean once, and lets the replicas go on by
    tokens of the new step. Gradients of an older step are dropped. The mean does not depend on the order in which they come.

    Args: opt: what applies the mean; total_num_replicas: more than are gathered, where some are spare.
    Source: tf.compat.v1.train.SyncReplicasOptimizer."""

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name="sync_replicas"):
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        self._opt, self._name = opt, name
        self._replicas_to_aggregate, self._total_num_replicas = replicas_to_aggregate, total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._applied = False

    def compute_gradients(self, *args, **kwargs):
        """The gradients of this replica."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An op that gives the gradients away and waits for the token of the next step.

        Raises: ValueError without gradients, or without a global step."""
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        from . import global_variables, name_scope, report_uninitialized_variables
        self._step = global_step
        with name_scope(None):
            self._local_step = Variable(global_step.dtype.as_numpy_dtype(0), trainable=False, name="sync_rep_local_step",
                                        dtype=global_step.dtype)
        self._make_local(self._local_step)
        self.local_step_init_op = self._local_step.assign(_read(global_step))
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        given, taken, accumulators = [], [], []
        for gradient, variable in grads_and_vars:
            if gradient is None:
                taken.append((None, variable))
                continue
            device = getattr(variable, "device", "")
            with _where(device):
                accumulators.append((self._accumulator(gradient, variable), device))
                made = accumulators[-1][0]
                local = _read(self._local_step)
                if isinstance(gradient, IndexedSlices):
                    given.append(made.apply_indexed_slices_grad(gradient, local_step=local))
                    taken.append((made.take_indexed_slices_grad(self._replicas_to_aggregate), variable))
                else:
                    given.append(made.apply_grad(gradient, local_step=local))
                    taken.append((made.take_grad(self._replicas_to_aggregate), variable))
        return self._by_tokens(given, taken, accumulators)

    def _by_tokens(self, given, taken, accumulators):
        from ...ops_array import fill
        step = self._step
        with _where(getattr(step, "device", "")):
            update = self._opt.apply_gradients(taken, step)
            self._tokens = FIFOQueue(-1, step.dtype, shapes=(), shared_name="sync_token_q", name="sync_token_q")
            with control_dependencies(given):
                token = self._tokens.dequeue()
            train = self._local_step.assign(token)
            with control_dependencies([update]):
                sync = self._tokens.enqueue_many(fill([self._tokens_per_step], _read(step)))
            if self._averages is not None:
                with control_dependencies([sync]):
                    sync = self._averages.apply(self._averaged)
            self._runner = QueueRunner(self._tokens, [sync])
        begins = [self.local_step_init_op]
        for made, device in accumulators:
            with _where(device):
                begins.append(made.set_global_step(_read(step)))
        self.chief_init_op = _operations(*begins)
        self._applied = True
        return train

    @staticmethod
    def _make_local(variable):
        from . import get_default_graph
        graph = get_default_graph()
        graph.keep_out_of_globals(variable)
        graph.add_to_collection("local_variables", variable)

    @staticmethod
    def _accumulator(gradient, variable):
        if isinstance(gradient, IndexedSlices):
            return SparseConditionalAccumulator(gradient.dtype, shape=variable.shape,
                                                shared_name=f"{variable.name}/grad_accum")
        return ConditionalAccumulator(gradient.dtype, shape=variable.shape, shared_name=f"{variable.name}/grad_accum")

    def get_chief_queue_runner(self):
        """The runner whose thread applies the means, for the chief. Raises: ValueError before `apply_gradients`."""
        if not self._applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._runner

    def get_init_tokens_op(self, num_tokens=-1):
        """An op that gives the first tokens, by default one for each replica that is gathered.

        Raises: ValueError before `apply_gradients`, and for fewer than the first step needs."""
        if not self._applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return _operations()
        from ...ops_array import fill
        with _where(getattr(self._step, "device", "")):
            return self._tokens.enqueue_many(fill([num_tokens], _read(self._step)))

    def get_slot(self, *args, **kwargs):
        """The slot of the optimizer within."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._opt.variables()

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """The hook that sets the steps, gives the first tokens and starts the chief's thread."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


def _read(variable):
    return convert_to_tensor(variable)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """For `MonitoredTrainingSession`."""

    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._optimizer, self._is_chief, self._num_tokens = sync_optimizer, is_chief, num_tokens

    def begin(self):
        """Raises: ValueError before `apply_gradients` or `minimize`."""
        if not self._optimizer._applied:
            raise ValueError("SyncReplicasOptimizer should be initialized after apply_gradients() or minimize() are called. "
                             "Make sure that apply_gradients() or minimize() was called before creating the session.")
        self._runner = self._tokens = None
        if self._is_chief:
            self._init = self._optimizer.chief_init_op
            self._runner = self._optimizer.get_chief_queue_runner()
            self._tokens = self._optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._init = self._optimizer.local_step_init_op
        self._ready = self._optimizer.ready_for_local_init_op

    def after_create_session(self, session, coord):
        """Raises: RuntimeError where variables have no values yet."""
        missing = session.run(self._ready)
        if len(missing):
            raise RuntimeError("Init operations did not make model ready for local_init. Init op: "
                               f"{self._optimizer.chief_init_op.name}, init fn: None, error: Variables not initialized: "
                               f"{', '.join(one.decode() for one in missing)}")
        session.run(self._init)
        if self._tokens is not None:
            session.run(self._tokens)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
