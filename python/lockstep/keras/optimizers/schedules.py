"""Learning rates that follow from the number of updates: `keras.optimizers.schedules`."""

from ... import _native, _refused
from ..._tensor import convert_to_tensor


class LearningRateSchedule:
    """A rate for a step. To write one, derive and override `__call__(step)`."""

    @property
    def _native(self):
        made = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_made"] = _native.python_schedule(
                lambda step: convert_to_tensor(self(step)))
        return made

    def __call__(self, step):
        raise NotImplementedError(f"Learning rate schedule '{type(self).__name__}' must override "
                                  "`__call__(self, step)`.")

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        """The schedule of what `get_config` gave."""
        return cls(**config)


class _NativeSchedule(LearningRateSchedule):
    _defaults = {}

    def __init__(self, *args, **kwargs):
        values = dict(self._defaults)
        values.update(zip(self._defaults, args))
        values.update(kwargs)
        name = values.pop("name", None)
        _refused.no_more(f"{type(self).__name__}.__init__", values, self._defaults)
        self.name = name or self._shown
        missing = [key for key, value in values.items() if value is ...]
        if missing:
            raise TypeError(f"{type(self).__name__}.__init__() missing required arguments: {missing}")
        for key, value in values.items():
            setattr(self, key, value)
        whole = ("staircase", "cycle", "boundaries", "values")
        options = {key: value if key in whole else float(value) for key, value in values.items()
                   if value is not None}
        if "boundaries" in options:
            options["boundaries"] = [int(one) for one in options["boundaries"]]
            options["values"] = [float(one) for one in options["values"]]
        self._options = values
        self.__dict__["_own"] = _native.make_schedule(self._kind, options)
        if type(self).__call__ is _NativeSchedule.__call__:
            self.__dict__["_made"] = self._own

    def __call__(self, step):
        step = convert_to_tensor(step)
        return self._own.rate(step if step.dtype.is_integer else _native.cast(step, 9))

    def get_config(self):
        late = ("warmup_target", "warmup_steps")  # after the name
        options = {key: one for key, one in self._options.items() if key not in late}
        return {**options, "name": self.name, **{key: self._options[key] for key in late if key in self._options}}


def _class(name, text, shown=None, **defaults):
    return type(name, (_NativeSchedule,), {"_kind": name, "_shown": shown or name, "_defaults": defaults, "__doc__": text,
                                           "__module__": __name__})


ExponentialDecay = _class("ExponentialDecay", "rate * decay_rate^(step / decay_steps).",
                          initial_learning_rate=..., decay_steps=..., decay_rate=..., staircase=False)
InverseTimeDecay = _class("InverseTimeDecay", "rate / (1 + decay_rate * step / decay_steps).",
                          initial_learning_rate=..., decay_steps=..., decay_rate=..., staircase=False)
PiecewiseConstantDecay = _class("PiecewiseConstantDecay", "One rate up to each boundary.", "PiecewiseConstant",
                                boundaries=..., values=...)
PolynomialDecay = _class("PolynomialDecay", "Falls to the end rate by a power.",
                         initial_learning_rate=..., decay_steps=..., end_learning_rate=0.0001,
                         power=1.0, cycle=False)
CosineDecay = _class("CosineDecay", "Falls by a cosine, after a warmup.", initial_learning_rate=...,
                     decay_steps=..., alpha=0.0, warmup_target=None, warmup_steps=0)
CosineDecayRestarts = _class("CosineDecayRestarts", "Cosine decays one after another.", "SGDRDecay",
                             initial_learning_rate=..., first_decay_steps=..., t_mul=2.0, m_mul=1.0,
                             alpha=0.0)


def serialize(schedule):
    """A schedule as {module, class_name, config, registered_name}."""
    made = {"module": "keras.optimizers.schedules", "class_name": type(schedule).__name__,
            "config": schedule.get_config(), "registered_name": None}
    if not type(schedule).__module__.startswith("lockstep"):
        from .. import saving
        made["module"], made["registered_name"] = None, saving.get_registered_name(type(schedule))
    return made


def deserialize(config, custom_objects=None):
    """The schedule of {class_name, config}. Raises: ValueError for an unknown class."""
    from .. import saving
    return saving.deserialize_keras_object(config, custom_objects)
