"""What a restore of a checkpoint gives."""


class CheckpointLoadStatus:
    """What became of a restore."""

    def __init__(self, native):
        self._native = native
        self.of_sessions = []  # what stands for variables of a session

    def assert_consumed(self):
        """Raises: AssertionError unless everything met its match."""
        return self._check(self._native.assert_consumed)

    def assert_existing_objects_matched(self):
        return self._check(self._native.assert_existing)

    def assert_nontrivial_match(self):
        return self._check(self._native.assert_nontrivial)

    def expect_partial(self):
        return self

    def run_restore_ops(self, session=None):
        """Gives a session's variables, for a checkpoint of a graph, what was restored."""
        for one in self.of_sessions:
            one.give_back(session)

    initialize_or_restore = run_restore_ops

    def _check(self, native):
        from .errors import FailedPreconditionError
        try:
            native()
        except FailedPreconditionError as error:
            raise AssertionError(str(error)) from None
        return self
