"""Losses in half precision: scaled before the gradients are taken, so that those do not vanish."""

from ... import _native, ops_array, ops_math
from ..._control_flow import cond
from ..._variable import Variable
from .._names import auto_name
from . import Optimizer, _named, _own_rules, deserialize, serialize

# What saved configurations of older versions say beside; other values belong to the optimizer inside.
_DEFAULTS = {"weight_decay": None, "clipnorm": None, "global_clipnorm": None, "clipvalue": None, "use_ema": False,
             "ema_momentum": 0.99, "ema_overwrite_frequency": None, "loss_scale_factor": None,
             "gradient_accumulation_steps": None}


def _check(options):
    if not options.pop("dynamic", True):
        raise ValueError("LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set `loss_scale_factor` "
                         "directly on the `inner_optimizer`.")
    for name, value in _DEFAULTS.items():
        if options.pop(name, value) != value:
            raise ValueError(f"LossScaleOptimizer does not support `{name}`. Instead, set `{name}` on the "
                             "`inner_optimizer`.")
    if options:
        raise ValueError(f"LossScaleOptimizer does not support arguments: `{'`, `'.join(options)}`.")


def _leave_unscaled(optimizer):
    """Takes the loss scale from an optimizer that has no slots yet, as the one around it scales losses."""
    options = getattr(optimizer, "_options", {})
    if optimizer.built or options.pop("loss_scale_factor", None) is None:
        return
    if optimizer._schedule is None:
        options["learning_rate"] = float(optimizer.learning_rate)
    optimizer._native = _native.make_optimizer(optimizer._kind or "SGD", dict(options, name=optimizer.name))
    optimizer._config["loss_scale_factor"] = optimizer.loss_scale_factor = None


class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer for losses in half precision."""

    def __init__(self, inner_optimizer, initial_scale=2.0**15, dynamic_growth_steps=2000, name=None, **kwargs):
        _check(kwargs)
        _leave_unscaled(inner_optimizer)
        self.inner_optimizer = inner_optimizer
        self.initial_scale, self.dynamic_growth_steps = initial_scale, dynamic_growth_steps
        self.name = name or auto_name("loss_scale_optimizer")
        self._schedule = inner_optimizer._schedule
        self._native = _native.loss_scale_optimizer(inner_optimizer._native, float(initial_scale),
                                                    int(dynamic_growth_steps))
        self._config, self._own_slots = {}, []
        # Nothing reads these two; files of Keras have them.
        _own_rules.add_variable(self, (), "zeros", "int64", "iteration")
        _own_rules.add_variable(self, (), "zeros", "float32", "learning_rate")

    def build(self, variables):
        if self._has_own_rule():
            self.inner_optimizer.build(variables)
        else:
            super().build(variables)

    def _has_own_rule(self):
        return self.inner_optimizer._has_own_rule()

    def _is_own(self):
        return self.inner_optimizer._is_own()

    def _update_own(self, gradients, variables):
        counter, scale = self.step_counter, self.dynamic_scale
        unscaled = [one / ops_math.cast(scale, one.dtype) for one in gradients]
        finite = ops_math.reduce_all([ops_math.reduce_all(ops_math.is_finite(one)) for one in unscaled])

        def take():
            self.inner_optimizer._update_own(unscaled, variables)
            grows = counter + 1 >= self.dynamic_growth_steps
            counter.assign(ops_array.where(grows, ops_array.zeros_like(counter), counter + 1))
            scale.assign(ops_array.where(grows, scale * 2.0, scale.value()))

        def leave_out():
            counter.assign(ops_array.zeros_like(counter))
            scale.assign(scale * 0.5)
        cond(finite, take, leave_out)

    # Both have the same weights.

    @property
    def built(self):
        return self.inner_optimizer.built

    @built.setter
    def built(self, value):
        self.inner_optimizer.built = value

    @property
    def _weights(self):
        return self.inner_optimizer._weights

    @_weights.setter
    def _weights(self, value):
        self.inner_optimizer._weights = value

    _iterations = property(lambda self: self.inner_optimizer._iterations)
    iterations = property(lambda self: self.inner_optimizer.iterations)

    @property
    def learning_rate(self):
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value):
        self.inner_optimizer.learning_rate = value

    @property
    def step_counter(self):
        """How many updates were made since the scale has changed."""
        return _named(Variable._wrap(self._native.variables()[0]), f"{self.name}/step_counter")

    @property
    def dynamic_scale(self):
        """By what losses are multiplied."""
        return _named(Variable._wrap(self._native.variables()[1]), f"{self.name}/dynamic_scale")

    def _of_its_own(self):
        return self._own_slots + ([self.step_counter, self.dynamic_scale] if self.built else [])

    @property
    def variables(self):
        return self._of_its_own() + self.inner_optimizer.variables

    def get_config(self):
        return {"name": self.name, "inner_optimizer": serialize(self.inner_optimizer),
                "initial_scale": self.initial_scale, "dynamic_growth_steps": self.dynamic_growth_steps}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        inner = deserialize(config["inner_optimizer"], custom_objects)
        return cls(inner, **{key: value for key, value in config.items() if key != "inner_optimizer"})
