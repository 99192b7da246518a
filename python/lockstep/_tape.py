"""Gradients."""

import enum

from . import _composites, _native, _records, errors, nest
from ._dtypes import TensorShape
from ._open_variable import open_tapes, State
from ._tensor import IndexedSlices, Tensor, convert_to_tensor
from ._variable import UnreadVariable, Variable


class UnconnectedGradients(enum.Enum):
    """What stands for the gradient of what the target does not depend on."""
    NONE = "none"
    ZERO = "zero"


def with_slices(tensor):
    """A tensor, or where it holds slices the `IndexedSlices`; None as it is."""
    if tensor is None:
        return None
    slices = tensor._slices()
    if slices is None:
        return tensor
    return IndexedSlices(slices[0], slices[1], convert_to_tensor(list(slices[2])))


def _source(one):
    if isinstance(one, UnreadVariable):
        return one._assigned._v
    if isinstance(one, Variable):
        return one._v
    return convert_to_tensor(one)


def _is_open(one):
    return isinstance(one, Variable) and isinstance(one._v, State)


def _summed(parts, gradients):
    """One gradient for each list of `parts`, which have one for each of their elements."""
    made, sums = iter(gradients), []
    for part in parts:
        known = [one for one in [next(made) for _ in part] if one is not None]
        sums.append(sum(known[1:], known[0]) if known else None)
    return sums


def _target(one):
    if isinstance(one, IndexedSlices):
        return convert_to_tensor(one)
    return convert_to_tensor(one)


class GradientTape:
    """Records what is computed while it is open, and differentiates it backwards.

    Args:
      persistent: whether `gradient` may be called several times.
      watch_accessed_variables: whether all trainable variables that are read are watched.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        # A jacobian asks several times, so what lasts is decided here.
        self._options = (True, watch_accessed_variables)
        self._tape = None
        self._open = False
        self._used = False
        self._seen = ()
        self._reads = []  # (variable of open shape, what it held)

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        if self._open:
            self._tape.stop()
            self._open = False
        if self in open_tapes():
            open_tapes().remove(self)

    def note_read(self, state, value):
        """Follows what a variable of open shape holds now."""
        if self._open and self._options[1] and state.trainable and value.dtype.is_floating:
            self._tape.watch(value)
            self._reads.append((state, value))

    def _start(self):
        if self._open:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an "
                             "already-active tape.")
        if self._tape is None:
            self._tape = _native.GradientTape(*self._options)
            self._used = False
        else:
            self._tape.resume()
        self._open = True
        open_tapes().append(self)

    def watch(self, tensor):
        """Follows a tensor, or tensors in a structure. Raises: ValueError for other things."""
        for one in map(_composites.values_of, nest.flatten(tensor)):
            if not isinstance(one, (Tensor, Variable)):
                raise ValueError(f"Passed in object {one} of type {type(one).__name__!r}, not "
                                 "tf.Tensor or tf.Variable or ExtensionType.")
            if self._tape is None:
                self._tape = _native.GradientTape(*self._options)
                self._tape.stop()
            if isinstance(one, Variable):
                self._tape.watch_variable(_source(one))
            else:
                self._tape.watch(one)

    def stop_recording(self):
        """A context in which nothing is recorded."""
        tape = self

        class Pause:
            def __enter__(self):
                if not tape._open:
                    raise RuntimeError("Trying to stop recording a tape which is not recording.")
                tape._tape.stop()

            def __exit__(self, *_):
                tape._tape.resume()
        return Pause()

    def reset(self):
        """Forgets everything."""
        if self._tape is not None:
            self._tape.reset()
        self._used = False

    def watched_variables(self):
        """The variables that the tape follows, in the order in which they were read or watched."""
        if self._tape is None:
            return self._seen
        from ._variable import by_handles
        return by_handles(self._tape.watched_handles())

    def gradient(self, target, sources, output_gradients=None,
                 unconnected_gradients=UnconnectedGradients.NONE):
        """The gradients of the sum of the elements of `target` with respect to `sources`, in the form
        of `sources`; None where there is none. Those of ragged and sparse tensors are such ones.

        Raises: RuntimeError on a second call without `persistent`."""
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of "
                               "gradients (or jacobians)")
        if self._tape is None:
            raise RuntimeError("A tape gives gradients of what was computed while it was open")
        given, target = nest.flatten(sources), nest.map_structure(_composites.values_of, target)
        flat = list(map(_composites.values_of, given))
        for one in flat:
            if one is None:
                raise TypeError("Argument `sources` entries must be tf.Tensor or tf.Variable; got None")
        if self._open and not self._persistent:
            self._tape.stop()
            self._open = False
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        upstream = [] if output_gradients is None else [
            None if one is None else convert_to_tensor(_composites.values_of(one))
            for one in nest.flatten(output_gradients)]
        targets = [_target(one) for one in nest.flatten(target)]
        self._used = True
        result = self._by_reads(targets, flat, upstream, zero)
        result = _with_themselves(result, nest.flatten(target), flat, upstream)
        if not self._persistent:
            self._seen = self.watched_variables()
            self._tape = None
        return nest._pack(sources, iter([_composites.with_values(one, with_slices(made)) for one, made in zip(given, result)]))

    def _by_reads(self, targets, flat, upstream, zero):
        """The gradients; those of a variable of open shape are the sums of those of what was read of it."""
        parts = [list({value._id: value for state, value in self._reads if state is one._v}.values()) if _is_open(one)
                 else [_source(one)] for one in flat]
        return _summed(parts, self._tape.gradient(targets, [one for part in parts for one in part], upstream, zero))

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE,
                 parallel_iterations=None, experimental_use_pfor=True):
        """The derivatives of each element of `target`. Shapes: [target..., source...]. A source that it does not depend on has
        None, or zeros if `unconnected_gradients` says so."""
        from . import ops_array
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of "
                               "gradients (or jacobians)")
        if self._tape is None:
            raise RuntimeError("A tape gives jacobians of what was computed while it was open")
        target = convert_to_tensor(target)
        was_open = self._open
        if was_open:
            self._tape.stop()
        flat = nest.flatten(sources)
        size = target._size
        rows, zero = [], UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        for place in range(size):
            one = ops_array.reshape(ops_array.one_hot(place, size, dtype=target.dtype), target._shape)
            rows.append(self._tape.gradient([target], [_source(s) for s in flat], [one], zero))
        self._used = True
        if not self._persistent:
            self._tape = None
            self._open = False
        elif was_open:
            self._tape.resume()
        columns = []
        for place, source in enumerate(flat):
            parts = [row[place] for row in rows]
            if parts and parts[0] is None:
                columns.append(None)
                continue
            stacked = ops_array.stack(parts)
            columns.append(ops_array.reshape(stacked, list(target._shape) + list(source.shape)))
        return nest._pack(sources, iter(columns))

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE,
                       parallel_iterations=None, experimental_use_pfor=True):
        """The jacobian of each row of `target` by the same row of `source`; zeros where it does not depend on it."""
        from . import ops_array
        for one in (target, source):
            if one._symbolic or one.shape.rank is None:
                continue
            if one.shape.rank < 2:
                raise ValueError(f"Shape {one.shape} must have rank at least 2")
        full = self.jacobian(target, source, UnconnectedGradients.ZERO)
        rows = target._shape[0]
        middle = len(target._shape)
        return ops_array.stack([full[(i,) + (slice(None),) * (middle - 1) + (i,)] for i in range(rows)])


def gradients(ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None,
              stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    """The gradients of the sum of `ys` by each of `xs`, as a list: of the graph that is being built;
    of eager results by the record of how they were made. Raises: ValueError for other `unconnected_gradients`."""
    ys = ys if isinstance(ys, (list, tuple)) else [ys]
    xs = xs if isinstance(xs, (list, tuple)) else [xs]
    try:
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected_gradients}'") from None
    from .compat import v1
    made = v1.graph_gradients(ys, xs, grad_ys, stop_gradients, zero)
    if made is not None:
        return made
    if not _native.is_tracing():
        from . import _replay
        return _replay.gradients(ys, xs, grad_ys, stop_gradients, zero)
    upstream = [] if grad_ys is None else [
        None if one is None else convert_to_tensor(one)
        for one in (grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys])]
    stops = [] if stop_gradients is None else [_source(one) for one in nest.flatten(stop_gradients)]
    with v1.gradient_ops(), v1.name_scope(name or "gradients"):
        parts = [one._v.reads if _is_open(one) else [_source(one)] for one in xs]
        result = _summed(parts, _native.gradients([_target(one) for one in ys], [one for part in parts for one in part],
                                                  upstream, stops, zero))
    return [with_slices(one) for one in result]


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """The second derivatives of the sum of `ys` by each of `xs`, of shape [*x, *x]. Raises: ValueError for an `x` whose
    shape is not known, or of which `ys` do not depend."""
    from .ops_array import reshape, stack
    made = []
    for x in xs if isinstance(xs, (list, tuple)) else [xs]:
        sizes = TensorShape(x.shape)
        if not sizes.is_fully_defined():
            raise ValueError(f"hessians needs the whole shape of x; got {sizes} for {x}")
        slope = gradients(ys, [x])[0]
        if slope is None:
            raise ValueError(f"hessians needs ys that depend on x; they do not depend on {x}")
        flat = reshape(convert_to_tensor(slope), [-1])
        rows = [gradients(flat[i], [x], unconnected_gradients=UnconnectedGradients.ZERO)[0]
                for i in range(sizes.num_elements())]
        made.append(reshape(stack([convert_to_tensor(one) for one in rows]), sizes.as_list() * 2))
    return made


_ = (_records, errors)


def _with_themselves(gradients, targets, sources, upstream):
    """The gradients, and 1 (or the upstream gradient) more where a variable is a target and a source."""
    from .ops_array import ones_like
    made = list(gradients)
    for place, source in enumerate(sources):
        for number, target in enumerate(targets):
            if isinstance(target, Variable) and isinstance(source, Variable) and target._v.key == source._v.key:
                given = upstream[number] if upstream and upstream[number] is not None else None
                own = ones_like(source.value()) if given is None else given
                made[place] = own if made[place] is None else made[place] + own
    return made
