"""Optimizers that need no schedule of their learning rate, since the weights are means of all steps."""

from ... import ops_math
from ..._tensor import convert_to_tensor
from . import Optimizer

_NOT_TAKEN = ("use_ema", "gradient_accumulation_steps", "loss_scale_factor")


class ScheduleFreeAdamW(Optimizer):
    """AdamW's steps from a point of their own; the weights are the mean of the points so far. Over the first `warmup_steps` the
    rate rises to the learning rate.

    Raises: NotImplementedError for running means of weights, accumulated gradients and a loss scale of its own."""

    _defaults = {"learning_rate": 0.0025, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-8, "warmup_steps": 0}

    def __init__(self, learning_rate=0.0025, beta_1=0.9, beta_2=0.999, epsilon=1e-8, warmup_steps=0, **kwargs):
        for key in _NOT_TAKEN:
            if kwargs.get(key):
                raise NotImplementedError(f"ScheduleFreeAdamW takes no {key}; AdamW does")
        super().__init__(learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon, warmup_steps=warmup_steps,
                         **kwargs)

    def _is_own(self):
        return False  # its rule is in Python

    def build(self, variables):
        """Makes the slots."""
        if self.built:
            return
        super().build(variables)
        self._points, self._squares = [], []
        for one in variables:
            value = one.value()
            self._points.append(self.add_variable_from_reference(one, "momentum", lambda shape, dtype, first=value: first))
            self._squares.append(self.add_variable_from_reference(one, "velocity"))

    def update_step(self, gradient, variable, learning_rate):
        """One variable's update."""
        index = self._get_variable_index(variable)
        point, square = self._points[index], self._squares[index]
        dtype = variable.dtype
        gradient, rate = ops_math.cast(gradient, dtype), ops_math.cast(learning_rate, dtype)
        step = ops_math.cast(convert_to_tensor(self.iterations) + 1, dtype)
        if self.warmup_steps:
            rate = rate * ops_math.minimum(step / float(self.warmup_steps), ops_math.cast(1.0, dtype))
        square.assign(square * self.beta_2 + ops_math.square(gradient) * (1.0 - self.beta_2))
        root = ops_math.sqrt(square / (1.0 - ops_math.pow(ops_math.cast(self.beta_2, dtype), step)))
        point.assign_sub(rate * gradient / (root + self.epsilon))
        variable.assign_add((point - variable) / step)
