"""Where workers come into a loop of steps, and leave it."""

import json

import numpy

from .. import _native


class StepBoundary:
    """While it is open (`with`), a loop over a strategy's steps lets workers come and go. All workers make the same calls.

    kind: what sort of loop it is; who comes must be in one of the same sort. What a worker that comes is told is the
    values of all variables of the loop's functions, and a position: a dict that JSON can hold, and arrays."""

    def __init__(self, strategy, kind):
        self._strategy, self._kind, self._native = getattr(strategy, "_native", None), kind, None

    def __enter__(self):
        if self._strategy is not None:
            self._native = _native.StepBoundary(self._strategy, self._kind)
        return self

    def __exit__(self, *error):
        self._native = None

    @property
    def entering(self):
        """Whether this worker comes into a job that trains without it, or was left out of it."""
        return self._native is not None and self._native.entering

    def enter(self, functions):
        """Waits to be let in; the position of the others, or None where the job begins with this worker.

        functions: those of the loop, traced; their variables have the others' values then.
        Raises: FailedPreconditionError where the others run another program, or are in another training of it."""
        position = self._native.enter(_natives(functions))
        return None if position is None else json.loads(position, object_hook=_array)

    def pass_step(self, steps, functions, position):
        """Between two steps, of which `steps` have been taken: lets in who waits. `position()` is called if there is
        anybody. False: all want to leave, so the loop is to end. Raises: CancelledError on a worker that leaves."""
        return self._native is None or self._native.pass_step(
            steps, _natives(functions), lambda: json.dumps(position(), default=_described))


def _described(array):
    return {"dtype of array": str(array.dtype), "values": array.tolist()}


def _array(read):
    return numpy.array(read["values"], read["dtype of array"]) if "dtype of array" in read else read


def _natives(functions):
    return [native for function in functions for native in function._natives()]
