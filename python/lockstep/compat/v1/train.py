"""Optimizers and helpers of version 1: `tf.compat.v1.train`."""

from ..._variable import Variable
from ...train import (BytesList, Checkpoint, CheckpointManager, Coordinator, Example, FeatureList, FeatureLists,  # noqa: F401
                      ExponentialMovingAverage, Feature, Features, FloatList, Int64List, SequenceExample,
                      checkpoints_iterator, get_checkpoint_state, latest_checkpoint, list_variables,
                      load_checkpoint, load_variable)
from ...train import CheckpointOptions  # noqa: F401
from ...train_cluster import ClusterDef, ClusterSpec, JobDef, ServerDef  # noqa: F401
from ...distribute.server import Server  # noqa: F401
from .hooks import (CheckpointSaverHook, CheckpointSaverListener, FeedFnHook, FinalOpsHook,  # noqa: F401
                    GlobalStepWaiterHook, LoggingTensorHook, NanLossDuringTrainingError, NanTensorHook, ProfilerHook,
                    SecondOrStepTimer, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
                    StepCounterHook, StopAtStepHook, SummarySaverHook)
from .monitored import (ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession, Scaffold,  # noqa: F401
                        SessionCreator, SingularMonitoredSession, WorkerSessionCreator)
from .optimizers import (AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer, AdamOptimizer, FtrlOptimizer,  # noqa: F401
                         GradientDescentOptimizer, MomentumOptimizer, Optimizer, ProximalAdagradOptimizer,
                         ProximalGradientDescentOptimizer, RMSPropOptimizer)
from .saving import (Saver, checkpoint_exists, get_checkpoint_mtimes, init_from_checkpoint,  # noqa: F401
                     remove_checkpoint, update_checkpoint_state)
from .schedules import (cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay,  # noqa: F401
                        linear_cosine_decay, natural_exp_decay, piecewise_constant, piecewise_constant_decay,
                        polynomial_decay)
from .session_manager import SessionManager  # noqa: F401
from .supervisor import LooperThread, Supervisor  # noqa: F401
from .sync_replicas import SyncReplicasOptimizer  # noqa: F401
from ..._messages import summary_iterator  # noqa: F401
from . import queue_runner  # noqa: F401
from ._graph_defs import write_graph  # noqa: F401
from .meta_graphs import export_meta_graph, import_meta_graph, SaverDef  # noqa: F401
from .queue_runner import (QueueRunner, add_queue_runner, batch, batch_join, input_producer, limit_epochs,  # noqa: F401
                           range_input_producer, shuffle_batch, shuffle_batch_join, slice_input_producer, start_queue_runners,
                           string_input_producer)
from .replica_setter import replica_device_setter  # noqa: F401

NewCheckpointReader = load_checkpoint


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
    """Calls `train_step_fn(session, ...)` until the supervisor stops."""
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or ()), **(kwargs or {}))


def global_step(sess, global_step_tensor):
    """The number of steps that a session has made."""
    return int(sess.run(global_step_tensor))


def get_or_create_global_step(graph=None):
    """The variable that counts steps."""
    from . import get_default_graph, get_variable_scope
    graph = graph or get_default_graph()
    known = graph._collections.get("global_step")
    if known:
        return known[0]
    from ..._dtypes import int64
    from ..._function import outermost_scope
    scope = get_variable_scope().name
    with outermost_scope():  # scopes of variables name it, those of ops do not
        made = Variable(0, trainable=False, name=f"{scope}/global_step" if scope else "global_step", dtype=int64)
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


