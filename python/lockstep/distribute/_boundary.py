"""Where workers come into a loop of steps, and leave it."""

from .. import _native
from . import _told


class _Activity:
    """What all workers are at while it is open (`with`): an error that leaves it on one of them is told to the others."""

    def __init__(self, strategy, make, *arguments):
        of_strategy = getattr(strategy, "_native", None)
        self._made = (make, () if of_strategy is None else (of_strategy,), arguments)  # else of the default one
        self._native = None

    def __enter__(self):
        make, of_strategy, arguments = self._made
        self._native = make(*of_strategy, *arguments)
        return self

    def __exit__(self, kind, error, traceback):
        if error is not None:
            self._native.fail(f"{kind.__name__}: {error}")
        self._native = None


class Looking(_Activity):
    """An evaluation or a prediction, from which nothing is learned: a worker that the others have left out does it by itself."""

    def __init__(self, strategy):
        super().__init__(strategy, _native.Looking)


class StepBoundary(_Activity):
    """While it is open (`with`), a loop over a strategy's steps lets workers come and go. All workers make the same calls.
    An error that leaves it on one of them is told to the others, which get AbortedError with its text half a second later.

    strategy: whose steps they are. kind: what sort of loop it is; who comes must be in one of the same sort. What a
    worker that comes is told, and a save holds, is the values of all variables of the loop's functions (`tf.function`s that
    are traced), and a position: a dict that JSON can hold, and arrays."""

    def __init__(self, strategy, kind):
        super().__init__(strategy, _native.StepBoundary, kind)

    @staticmethod
    def trace(function, *args):
        """Traces a function for these arguments, unless it is traced, and runs nothing: so its variables are known."""
        function._prepare_for(*args)

    @property
    def entering(self):
        """Whether this worker comes into a job that trains without it, or was left out of it."""
        return self._native.entering

    def enter(self, functions):
        """Waits to be let in; the position of the others, or None where the job begins with this worker.

        functions: those of the loop, traced; their variables have the others' values then.
        Raises: FailedPreconditionError where the others run another program, or are in another training of it."""
        position = self._native.enter(_natives(functions))
        return None if position is None else _told.read(position)

    def pass_step(self, steps, functions, position):
        """Between two steps, of which `steps` have been taken: lets in who waits. `position()` is called if there is
        anybody. Who has entered goes on behind this call of the others. False: all want to leave, so the loop is to end.
        Raises: SystemExit on a worker that was told to end (SIGTERM, which the program does not handle) and leaves: 0, as the
        others go on; 143 if none is left."""
        return self._native.pass_step(steps, _natives(functions), lambda: _told.write(position()))

    def save(self, directory, steps, functions, position):
        """Writes what a worker that comes would be told after `steps` steps into a directory of saves; all workers make
        the call, one writes."""
        self._native.save(directory, steps, _natives(functions), _told.write(position))

    def resume(self, directory, functions):
        """The position of the directory's newest save; variables of `functions`, which are traced, have its values then.

        Raises: NotFoundError; FailedPreconditionError for the save of another program."""
        return _told.read(self._native.resume(directory, _natives(functions)))


def _natives(functions):
    return [native for function in functions for native in function._natives()]
