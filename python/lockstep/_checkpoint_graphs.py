"""`tf.train.Checkpoint` beside graphs of version 1: variables of a session, and checkpoints that have names alone."""

import contextlib

from . import _native

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


def session_of(variable):
    """The default session, for a variable of a graph; else None."""
    if not getattr(variable, "_of_graph", False):
        return None
    from .compat.v1._sessions import get_default_session
    return get_default_session()


@contextlib.contextmanager
def outside_of_graphs():
    """The time in which ops run at once, also beside a graph that is being built."""
    if not _native.has_graph():
        yield
        return
    scope = _native.EagerScope()
    scope.enter()
    try:
        yield
    finally:
        scope.exit()


class SessionVariable:
    """A variable of this process that stands for one of a session, while it is saved or restored."""

    def __init__(self, variable, session, filled):
        from ._tensor import convert_to_tensor
        from .ops_array import zeros
        value = session.run(variable) if filled else None
        with outside_of_graphs():
            value = zeros(variable.shape.as_list(), variable.dtype) if value is None else convert_to_tensor(
                value, dtype=variable.dtype)
            self.native = _native.Variable.apart(value, variable._v.name)
        self.key, self._variable, self._session = variable._v.key, variable, session

    def give_back(self, session=None):
        """The session's variable gets what was restored, if anything was."""
        if self.native.version > 0:
            with outside_of_graphs():
                value = self.native.value().numpy()
            self._variable.load(value, session or self._session)


class NameBasedSaverStatus:
    """What became of the restore of a checkpoint of version 1, which has names of variables and no objects."""

    def __init__(self, checkpoint, path):
        from .train import CheckpointReader
        self._checkpoint, self._path, self._reader = checkpoint, path, CheckpointReader(path)
        self._restored = {}

    def restore_new(self):
        """Assigns to the checkpoint's variables that have no value of the file yet. Raises: ValueError for another shape."""
        from ._tensor import convert_to_tensor
        self._checkpoint._made(filled=False)
        for key, one in self._checkpoint._reached.items():
            name = one._v.name
            if key in self._restored or not self._reader.has_tensor(name):
                continue
            value = self._reader.get_tensor(name)
            if list(value.shape) != one.shape.as_list():
                raise ValueError(f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with "
                                 f"shape {tuple(one.shape)} and name {name}.")
            one.assign(convert_to_tensor(value, dtype=one.dtype))
            self._restored[key] = name

    def left(self):
        """Names of the checkpoint that no variable has got the value of."""
        return set(self._reader.get_variable_to_shape_map()) - set(self._restored.values())

    def assert_existing_objects_matched(self):
        """Raises: AssertionError for a variable that the checkpoint has no value for."""
        for key, one in self._checkpoint._reached.items():
            if key not in self._restored:
                raise AssertionError(f"Object not restored: {one!r}")
        return self

    def assert_consumed(self):
        """Raises: AssertionError, also for a value of the checkpoint that no variable has got."""
        self.assert_existing_objects_matched()
        if self.left():
            raise AssertionError(f"Some objects had attributes which were not restored: {sorted(self.left())}")
        return self

    assert_nontrivial_match = assert_existing_objects_matched

    def expect_partial(self):
        return self

    initialize_or_restore = run_restore_ops = lambda self, session=None: None


def has_names_alone(path):
    """Whether a checkpoint has no graph of objects."""
    from .train import CheckpointReader
    return not CheckpointReader(path).has_tensor(_OBJECTS)
