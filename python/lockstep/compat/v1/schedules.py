"""Learning rates that follow from the step: `tf.compat.v1.train.exponential_decay` and its relatives."""

import functools

from ... import _native
from ..._tensor import convert_to_tensor


def _each_time(schedule):
    """The schedule; where ops run eagerly it gives a function that tells the rate of the step at hand."""
    @functools.wraps(schedule)
    def rate(*args, **kwargs):
        if _native.is_tracing() or _native.has_graph():
            return schedule(*args, **kwargs)
        return functools.partial(schedule, *args, **kwargs)
    return rate


@_each_time
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


@_each_time
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


@_each_time
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate / (1 + decay_rate * step / decay_steps)."""
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.floor(step / steps) if staircase else step / steps
    return learning_rate / (1.0 + decay_rate * part)


@_each_time
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate * exp(-decay_rate * step / decay_steps)."""
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.floor(step / steps) if staircase else step / steps
    return learning_rate * ops_math.exp(-decay_rate * part)


@_each_time
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Falls by a cosine."""
    import math
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    part = ops_math.minimum(step, steps) / steps
    return learning_rate * ((1 - alpha) * 0.5 * (1.0 + ops_math.cos(math.pi * part)) + alpha)


@_each_time
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate * decay_rate^(step / decay_steps)."""
    from ... import ops_math
    power = ops_math.cast(global_step, "float32") / decay_steps
    power = ops_math.floor(power) if staircase else power
    return learning_rate * ops_math.pow(float(decay_rate), power)


@_each_time
def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """A cosine that begins anew: each time after `t_mul` times as many steps, from `m_mul` times the rate."""
    import math
    from ... import ops_math
    step, steps = _steps(global_step, first_decay_steps)
    part = step / steps
    if t_mul == 1.0:
        number = ops_math.floor(part)
        part = part - number
    else:
        number = ops_math.floor(ops_math.log(1.0 - part * (1.0 - t_mul)) / math.log(t_mul))
        before = (1.0 - t_mul ** number) / (1.0 - t_mul)
        part = (part - before) / t_mul ** number
    cosine = 0.5 * m_mul ** number * (1.0 + ops_math.cos(math.pi * part))
    return learning_rate * ((1 - alpha) * cosine + alpha)


@_each_time
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """A line times a cosine."""
    import math
    from ... import ops_math
    step, steps = _steps(global_step, decay_steps)
    step = ops_math.minimum(step, steps)
    line = (steps - step) / steps
    cosine = 0.5 * (1.0 + ops_math.cos(math.pi * 2.0 * num_periods * step / steps))
    return learning_rate * ((alpha + line) * cosine + beta)
