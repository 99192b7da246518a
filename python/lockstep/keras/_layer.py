"""Layers: their weights, losses and calls."""

import inspect

from .. import _late, _native, _refused, nest
from .._composites import values_of
from .._dtypes import as_dtype, TensorShape
from .._tensor import convert_to_tensor, Tensor
from .._variable import Variable, aggregation_number
from ..sparse import SparseTensor, to_dense
from . import _config_order, _input_spec, _masks, _policy, _tracking, constraints, initializers, regularizers
from ._configured import Configured, noting_arguments
from ._context import _Inside, _local, CallContext, Computing, current_training, shown_sizes
from ._names import auto_name, native_name, to_snake_case
from ._own_state import known_shape, OwnState
from ._policy_map import DTypePolicyMap
from ._symbol_parts import is_value, sizes_of
from ._symbols import _shape_tree, has_symbols, infer, InSymbols, KerasTensor, Node, Shape


def _short_name(variable):
    """What a weight is called in its layer; a shard with its variable's name."""
    parts = variable._v.name.split("/")
    return "/".join(parts[-2 if parts[-1].startswith("part_") else -1:])


_PACKAGE = __name__.partition(".")[0] + "."


def is_of_package(method):
    """Whether a method or a class is Lockstep's, and not a user's in place of it."""
    return str(getattr(method, "__module__", "")).startswith(_PACKAGE)


class Layer(Configured, OwnState):
    """Part of a model: makes its weights when it first sees an input, and maps inputs to outputs.

    To write one, derive; make weights in `__init__` or `build(input_shape)` by `add_weight`, and
    override `call(inputs, ...)`, which may take `training`.

    Args: name: unique in its model; trainable: whether training changes its weights; dtype."""

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True,
                 name=None, **kwargs):
        self._ready()
        self.__dict__["_given_name"] = name
        self.name = name or auto_name(to_snake_case(type(self).__name__))
        self._set_policy(_policy.get(dtype))
        self.autocast = autocast
        self._trainable = trainable
        self.activity_regularizer = regularizers.get(activity_regularizer)
        shape = kwargs.pop("input_shape", None)
        if "input_dim" in kwargs and shape is None:
            shape = (kwargs.pop("input_dim"),)
        batch_shape = kwargs.pop("batch_input_shape", None) or kwargs.pop("batch_shape", None)
        if shape is not None:
            batch_shape = (None,) + tuple(shape if hasattr(shape, "__iter__") else (shape,))
        self._batch_input_shape = batch_shape
        kwargs.pop("weights", None)
        kwargs = {key: one for key, one in kwargs.items() if not _config_order.is_own(self, key, one)}
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")

    def _ready(self):
        if "_children" in self.__dict__:
            return
        object.__setattr__(self, "_children", [])
        object.__setattr__(self, "_own_weights", [])
        object.__setattr__(self, "_trained_count", 0)
        object.__setattr__(self, "_untrained", [])
        object.__setattr__(self, "_holder_layer", None)
        object.__setattr__(self, "built", False)
        object.__setattr__(self, "_losses", [])
        object.__setattr__(self, "_metrics", [])
        object.__setattr__(self, "_trainable", True)
        self._set_policy(_policy.dtype_policy())
        object.__setattr__(self, "autocast", True)
        object.__setattr__(self, "_inbound", [])
        object.__setattr__(self, "_row", None)  # a weak reference to the Sequential that it stands in
        object.__setattr__(self, "supports_masking",
                           type(self)._passes_masks or not is_of_package(type(self).compute_mask))
        object.__setattr__(self, "_batch_input_shape", None)
        object.__setattr__(self, "activity_regularizer", None)

    def __new__(cls, *args, **kwargs):
        self = object.__new__(cls)
        Layer._ready(self)
        object.__setattr__(self, "_init_arguments", (args, kwargs))
        return self

    def __reduce__(self):
        """A copy and a pickle are made anew of the config, and get the values of the weights."""
        from . import _pickled
        return _pickled.reduced(self)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in ("build",):
            if name in cls.__dict__ and inspect.isfunction(cls.__dict__[name]):
                setattr(cls, name, _built_by(cls.__dict__[name]))
        if cls._notes_arguments and is_of_package(cls) and inspect.isfunction(cls.__dict__.get("__init__")):
            cls.__init__ = noting_arguments(cls.__init__)

    def __setattr__(self, name, value):
        if not name.startswith("_native") and "_children" in self.__dict__ and name not in self._untracked:
            value = self._track(value)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        value = getattr(self, name)
        object.__delattr__(self, name)
        if isinstance(value, Variable):
            self._untrack(value)

    def _untrack(self, value):
        """Gives up a layer, a weight or a metric that a container of this layer no longer has."""
        for owned in (self._children, self._metrics, self._untrained, self._own_weights):
            for place, one in enumerate(owned):
                if one is value:
                    if owned is self._own_weights and place < self._trained_count:
                        object.__setattr__(self, "_trained_count", self._trained_count - 1)
                    del owned[place]
                    break

    def _track(self, value):
        """Makes a layer, a variable, a metric, and what a container has of these, parts of this layer; the value to keep."""
        from . import metrics
        if isinstance(value, Layer):
            if value is not self and all(value is not one for one in self._children):
                self._children.append(value)
        elif isinstance(value, Variable) or hasattr(value, "_adopted_by"):
            if not getattr(value, "_is_of_keras", False):
                made_by_layer = all(getattr(one, "_keras_path", None) for one in getattr(value, "variables", [value]))
                if getattr(value, "trainable", False) and not made_by_layer:
                    self._untrained.append(value)  # one of tf.Variable is no weight
            elif isinstance(value, Variable):
                self._adopt(value)
            else:  # shards
                value._adopted_by(self._adopt)
        elif isinstance(value, metrics.Metric):
            if all(value is not one for one in self._metrics):
                self._metrics.append(value)
        else:
            return _tracking.tracked(value, self)
        return value

    def _untrained_variables(self):
        """The trainable variables here and below that are no weights."""
        return self._untrained + [one for child in self._children for one in child._untrained_variables()]

    def _adopt(self, variable):
        """A variable that the layer made itself becomes a weight: its cell is one of the layer's."""
        if any(one is variable for one in self._own_weights):
            return
        name = _short_name(variable)
        taken = {_short_name(one) for one in self._own_weights}
        unique, count = name, 0
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        from .._function import init_scope
        from .._variable import _by_key
        with init_scope():  # also where a function is traced, whose variables have their first values
            value = variable.value()
        _by_key.pop(variable._v.key, None)
        variable._v = self._holder().add_weight(unique, value._shape, {
            "initializer": _native.python_initializer(lambda shape, dtype: value),
            "trainable": variable._v.trainable, "autocast": False, "dtype": int(variable.dtype), "whole": True})
        _by_key[variable._v.key] = variable
        self._keep_weight(variable, variable._v.trainable)

    def _holder(self):
        if self._holder_layer is None:
            name = self.__dict__.get("name") or auto_name(to_snake_case(type(self).__name__))
            made = _native.PythonLayer(native_name(name), type(self).__name__)
            made.set_dtype_policy(self._policy.name)
            object.__setattr__(self, "_holder_layer", made)
        return self._holder_layer

    # ---- weights

    def _scope_path(self):
        """The names of the layers whose calls or builds are in progress, this one's the last."""
        names = getattr(_local, "inside", [])
        if not names or names[-1] is not self:
            names = names + [self]
        return "/".join(one.name for one in names)

    def add_weight(self, shape=None, initializer=None, dtype=None, trainable=True, autocast=True,
                   regularizer=None, constraint=None, aggregation="none", overwrite_with_gradient=False,
                   name=None):
        """A new weight. Shapes: `shape`, () by default; initializer: glorot_uniform by default; aggregation: how the
        values that replicas assign become one, "none", "mean", "sum" or "only_first_replica"."""
        _refused.only("Layer.add_weight", overwrite_with_gradient=(overwrite_with_gradient, False))
        if isinstance(shape, str):  # add_weight("name", shape, ...), as it was once
            name, shape = shape, initializer
            initializer = None
        dtype = as_dtype(dtype or self._dtype)
        shape = () if shape is None else (shape if isinstance(shape, (list, tuple, TensorShape))
                                          else (shape,))
        if initializer is None:
            initializer = "glorot_uniform" if dtype.is_floating else "zeros"
        base, shown = name or "variable", name or auto_name("variable")
        taken = {_short_name(one).partition("/part_")[0] for one in self._own_weights}
        unique, count = base, 0
        while unique in taken:
            count += 1
            unique = f"{base}_{count}"
        native = self._holder().add_weight(unique, [int(one) for one in shape], {
            "initializer": initializers.native(initializer) if dtype.is_floating else _whole_numbers(initializer, dtype),
            "trainable": bool(trainable), "autocast": bool(autocast),
            "dtype": int(dtype), "aggregation": aggregation_number(aggregation), "regularizer": regularizers.native(regularizer),
            "constraint": constraints.native(constraint)})
        from ..distribute import coordinator, scope_in_force
        made = coordinator.whole_or_shards(native)
        for place, variable in enumerate(getattr(made, "variables", [made])):
            part = "" if variable is made else f"/part_{place}"
            variable._keras_path = f"{self._scope_path()}/{shown}{part}"
            variable._strategy = scope_in_force()
            variable._constraint = constraints.get(constraint)
            self._keep_weight(variable, trainable)
        return made

    def _keep_weight(self, variable, trainable):
        """Weights that are trained stand before all others, as in Keras."""
        self._own_weights.insert(self._trained_count if trainable else len(self._own_weights), variable)
        object.__setattr__(self, "_trained_count", self._trained_count + bool(trainable))
        if trainable and not self.trainable:
            variable.trainable = False

    def _native_layers(self):
        """The native layers that hold this layer's weights, and those of the layers inside."""
        made = [] if self._holder_layer is None else [self._holder_layer]
        for one in self._children:
            made.extend(one._native_layers())
        return made

    def _own_variables(self):
        return list(self._own_weights)

    @property
    def weights(self):
        """Own weights, those that are trained first, then those of the layers inside."""
        seen, made = set(), []
        for one in self._own_variables() + [w for child in self._children for w in child.weights]:
            if one._v.key not in seen:
                seen.add(one._v.key)
                made.append(one)
        return made

    @property
    def variables(self):
        return self.weights

    @property
    def trainable_weights(self):
        if not self.trainable:
            return []
        seen, made = set(), []
        for one in [w for w in self._own_variables() if w.trainable] + [
                w for child in self._children for w in child.trainable_weights]:
            if one._v.key not in seen:
                seen.add(one._v.key)
                made.append(one)
        return made

    trainable_variables = property(lambda self: self.trainable_weights)

    @property
    def non_trainable_weights(self):
        trained = {one._v.key for one in self.trainable_weights}
        return [one for one in self.weights if one._v.key not in trained]

    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        if value is self._trainable:  # as in Keras, where layers inside then stay as they are
            return
        object.__setattr__(self, "_trainable", bool(value))
        for one in self._native_layers():
            one.trainable = bool(value)
        for one in self._own_variables():
            if one._v.trainable:
                one.trainable = value
        for one in [*self._children, *self._layers_aside()]:
            one.trainable = value

    def _layers_aside(self):
        """Layers that are parts of this one, whose weights it has itself."""
        return []

    def get_weights(self):
        """The weights as NumPy arrays."""
        return [one.numpy() for one in self.weights]

    def set_weights(self, weights):
        """Sets all weights. Raises: ValueError for other numbers or shapes."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(f"You called `set_weights(weights)` on layer '{self.name}' with a weight "
                             f"list of length {len(weights)}, but the layer was expecting "
                             f"{len(own)} weights.")
        for variable, value in zip(own, weights):
            value = convert_to_tensor(value, dtype_hint=variable.dtype)
            if tuple(value._shape) != tuple(variable.shape):
                raise ValueError(f"Layer {self.name} weight shape {tuple(variable.shape)} is not "
                                 f"compatible with provided weight shape {tuple(value._shape)}.")
            variable.assign(_native.cast(value, variable.dtype))

    def count_params(self):
        """How many numbers the weights hold. Raises: ValueError for a layer that is not built."""
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. "
                             f"You can build it manually via: `layer.build(input_shape)`.")
        total = 0
        for one in self.weights:
            total += one.shape.num_elements()
        return total

    # ---- losses and metrics

    def add_loss(self, loss):
        """Adds to the loss of the call in progress."""
        self.__dict__["_has_added_losses"] = True
        for one in nest.flatten(loss):
            self._losses.append(one)

    def add_metric(self, *args, **kwargs):
        """Raises: NotImplementedError, as Keras 3 does."""
        raise NotImplementedError(f"Layer `add_metric()` method is deprecated; got it from {self.name}. Add your metric in "
                                  "`Model.compile(metrics=[...])`, or create metric trackers in init() or build() and call "
                                  "`metric.update_state()` whenever necessary.")

    @property
    def losses(self):
        """What the last call has added, here and in the layers inside, then the penalties of weights."""
        return self._added_losses() + self._all_penalties()

    def _added_losses(self):
        made = [one() if callable(one) and not isinstance(one, Tensor) else one for one in self._losses]
        for child in self._children:
            made.extend(child._added_losses())
        return made

    def _all_penalties(self):
        made = [regularizer(variable) for variable, regularizer in self._penalties()]
        for child in self._children:
            made.extend(child._all_penalties())
        return made

    def _penalties(self):
        if self._holder_layer is None:
            return []
        made = []
        for native, regularizer, _ in self._holder_layer.weights():
            if regularizer.there and native.trainable and self.trainable:
                made.append((Variable._wrap(native), lambda v, r=regularizer: r.penalty(v.value())))
        return made

    def _has_users_code(self):
        """Whether calling this layer itself runs code that is not the package's."""
        function = self.__dict__.get("function")
        return not is_of_package(type(self)) or "call" in self.__dict__ or function is not None and not is_of_package(function)

    def _clear_losses(self):
        self._losses.clear()
        for child in self._children:
            child._clear_losses()

    @property
    def metrics(self):
        made = list(self._metrics)
        for child in self._children:
            made.extend(child.metrics)
        return made

    @property
    def metrics_variables(self):
        """The variables of the metrics."""
        return [one for metric in self.metrics for one in metric.variables]

    # ---- calling

    dtype = property(lambda self: self._dtype.name)
    variable_dtype = property(lambda self: self._dtype.name)
    compute_dtype = property(lambda self: self._compute_dtype.name)
    input_dtype = compute_dtype

    @property
    def dtype_policy(self):
        return self._policy

    @dtype_policy.setter
    def dtype_policy(self, policy):
        self._set_policy(_policy.get(policy))

    _takes_any = False  # whether numbers and texts come to `call` as they are

    def _set_policy(self, policy):
        set_ = object.__setattr__
        policy = policy[self.path] if isinstance(policy, DTypePolicyMap) else policy
        set_(self, "_policy", policy)
        set_(self, "_dtype", as_dtype(policy.variable_dtype))
        set_(self, "_compute_dtype", as_dtype(policy.compute_dtype))

    def build(self, input_shape=None):
        object.__setattr__(self, "built", True)

    def call(self, *args, **kwargs):
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call()` method "
                                  "implemented.")

    def _cast_input(self, one):
        if isinstance(one, Variable):
            one = one.value()
        if isinstance(one, Tensor) or is_value(one):
            wanted = self._compute_dtype
            if self.autocast and one.dtype.is_floating and wanted.is_floating and one.dtype != wanted:
                return _masks.copy(one, _policy.cast(one, wanted))
            return one
        if hasattr(one, "__array__") or isinstance(one, float):
            return self._cast_input(convert_to_tensor(one))
        return one

    def _computing(self, one):
        """A tensor or what becomes one, whole numbers and truth values too, in the dtype in which the layer computes."""
        return _policy.numbers_in(one if is_value(one) else convert_to_tensor(one), self._compute_dtype)

    def _call_parameters(self):
        cls = type(self)
        known = cls.__dict__.get("_call_names")
        if known is None:
            parameters = inspect.signature(cls.call).parameters
            known = list(parameters)[1:]
            if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
                known.append("**")
            cls._call_names = known
        return known

    def _tensors_by_position(self, kwargs):
        """(positional arguments, other arguments) of a call that names all arguments: its first tensors by position, so that
        both ways to write the call build the layer and find masks alike."""
        args, rest = [], dict(kwargs)
        for parameter in list(inspect.signature(type(self).call).parameters.values())[1:]:
            name = parameter.name
            if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or name not in rest or name.endswith("mask"):
                break
            if not all(isinstance(one, (KerasTensor, Variable)) or _is_input(one) for one in nest.flatten(rest[name])) or not nest.flatten(rest[name]):
                break
            args.append(rest.pop(name))
        return tuple(args), rest

    def __call__(self, *args, **kwargs):
        if not args and kwargs:
            args, kwargs = self._tensors_by_position(kwargs)
        if has_symbols((args, kwargs)):
            return self._call_symbolically(args, kwargs)
        if args and isinstance(args[0], (list, tuple)) and not any(
                isinstance(one, Variable) or _is_input(one) for one in nest.flatten(args[0])):
            args = (convert_to_tensor(args[0]),) + args[1:]
        names = self._call_parameters()
        masks = _masks.fill_in(self, names, args, kwargs)
        args = tuple(nest._pack(args, iter([self._cast_input(one) for one in nest.flatten(args)])))
        if kwargs:
            kwargs = {key: self._cast_input(one) if isinstance(one, Tensor) and not one.dtype.is_bool else one
                      for key, one in kwargs.items()}
        training = kwargs.get("training")
        if training is None:
            training = current_training()
        if "training" in names:
            if training is not None:
                kwargs["training"] = training
        else:
            kwargs.pop("training", None)
        if not getattr(_local, "inside", None) and self.__dict__.get("_called"):
            self._clear_losses()  # those of the call before
        self.__dict__["_called"] = True
        if args:
            _input_spec.check(self, args[0])
        if not self.built:
            if _late.waiting and self._is_native and len(args) == 1 and _has_tensor(args[0]) and not nest.is_nested(args[0]):
                self.build(sizes_of(args[0]))
            self._build_for(args, kwargs)
            if _late.waiting:
                _late.restore()
        with CallContext(training), _Inside(self), Computing(self._compute_dtype if self.autocast else None):
            call = self.call
            own = self._is_native and is_of_package(type(self).call)
            if _native.is_tracing() and not own:
                from .. import autograph
                call = autograph.convert_callable(call)
            outputs = call(*args, **kwargs)
            _masks.hand_on(self, args[0] if args else None, masks, outputs)
        if "_last_output_shape" not in self.__dict__:
            self._note_shape(outputs, args)
        if self.activity_regularizer is not None:
            for one in nest.flatten(outputs):
                one = _dense(one)
                loss = self.activity_regularizer(one)
                if one._rank:  # the same strength for every size of a batch, 0 for an empty one
                    from .. import ops_array, ops_math
                    loss = ops_math.divide_no_nan(loss, ops_math.cast(ops_array.shape(one)[0], loss.dtype))
                self.add_loss(loss)
        return outputs

    input_spec = _input_spec.OfLayer()
    _is_native = False
    _untracked = ()  # names of attributes that hold no layers or variables, and keep the class of their containers
    _notes_arguments = True
    _passes_masks = False  # `supports_masking` at first
    _tells_lost_masks = True

    def compute_mask(self, inputs, previous_mask):
        """The masks of the outputs, for a layer that supports masking: by default those of the inputs."""
        return previous_mask

    def _note_shape(self, outputs, args):
        """Keeps the output's shape of the first call, for `summary`, and the specs of its arguments, for `export`."""
        from ._export import spec_of_argument
        object.__setattr__(self, "_call_specs", nest.map_structure(spec_of_argument, args))
        object.__setattr__(self, "_last_output_shape", nest.map_structure(shown_sizes, outputs))

    def _build_for(self, args, kwargs):
        build = type(self).build
        if build is Layer.build or getattr(build, "__wrapped__", None) is Layer.build:
            object.__setattr__(self, "built", True)
            return
        shapes = [_shape_tree(one) for one in args if _has_tensor(one)]
        if len(shapes) == 1 and isinstance(shapes[0], Shape):
            object.__setattr__(self, "_built_for", list(shapes[0]))
        wanted = [p for p in list(inspect.signature(build).parameters.values())[1:]
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        with _Inside(self), InSymbols.build_scope():
            self.build(*(shapes[:max(1, len(wanted))] if len(wanted) > 1 else shapes[:1] or [None]))
        object.__setattr__(self, "built", True)

    def _call_symbolically(self, args, kwargs):
        if self.__dict__.get("_batch_input_shape") is not None:
            pass
        node = Node(self, args, kwargs)
        flat = nest.flatten((args, kwargs))

        def call(tensors):
            tensors = iter(tensors)
            real = nest._pack((args, kwargs), iter([
                next(tensors) if isinstance(one, KerasTensor) else one for one in flat]))
            return self(*real[0], **real[1])
        outputs = infer(call, node.inputs)
        self._clear_losses()
        for index, one in enumerate(nest.flatten(outputs)):
            one._node = node
            one._index = index
        node.outputs = outputs
        self._inbound.append(node)
        return outputs

    def compute_output_shape(self, input_shape):
        """The shape of what the layer gives for an input of a shape."""
        outputs = infer(lambda tensors: self(tensors[0]), [KerasTensor(input_shape, self._dtype)])
        return nest.map_structure(lambda one: one.shape, outputs)

    def compute_output_spec(self, *args, **kwargs):
        return self(*args, **kwargs)

    def _first_call(self, what):
        """The first call with symbols. A layer of a `Sequential` whose input is known has one."""
        row = None if self._inbound or self._row is None else self._row()
        if row is not None:
            row = None if row._input_symbol is None else row._functional()
        if not self._inbound and row is None:
            raise AttributeError(f"The layer {self.name} has never been called and thus has no defined {what}.")
        return self._inbound[0]

    @property
    def output(self):
        return self._first_call("output").outputs

    @property
    def input(self):
        inputs = self._first_call("input").inputs
        return inputs[0] if len(inputs) == 1 else inputs

    def _shown_output_shape(self):
        if self._inbound:
            return nest.map_structure(lambda one: one.shape, self._inbound[0].outputs)
        row = None if self._row is None else self._row()
        known = self._tells_shape() or row is not None and row._input_symbol is not None
        return self.__dict__.get("_last_output_shape") if known else None

    def _tells_shape(self):
        """Whether the layer knows what shape comes of one, without being called: a layer of the user's by its own methods."""
        package = next(one for one in type(self).__mro__ if one.__module__.startswith("lockstep."))
        if package.__name__ not in ("Layer", "Model"):
            return True
        return not is_of_package(type(self).build) and not is_of_package(type(self).compute_output_shape)

    @property
    def path(self):
        return self.__dict__.get("_path_prefix", "") + self.name

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _dense(one):
    """A sparse tensor as a dense one, the values of a ragged one, a dense one as it is."""
    if isinstance(one, SparseTensor):
        return to_dense(one, validate_indices=False)
    return values_of(one)


def _whole_numbers(initializer, dtype):
    """A native initializer of integers and truth values, which has the values of one of floats."""
    made = initializers.get(initializer)
    return _native.python_initializer(lambda shape, _: _native.cast(convert_to_tensor(made(shape, "float32")), dtype))


def _built_by(build):
    import functools
    signature = inspect.signature(build)

    @functools.wraps(build)
    def wrapped(self, *args, **kwargs):
        with _Inside(self):
            result = build(self, *args, **kwargs)
        given = signature.bind(self, *args, **kwargs).arguments
        object.__setattr__(self, "_build_arguments", {key: known_shape(one) for key, one in list(given.items())[1:]})
        object.__setattr__(self, "built", True)
        return result
    return wrapped


def _has_tensor(value):
    return any(isinstance(one, Tensor) or is_value(one) for one in nest.flatten(value))


def _is_input(one):
    """Whether `one` is a tensor of any kind, or an array."""
    return isinstance(one, Tensor) or is_value(one) or hasattr(one, "__array__")
