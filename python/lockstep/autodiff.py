"""Derivatives along a direction, and tapes: `tf.autodiff`."""

import contextlib
import threading

from . import nest, ops_array, ops_math
from ._tape import GradientTape, UnconnectedGradients
from ._tensor import convert_to_tensor


_local = threading.local()


def _active():
    """The accumulators that are open in this thread, the innermost last."""
    if not hasattr(_local, "accumulators"):
        _local.accumulators = []
    return _local.accumulators


class ForwardAccumulator:
    """The derivatives of what is computed meanwhile, along `tangents` at `primals`: `jvp(result)`.

    Raises: ValueError for primals and tangents of different structures."""

    def __init__(self, primals, tangents):
        nest.assert_same_structure(primals, tangents)
        self._primals = nest.flatten(primals)
        self._tangents = [convert_to_tensor(one) for one in nest.flatten(tangents)]
        self._tape = GradientTape(persistent=True)
        self._around = ()

    def __enter__(self):
        active = _active()
        self._around = tuple(active)
        active.append(self)
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *error):
        _active().remove(self)
        self._tape.__exit__(*error)

    def _seen_around(self):
        """A context in which the accumulators around this one, also those that have ended, follow what is computed."""
        stack = contextlib.ExitStack()
        for one in self._around:
            if not one._tape._open:
                stack.enter_context(one._tape)
        return stack

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The derivative of a result. Where it does not depend on the primals it is None, or zeros if `unconnected_gradients`
        says so."""
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO

        def along(result):
            with self._seen_around():
                found = self._along(result)
            return ops_array.zeros_like(result) if found is None and zero else found
        return nest.map_structure(along, primals)

    def _along(self, result):
        with GradientTape() as outer:  # the gradient is linear in what it is multiplied by
            factor = ops_array.zeros_like(result)
            outer.watch(factor)
            gradients = self._tape.gradient(result, self._primals, output_gradients=factor)
            total = None
            for gradient, tangent in zip(gradients, self._tangents):
                if gradient is not None:
                    part = ops_math.reduce_sum(convert_to_tensor(gradient) * tangent)
                    total = part if total is None else total + part
        return None if total is None else outer.gradient(total, factor)


_ = GradientTape
