"""Optimizers of version 1, whose updates are ops."""

from ... import _constrained, _native, nest
from ..._function import device, group, name_scope
from ..._tensor import convert_to_tensor
from ..._variable import Variable


class Optimizer:
    """An update rule whose updates are ops: `minimize`, or `compute_gradients` and `apply_gradients`."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, kind, use_locking=False, name=None, **options):
        self._native = _native.make_optimizer(kind, options)
        from . import get_default_graph, in_graph
        if in_graph():  # the count and the rate are no variables of version 1
            for one in self._native.variables()[:2]:
                get_default_graph().add_to_collection("lockstep/optimizers", one.key)
        self._name = name or kind
        self._built = False

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """An op that updates the variables by the gradients of `loss`, times `grad_loss` if that is given.

        Raises: ValueError where `loss` depends on none of them."""
        found = list(self.compute_gradients(loss, var_list, grad_loss=grad_loss))
        if found and all(gradient is None for gradient, _ in found):
            raise ValueError("No gradients provided for any variable, check your graph for ops that do not support gradients, "
                             f"between variables {[str(variable) for _, variable in found]} and loss {loss}.")
        return self.apply_gradients(found, global_step, name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """(gradient, variable) pairs. `loss` is a tensor of a graph, or a function (eagerly).

        Raises: RuntimeError for a tensor eagerly; ValueError for a `gate_gradients` that is no GATE_NONE, GATE_OP or
        GATE_GRAPH."""
        from . import in_graph, trainable_variables
        if not in_graph():
            if not callable(loss):
                raise RuntimeError("`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.")
            from ..._tape import GradientTape
            with GradientTape() as tape:
                value = loss()
            variables = var_list or list(tape.watched_variables())
            return list(zip(tape.gradient(value, variables, grad_loss), variables))
        from ..._tape import gradients
        variables = nest.flatten(var_list) if var_list is not None else trainable_variables()
        if not variables:
            raise ValueError("No variables to optimize.")
        if gate_gradients not in (0, 1, 2):
            raise ValueError("gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                             f"{gate_gradients}")
        given = callable(loss)
        loss = loss() if given else loss
        if not loss.dtype.is_floating:
            raise ValueError(f"Invalid type {loss.dtype!r} for {loss.name}, expected: "
                             "[tf.float32, tf.float64, tf.float16, tf.bfloat16].")
        pairs = zip(gradients(loss, variables, grad_loss), variables)
        return [one for one in pairs if one[0] is not None or var_list is not None or not given]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An op that updates. Raises: ValueError when there are no gradients."""
        from . import GraphOperation, get_default_graph, in_graph
        grads_and_vars = list(grads_and_vars)
        if isinstance(self._native, _Slots):
            self._native.label = self._name
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not grads_and_vars:
            raise ValueError("No variables provided.")
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {[str(variable) for _, variable in grads_and_vars]}.")
        for gradient, variable in pairs:
            if gradient.dtype != variable.dtype:
                raise TypeError(f"Gradients have the dtype of their variable; got {gradient.dtype.name} for {variable.name!r}, which is "
                                f"of {variable.dtype.name}; cast it")

        def update():
            from ...keras.optimizers import _plain  # noqa: F401
            rows = [_row(gradient, variable) for gradient, variable in pairs]
            self._native.apply(rows, [variable._v for _, variable in pairs])
            _constrained.bring_back([variable for _, variable in pairs])
            if global_step is not None:
                global_step.assign_add(1)
        if not in_graph():
            update()
            return group()
        graph = get_default_graph()
        name = name or self._name
        if not self._built:  # the slots' first assignments are no part of an update
            self._native.build([variable._v for _, variable in pairs])
            self._built = True
        made = GraphOperation(graph._native.group_effects(update, name), graph)
        graph.add_to_collection("train_op", made)
        return made

    def get_name(self):
        return self._name

    def get_slot_names(self):
        """Of what is kept for each variable, such as "momentum"."""
        return sorted(getattr(self._native, "names", ()))

    def get_slot(self, var, name):
        """The variable that is kept for `var` under a name; None where there is none."""
        names = getattr(self._native, "names", ())
        made = self._native._made.get(var._v.key) if name in names else None
        return made[names.index(name)] if isinstance(made, tuple) else made

    def variables(self):
        """All that updates keep, but the variables themselves."""
        if not isinstance(self._native, _Slots):
            return [Variable._wrap(one) for one in self._native.variables()]
        made = [one for kept in self._native._made.values() for one in (kept if isinstance(kept, tuple) else (kept,))]
        own = [one for one in (*(getattr(self._native, "_powers", None) or ()), *made) if one is not None]
        return sorted(own, key=lambda one: one.name)


def _row(gradient, variable):
    from ..._tensor import IndexedSlices
    if not isinstance(gradient, IndexedSlices):
        return gradient
    return _native.slices_to_dense(gradient._row(variable.shape))  # rows that are the same are added before they are squared


def _is_number(rate):
    """Whether a rate is known now; a tensor of a graph, such as a decayed one, is computed in each run, and a function is asked
    at each update."""
    return not isinstance(rate, Variable) and not getattr(rate, "_symbolic", False) and not callable(rate)


def _now(*rates):
    """Rates as they are at this update."""
    return [one() if callable(one) and not isinstance(one, Variable) else one for one in rates]


def _by_ops(rate):
    """Whether an update is made of ops: in graphs, so that savers see all that it keeps under version 1's names."""
    from . import in_graph
    return in_graph() or not _is_number(rate)


class GradientDescentOptimizer(Optimizer):
    """w -= rate * g. The rate may be a tensor."""

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        if _by_ops(learning_rate):
            self._native, self._name, self._built = _Momentum(learning_rate, None, False), name, False
            return
        super().__init__("SGD", name=name, learning_rate=float(learning_rate))


class MomentumOptimizer(Optimizer):
    """a = momentum * a + g, w -= rate * a. Rate and momentum may be tensors."""

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum",
                 use_nesterov=False):
        if _by_ops(learning_rate) or not _is_number(momentum):
            self._native = _Momentum(learning_rate, momentum, use_nesterov)
            self._name, self._built = name, False
            return
        super().__init__("SGD", name=name, learning_rate=float(learning_rate), momentum=float(momentum),
                         nesterov=use_nesterov)


class AdamOptimizer(Optimizer):
    """Adam."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False,
                 name="Adam"):
        if _by_ops(learning_rate):
            self._native, self._name, self._built = _Adam(learning_rate, beta1, beta2, epsilon), name, False
            return
        super().__init__("Adam", name=name, learning_rate=float(learning_rate), beta_1=beta1,
                         beta_2=beta2, epsilon=epsilon)


class AdagradOptimizer(Optimizer):
    """Adagrad."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        self._native = _Adagrad(learning_rate, initial_accumulator_value)
        self._name, self._built = name, False


class beside:
    """A context whose variables and ops are on the device of a graph's variable, whatever scopes are around it."""

    def __init__(self, variable):
        place = variable.device if variable._of_graph else ""
        self._scopes = [device(None), device(place)] if place else []

    def __enter__(self):
        for one in self._scopes:
            one.__enter__()

    def __exit__(self, *_):
        for one in reversed(self._scopes):
            one.__exit__()


class _Slots:
    """What applies gradients by ops: the slots of each variable are made once, and named after it and the optimizer."""

    label = ""  # the optimizer's name

    def __init__(self, first):
        self._first, self._made = first, {}

    def slot(self, variable, begins_with=0.0, number=0, label=None):
        """A variable with a variable's shape: "w/Adam" is number 0 of the Adam of w, "w/Adam_1" number 1; a label of its own
        replaces the optimizer's."""
        from ... import ops_array
        from ._variables import note_part
        label = (label or self.label) + (f"_{number}" if number else "")
        made = Variable(ops_array.fill(variable.shape.as_list(), ops_array.constant(begins_with, variable.dtype)), trainable=False,
                        name=f"{variable._v.name}/{label}")
        if variable.part_of is not None:
            note_part(made, variable.part_of._replace(name=f"{variable.part_of.name}/{label}"))
        return made

    def build(self, variables):
        for one in variables:
            if one.key not in self._made:
                variable = Variable._wrap(one)
                with name_scope(None), beside(variable):  # a slot is named after its variable, wherever the update stands
                    self._made[one.key] = self._first(variable)


class _Adagrad(_Slots):
    names = ("accumulator",)

    def __init__(self, rate, begins_with):
        super().__init__(lambda variable: self.slot(variable, begins_with))
        self._rate = rate

    def apply(self, gradients, variables):
        from ... import ops_math
        self.build(variables)
        rate, = _now(self._rate)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            sum_of_squares = self._made[native.key].assign_add(gradient * gradient) + 0.0
            variable.assign_sub(rate * gradient / ops_math.sqrt(sum_of_squares))


class _RMSProp(_Slots):
    def __init__(self, rate, decay, momentum, epsilon, centered):
        super().__init__(lambda variable: (self.slot(variable, 1.0), self.slot(variable, 0.0, 1),
                                           self.slot(variable, 0.0, 2) if centered else None))
        self.names = ("rms", "momentum", "mg") if centered else ("rms", "momentum")
        self._rates = rate, decay, momentum, epsilon

    def apply(self, gradients, variables):
        from ... import ops_math
        from ..._tensor import convert_to_tensor as tensor
        self.build(variables)
        rate, decay, momentum, epsilon = _now(*self._rates)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), tensor(gradient)
            square, moved, mean = self._made[native.key]
            size = square.assign(decay * square + (1 - decay) * gradient * gradient) + 0.0
            if mean is not None:
                middle = mean.assign(decay * mean + (1 - decay) * gradient) + 0.0
                size = size - middle * middle
            step = moved.assign(momentum * moved + rate * gradient / ops_math.sqrt(size + epsilon)) + 0.0
            variable.assign_sub(step)


class _Momentum(_Slots):
    """Gradient descent by ops, with momentum unless that is None."""

    names = property(lambda self: () if self._rates[1] is None else ("momentum",))

    def __init__(self, rate, momentum, nesterov):
        super().__init__(lambda variable: None if momentum is None else self.slot(variable))
        self._rates = rate, momentum, nesterov

    def apply(self, gradients, variables):
        self.build(variables)
        rate, momentum, nesterov = _now(*self._rates)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            slot = self._made[native.key]
            if slot is not None:
                moved = slot.assign(momentum * slot + gradient) + 0.0
                gradient = gradient + momentum * moved if nesterov else moved
            variable.assign_sub(rate * gradient)


def _rest(beta, dtype):
    """1 - beta, rounded as the dtype rounds."""
    from ... import ops_array
    return 1 - (ops_array.constant(beta, dtype) if _is_number(beta) else beta)


class _Adam(_Slots):
    """Adam by ops."""

    names = ("m", "v")

    def __init__(self, rate, beta1, beta2, epsilon):
        super().__init__(lambda variable: (self.slot(variable), self.slot(variable, number=1)))
        self._rates, self._powers = (rate, beta1, beta2, epsilon), None

    def build(self, variables):
        if self._powers is None:
            with beside(min(map(Variable._wrap, variables), key=lambda one: one.name)):
                self._powers = [Variable(float(beta), trainable=False, name=f"beta{i + 1}_power")
                                for i, beta in enumerate(self._rates[1:3])]
        super().build(variables)

    def apply(self, gradients, variables):
        from ... import ops_math
        self.build(variables)
        rate, beta1, beta2, epsilon = _now(*self._rates)
        first, second = [one + 0.0 for one in self._powers]
        step = rate * ops_math.sqrt(1 - second) / (1 - first)
        for gradient, native in zip(gradients, variables):
            variable, gradient = Variable._wrap(native), convert_to_tensor(gradient)
            mean, square = self._made[native.key]
            mean_now = mean.assign(mean + (gradient - mean) * _rest(beta1, gradient.dtype)) + 0.0
            square_now = square.assign(square + (gradient * gradient - square) * _rest(beta2, gradient.dtype)) + 0.0
            variable.assign_sub(step * mean_now / (ops_math.sqrt(square_now) + epsilon))
        for power, beta in zip(self._powers, (beta1, beta2)):
            power.assign(power * beta)


class RMSPropOptimizer(Optimizer):
    """RMSprop, whose mean square begins at 1, as in version 1."""

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, name="RMSProp"):
        self._native = _RMSProp(learning_rate if _by_ops(learning_rate) else float(learning_rate), decay, momentum, epsilon, centered)
        self._name, self._built = name, False


class _ByParts(_Slots):
    """An update whose slots begin with numbers: `step(gradient, variable, *slots)` gives what to assign."""

    def __init__(self, names, begins_with, step, labels=()):
        self.names, self._step = names, step
        labels = labels or [None] * len(names)
        super().__init__(lambda variable: tuple(
            self.slot(variable, value, 0 if label else number - sum(map(bool, labels[:number])), label)
            for number, (value, label) in enumerate(zip(begins_with, labels))))

    def apply(self, gradients, variables):
        self.build(variables)
        for gradient, native in zip(gradients, variables):
            variable, slots = Variable._wrap(native), self._made[native.key]
            fresh, *kept = self._step(convert_to_tensor(gradient), variable + 0.0, *[one + 0.0 for one in slots])
            for slot, value in zip(slots, kept):
                slot.assign(value)
            variable.assign(fresh)


def _shrunk(x, by):
    """x, nearer to 0 by so much."""
    from ... import ops_math
    return ops_math.sign(x) * ops_math.maximum(ops_math.abs(x) - by, 0.0)


class _Parts(Optimizer):
    def _begin(self, name, *parts):
        self._native, self._name, self._built = _ByParts(*parts), name, False


class AdadeltaOptimizer(_Parts):
    """Adadelta."""

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
        from ... import ops_math

        def step(g, w, squares, moves):
            squares = rho * squares + (1 - rho) * g * g
            move = ops_math.sqrt(moves + epsilon) / ops_math.sqrt(squares + epsilon) * g
            return w - learning_rate * move, squares, rho * moves + (1 - rho) * move * move
        self._begin(name, ("accum", "accum_update"), (0.0, 0.0), step)


class FtrlOptimizer(_Parts):
    """FTRL-proximal. Raises: ValueError for options out of range."""

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="Ftrl",
                 accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0, beta=None):
        from ... import ops_array, ops_math
        for what, value, good in (
                ("initial_accumulator_value %f needs to be positive or zero", initial_accumulator_value, 1),
                ("learning_rate_power %f needs to be negative or zero", learning_rate_power, -1),
                ("l1_regularization_strength %f needs to be positive or zero", l1_regularization_strength, 1),
                ("l2_regularization_strength %f needs to be positive or zero", l2_regularization_strength, 1),
                ("l2_shrinkage_regularization_strength %f needs to be positive or zero", l2_shrinkage_regularization_strength, 1)):
            if value * good < 0:
                raise ValueError(what % value)
        power, l1 = -learning_rate_power, l1_regularization_strength
        l2 = l2_regularization_strength + (beta or 0.0) / (2 * learning_rate)

        def step(g, w, squares, linear):
            shrunk = g + 2 * l2_shrinkage_regularization_strength * w
            after = squares + g * g
            linear = linear + shrunk - (ops_math.pow(after, power) - ops_math.pow(squares, power)) / learning_rate * w
            whole = ops_math.pow(after, power) / learning_rate + 2 * l2
            kept = (ops_math.sign(linear) * l1 - linear) / whole
            return ops_array.where(ops_math.abs(linear) > l1, kept, ops_array.zeros_like(w)), after, linear
        self._begin(name, ("accum", "linear"), (initial_accumulator_value, 0.0), step, (accum_name, linear_name))


class ProximalGradientDescentOptimizer(_Parts):
    """Gradient descent that draws weights to zero."""

    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
                 name="ProximalGradientDescent"):
        def step(g, w):
            return (_shrunk(w - learning_rate * g, learning_rate * l1_regularization_strength)
                    / (1.0 + learning_rate * l2_regularization_strength),)
        self._begin(name, (), (), step)


class ProximalAdagradOptimizer(_Parts):
    """Adagrad that draws weights to zero."""

    def __init__(self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="ProximalAdagrad"):
        from ... import ops_math
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")

        def step(g, w, squares):
            squares = squares + g * g
            rate = learning_rate / ops_math.sqrt(squares)
            return _shrunk(w - rate * g, rate * l1_regularization_strength) / (
                1.0 + rate * l2_regularization_strength), squares
        self._begin(name, ("accumulator",), (initial_accumulator_value,), step)


class AdagradDAOptimizer(_Parts):
    """Adagrad by dual averaging."""

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="AdagradDA"):
        from ... import ops_math
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive: "
                             f"{initial_gradient_squared_accumulator_value}")

        def step(g, w, total, squares):
            number = ops_math.cast(global_step, w.dtype) + 1.0
            total, squares = total + g, squares + g * g
            own = _shrunk(total, l1_regularization_strength * number) if l1_regularization_strength > 0 else total
            return -learning_rate * own / (
                l2_regularization_strength * number * learning_rate + ops_math.sqrt(squares)), total, squares
        self._begin(name, ("gradient_accumulator", "gradient_squared_accumulator"),
                    (0.0, initial_gradient_squared_accumulator_value), step)
