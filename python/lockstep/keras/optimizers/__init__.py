"""Changing weights by their gradients: `keras.optimizers`."""

import warnings
import weakref

from ... import _constrained, _late, _native, _refused, distribute
from ..._tensor import IndexedSlices, Tensor, convert_to_tensor
from ..._variable import aggregation_number, Variable
from .. import _own_state
from .._names import auto_name, to_snake_case
from . import _slot_order, _update_scope, schedules  # noqa: F401

_SHARED = ("weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
           "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps")


class Optimizer:
    """An update rule with its slots, `iterations` and `learning_rate`.

    Raises: ValueError for options out of range, and when there are no gradients."""

    _kind = None
    _defaults = {"learning_rate": None}
    _applied_own = False

    def __init__(self, *args, **kwargs):
        if self._kind is None and "learning_rate" not in kwargs and not args:
            raise TypeError("Optimizer.__init__() missing 1 required positional argument: 'learning_rate'")
        names = list(self._defaults)
        values = dict(self._defaults)
        values.update(zip(names, args))
        name = kwargs.pop("name", None)
        kwargs.pop("jit_compile", None)
        if "decay" in kwargs:
            warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=2)
            kwargs.pop("decay")
        if "lr" in kwargs:
            raise ValueError("Argument(s) not recognized: {'lr': %r}" % kwargs["lr"])
        for key, value in kwargs.items():
            if key not in values and key not in _SHARED:
                raise ValueError(f"Argument(s) not recognized: {{{key!r}: {value!r}}}")
            values[key] = value
        self.name = name or auto_name(to_snake_case(type(self).__name__))
        rate = values.pop("learning_rate")
        if isinstance(rate, dict):
            rate = schedules.deserialize(rate)
        shared = {key: values.get(key) for key in _SHARED}
        shared["use_ema"] = bool(shared["use_ema"])
        shared["ema_momentum"] = values.get("ema_momentum", 0.99)
        self._config = dict({"name": self.name, "learning_rate": rate, **shared}, **{
            key: value for key, value in values.items() if key not in _SHARED})
        options = {key: value for key, value in values.items() if value is not None}
        for key, value in values.items():
            if not hasattr(type(self), key):
                self.__dict__.setdefault(key, value)
        if callable(rate) and not isinstance(rate, (Tensor, Variable)):
            options["schedule"] = _native_schedule(rate)
        elif isinstance(rate, str):
            raise ValueError("Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable "
                             f"(that takes in the current iteration value and returns the corresponding learning rate value). "
                             f"Received instead: learning_rate={rate}")
        else:
            options["learning_rate"] = float(rate)
        self._schedule = rate if callable(rate) else None
        options = options if self._kind else {
            key: one for key, one in options.items() if key in ("learning_rate", "schedule", "loss_scale_factor")}
        self._options = _plain(options)
        self._native = _native.make_optimizer(self._kind or "SGD", dict(self._options, name=self.name))
        self._own_slots, self._strategy = [], weakref.ref(distribute.get_strategy())
        self.built = False
        self._weights = []

    @property
    def _weights(self):
        return self._known_weights

    @_weights.setter
    def _weights(self, variables):
        """From now on the optimizer updates these. Raises: ValueError for one of another strategy than the optimizer's."""
        variables = list(variables)
        _update_scope.require_same_strategy(self, variables)
        _update_scope.exclude_from_decay(self, variables)
        self._known_weights = variables

    def build(self, variables):
        """Makes the slots; those that a restored checkpoint waits for get their saved values."""
        self._weights = list(variables)
        if not self._has_own_rule():
            self._native.build([one._v for one in variables])
        self.built = True
        if _late.waiting and not self._has_own_rule():
            _late.restore()

    def update_step(self, gradient, variable, learning_rate):
        """One variable's update, for optimizers of your own."""
        raise NotImplementedError

    def _has_own_rule(self):
        return type(self).update_step is not Optimizer.update_step

    def _is_own(self):
        """Whether a native `fit` may update without asking Python."""
        return type(self).__module__.startswith(__name__)

    def add_variable(self, shape, initializer="zeros", dtype=None, aggregation="none", layout=None, name=None):
        """A variable of an optimizer of your own. Raises: ValueError for no kind of aggregation."""
        from . import _own_rules
        aggregation_number(aggregation or "none")
        return _own_rules.add_variable(self, shape, initializer, dtype or "float32", name or "variable")

    def add_variable_from_reference(self, reference_variable, name=None, initializer="zeros"):
        """A variable with the shape of another."""
        path = getattr(reference_variable, "path", reference_variable.name).replace("/", "_")
        return self.add_variable(reference_variable.shape, initializer, reference_variable.dtype,
                                 name=f"{path}_{name or 'slot'}")

    def add_optimizer_variables(self, trainable_variables, name, initializer="zeros"):
        """Variables with the shapes of others; of several names a list for each."""
        from . import _own_rules
        made = _own_rules.slots_for(self, trainable_variables, name, initializer)
        return made[0] if isinstance(name, str) else tuple(made)

    def _get_variable_index(self, variable):
        keys = [one._v.key for one in self._weights]
        return keys.index(variable._v.key)

    def assign(self, variable, value):
        variable.assign(value)

    def assign_add(self, variable, value):
        variable.assign_add(value)

    def assign_sub(self, variable, value):
        variable.assign_sub(value)

    @property
    def iterations(self):
        """The number of updates; a variable where each step makes one."""
        steps = self._config.get("gradient_accumulation_steps")
        return self._iterations // steps if steps else self._iterations

    @property
    def _iterations(self):
        return _named(Variable._wrap(self._native.iterations()), f"{self.name}/iteration")

    @property
    def learning_rate(self):
        if self._schedule is not None:
            return self._native.learning_rate()
        for one in self._native.variables()[1:2]:
            return _Rate(self, _named(Variable._wrap(one), f"{self.name}/learning_rate"))
        return self._native.learning_rate()

    @learning_rate.setter
    def learning_rate(self, value):
        if callable(value) and not isinstance(value, (Tensor, Variable)):
            self._take_schedule(value)
            return
        if self._schedule is not None:
            raise TypeError("This optimizer was created with a `LearningRateSchedule` object as its "
                            "`learning_rate` constructor argument, hence its learning rate is not "
                            "settable. If you need the learning rate to be settable, you should "
                            "instantiate the optimizer with a float `learning_rate` argument.")
        self._native.set_learning_rate(float(value))

    def _take_schedule(self, schedule):
        self._native.set_schedule(_native_schedule(schedule))
        self._schedule = self._config["learning_rate"] = schedule
        self._options.pop("learning_rate", None)
        self._options["schedule"] = _native_schedule(schedule)

    lr = learning_rate

    @property
    def variables(self):
        made = self._by_weight()
        counters = 1 if self._schedule is not None else 2
        return made[:counters] + _slot_order.by_stage(made[counters:])

    def _by_weight(self):
        """The counters, then all slots weight by weight."""
        shown = {}  # what a slot is named after; Keras numbers the output of a variable that is not its own
        for one in self._weights:
            native = one._v.name.replace("/", "_") + "_"
            shown[native] = native + "0_" if one._keras_path is None else one.path.replace("/", "_") + "_"
        prefixes = sorted(shown, key=len, reverse=True)
        made = []
        for one in self._native.variables():
            name = one.name.rpartition("/")[2]
            name = "iteration" if name == "iterations" else name
            for prefix in prefixes:
                if name.startswith(prefix):
                    name = shown[prefix] + name[len(prefix):]
                    break
            made.append(_named(Variable._wrap(one), f"{self.name}/{name}"))
        made += self._own_slots
        if self._kind == "Nadam":  # the product of momenta, after the slots
            made.sort(key=lambda one: one.name == "variable")
        return made

    weights = variables

    def set_weights(self, weights):
        """Assigns arrays to all variables, in their order. Raises: ValueError before `build`, and for another shape."""
        if not self.built:
            raise ValueError("You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                             "`optimizer.build(trainable_variables)` to create the optimizer weights before calling "
                             "`set_weights()`.")
        for variable, weight in zip(self.variables, weights):
            if tuple(variable.shape) != tuple(weight.shape):
                raise ValueError(f"Optimizer variable {variable.name} has shape {tuple(variable.shape)} not compatible with "
                                 f"provided weight shape {tuple(weight.shape)}.")
            variable.assign(weight)

    def save_own_variables(self, store):
        """Puts all variables into a dict of arrays."""
        _own_state.keep_all(self, store)

    def load_own_variables(self, store):
        """Assigns what `save_own_variables` has put there; warns about another number of variables, and leaves them."""
        _own_state.take_all(self, store)

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        """One update by (gradient, variable) pairs; gives `iterations`. Raises: ValueError when there are no gradients."""
        _refused.no_more("apply_gradients", kwargs, ("skip_gradients_aggregation", "experimental_aggregate_gradients"))
        pairs = list(grads_and_vars)
        self.apply([gradient for gradient, _ in pairs], [variable for _, variable in pairs])
        return self.iterations

    def apply(self, grads, trainable_variables=None):
        """One update. Inside of a replica the sum of all replicas' gradients is applied, once."""
        variables = self._weights if trainable_variables is None else list(trainable_variables)
        if not variables or all(one is None for one in grads):
            raise ValueError("No gradients provided for any variable.")
        if self.built and self._weights:
            known = {one._v.key for one in self._weights}
            for one in variables:
                if one._v.key not in known:
                    raise ValueError(
                        f"Unknown variable: {one!r}. This optimizer can only be called for the variables it "
                        "was originally built with. When working with a new set of variables, you should "
                        "recreate a new optimizer instance.")
        _warn_of_missing(grads, variables)
        if self._has_own_rule():
            self._apply_own(grads, variables)
            return
        if not self.built:
            if _late.waiting:
                _update_scope.call_once(lambda: self.build(variables))
            self._weights = variables
            self.built = True
        rows = []
        for one, variable in zip(grads, variables):  # as many as there are of both, as in Keras
            one = distribute._values.local_value(one)
            rows.append(one._row(variable.shape) if isinstance(one, IndexedSlices) else one)
        variables = variables[:len(rows)]
        self._native.apply(rows, [one._v for one in variables])
        _constrained.bring_back(variables)

    def _apply_own(self, grads, variables):
        from . import _own_rules
        if not self.built:
            from ..._function import init_scope
            with init_scope():
                self.build(variables)
            self._weights, self.built = list(variables), True
        if _late.waiting and not self._applied_own:  # a `build` of your own may have made slots
            _late.restore()
        self._applied_own = True
        _own_rules.apply(self, grads, variables)

    def _update_own(self, gradients, variables):
        from . import _own_rules
        _own_rules.update(self, gradients, variables)

    def minimize(self, loss, var_list=None, tape=None, **kwargs):
        """Gradients of `loss` (a function, or a tensor with its tape), then one update."""
        _refused.no_more("minimize", kwargs)
        from ..._tape import GradientTape
        if callable(loss) and not isinstance(loss, Tensor):
            with GradientTape() as tape:
                loss = loss()
        if tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        variables = var_list() if callable(var_list) else var_list
        return self.apply_gradients(zip(tape.gradient(loss, variables), variables))

    def compute_gradients(self, loss, var_list, tape=None):
        from ..._tape import GradientTape
        with GradientTape() as tape:
            value = loss()
        return list(zip(tape.gradient(value, var_list), var_list))

    def exclude_from_weight_decay(self, var_list=None, var_names=None):
        """Lets these variables keep their size: those of a list, and those in whose names one of the patterns is found.

        Raises: ValueError once the optimizer is built."""
        if self.built:
            raise ValueError("`exclude_from_weight_decay()` can only be configured before the optimizer "
                             "is built.")
        self._undecayed = ({one._v.key for one in var_list or []}, "|".join(var_names or []))

    def finalize_variable_values(self, var_list):
        """With `use_ema` the variables of the list get their averages."""
        listed = {one._v.key for one in var_list}
        kept = [(one, one.read_value()) for one in self._weights or () if one._v.key not in listed]
        self._native.finalize()
        for one, value in kept:
            one.assign(value)

    def scale_loss(self, loss):
        return self._native.scale_loss(convert_to_tensor(loss))

    def get_config(self):
        config = dict(self._config)
        if self._schedule is None:
            config["learning_rate"] = float(self.learning_rate)
        elif isinstance(self._schedule, schedules.LearningRateSchedule):
            config["learning_rate"] = schedules.serialize(self._schedule)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**config)


def _warn_of_missing(grads, variables):
    """Warns, as Keras does, about variables without a gradient: an update leaves them as they are."""
    missing = [one._keras_path or one.name for gradient, one in zip(grads, variables) if gradient is None]
    if missing:
        warnings.warn(f"Gradients do not exist for variables {missing} when minimizing the loss. If using `model.compile()`, did you "
                      "forget to provide a `loss` argument?")


def _native_schedule(rate):
    """The native schedule of one, or of a function of no arguments that gives the rate."""
    if isinstance(rate, schedules.LearningRateSchedule):
        return rate._native
    return _native.python_schedule(lambda step: convert_to_tensor(rate()))


def _plain(options):
    return {key: float(value) if isinstance(value, (Tensor, Variable)) else value
            for key, value in options.items()}


def _named(variable, path):
    if variable._keras_path is None:
        variable._keras_path = path
    return variable


class _Rate(Variable):
    """The learning rate, as a variable that may be assigned."""

    def __init__(self, optimizer, variable):
        self.__dict__.update(variable.__dict__)
        self.__dict__["_optimizer"] = optimizer


def _class(name, text, **defaults):
    return type(name, (Optimizer,), {"_kind": name, "_defaults": defaults, "__doc__": text,
                                     "__module__": __name__})


SGD = _class("SGD", "w -= rate * g, with momentum and Nesterov's.", learning_rate=0.01, momentum=0.0,
             nesterov=False)
RMSprop = _class("RMSprop", "g over the root of its running square.", learning_rate=0.001, rho=0.9,
                 momentum=0.0, epsilon=1e-7, centered=False)
Adam = _class("Adam", "Running means of g and its square, with the bias corrected.",
              learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False)
AdamW = _class("AdamW", "Adam with a weight decay.", learning_rate=0.001, weight_decay=0.004,
               beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False)
Nadam = _class("Nadam", "Adam with Nesterov's momentum.", learning_rate=0.001, beta_1=0.9,
               beta_2=0.999, epsilon=1e-7)
Adamax = _class("Adamax", "Adam with the decaying largest |g|.", learning_rate=0.001, beta_1=0.9,
                beta_2=0.999, epsilon=1e-7)
Adagrad = _class("Adagrad", "g over the root of the sum of its squares.", learning_rate=0.001,
                 initial_accumulator_value=0.1, epsilon=1e-7)
Adadelta = _class("Adadelta", "Steps as long as the last ones.", learning_rate=0.001, rho=0.95,
                  epsilon=1e-7)
Ftrl = _class("Ftrl", "Follow the regularized leader.", learning_rate=0.001, learning_rate_power=-0.5,
              initial_accumulator_value=0.1, l1_regularization_strength=0.0,
              l2_regularization_strength=0.0, l2_shrinkage_regularization_strength=0.0, beta=0.0)
Lion = _class("Lion", "The sign of a running mean of g.", learning_rate=0.001, beta_1=0.9,
              beta_2=0.99)
Lamb = _class("Lamb", "Adam's direction, as long as the weight.", learning_rate=0.001, beta_1=0.9,
              beta_2=0.999, epsilon=1e-7)
Adafactor = _class("Adafactor", "The running square as means of rows and columns.",
                   learning_rate=0.001, beta_2_decay=-0.8, epsilon_1=1e-30, epsilon_2=1e-3,
                   clip_threshold=1.0, relative_step=True)
Muon = _class("Muon", "Momentum made orthogonal for matrices, Adam for other weights and embeddings.",
              learning_rate=0.001, adam_beta_1=0.9, adam_beta_2=0.999, adam_weight_decay=0.004,
              epsilon=1e-7, weight_decay=0.004, exclude_layers=None, exclude_embeddings=True,
              muon_a=3.4445, muon_b=-4.7750, muon_c=2.0315, adam_lr_ratio=1, momentum=0.95, ns_steps=5,
              nesterov=True, rms_rate=0.2)
_BY_NAME = {cls.__name__.lower(): cls for cls in (
    SGD, RMSprop, Adam, AdamW, Nadam, Adamax, Adagrad, Adadelta, Ftrl, Lion, Lamb, Adafactor, Muon)}


def get(identifier):
    """The optimizer of a name, a class or an object. Raises: ValueError."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, type):
        return identifier()
    if isinstance(identifier, str) and identifier.lower() in _BY_NAME:
        return _BY_NAME[identifier.lower()]()
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")


def serialize(optimizer):
    """An optimizer as {class_name, config}."""
    return {"module": "keras.optimizers", "class_name": type(optimizer).__name__,
            "config": optimizer.get_config(), "registered_name": None}


def deserialize(config, custom_objects=None):
    """The optimizer of {class_name, config}. Raises: ValueError for an unknown class."""
    name = str(config.get("class_name"))
    if name.lower() in _BY_NAME:
        return _BY_NAME[name.lower()].from_config(config.get("config", {}))
    from .. import saving
    return saving.deserialize_keras_object(config, custom_objects)


class legacy:
    SGD, Adam, RMSprop, Adagrad, Adadelta, Adamax, Nadam, Ftrl = (
        SGD, Adam, RMSprop, Adagrad, Adadelta, Adamax, Nadam, Ftrl)


experimental = legacy

from ._loss_scale import LossScaleOptimizer  # noqa: E402
from ._schedule_free import ScheduleFreeAdamW  # noqa: E402

_BY_NAME["lossscaleoptimizer"], _BY_NAME["schedulefreeadamw"] = LossScaleOptimizer, ScheduleFreeAdamW
