"""Layers, symbolic tensors, and the context of a call."""

import inspect
import threading
import weakref

from .. import _late, _native, nest
from .._dtypes import BY_CODE, TensorShape, as_dtype
from .._tensor import Tensor, _Deferred, convert_to_tensor
from .._variable import Variable
from . import constraints, initializers, regularizers
from ._names import to_snake_case

_local = threading.local()
_names = {}
_native_names = {}


def auto_name(prefix):
    """"dense", "dense_1", ...: numbered in the process."""
    count = _names.get(prefix, 0)
    _names[prefix] = count + 1
    return prefix if count == 0 else f"{prefix}_{count}"


def reset_names():
    _names.clear()
    _native_names.clear()


def native_name(name):
    """A name that no other native layer has."""
    count = _native_names.get(name, 0)
    _native_names[name] = count + 1
    return name if count == 0 else f"{name}_{count}"


class shown_batch:
    """The size of a batch that shapes of layers built meanwhile are shown with."""

    def __init__(self, batch):
        self._batch = batch

    def __enter__(self):
        _local.batch = self._batch

    def __exit__(self, *_):
        _local.batch = None


class CallContext:
    """Whether the call in progress trains."""

    def __init__(self, training):
        self.training = training

    def __enter__(self):
        self._outer = getattr(_local, "training", None)
        _local.training = self.training

    def __exit__(self, *_):
        _local.training = self._outer


def current_training():
    return getattr(_local, "training", None)


# ---- symbolic tensors -----------------------------------------------------------------------------


class KerasTensor(_Deferred):
    """What a layer will give: a shape and a dtype, and how it is made."""

    def __init__(self, shape, dtype="float32", name=None, node=None, index=0, sparse=False):
        self.shape = tuple(None if one in (None, -1) else int(one) for one in shape)
        self._dtype_of = as_dtype(dtype)
        self.name = name or auto_name("keras_tensor")
        self._node = node
        self._index = index

    @property
    def dtype(self):
        return self._dtype_of.name

    @property
    def ndim(self):
        return len(self.shape)

    def get_shape(self):
        return TensorShape(self.shape)

    def __repr__(self):
        return (f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, "
                f"name={self.name}>")

    def __getitem__(self, key):
        return apply_op(lambda x: x[key], self, name="get_item")

    def __bool__(self):
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self):
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __len__(self):
        raise TypeError("A symbolic KerasTensor has no length")

    def __tensor__(self):
        raise ValueError(
            "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a "
            "symbolic placeholder for a shape and dtype, used when constructing Keras Functional models "
            "or Keras Functions. You can only use it as input to a Keras layer or a Keras operation "
            "(from the namespaces `keras.layers` and `keras.ops`).")

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


def _give_operators():
    import operator
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
        function = getattr(operator, name)
        setattr(KerasTensor, f"__{name}__",
                lambda self, other, f=function, n=name: apply_op(f, self, other, name=n))
        setattr(KerasTensor, f"__r{name}__",
                lambda self, other, f=function, n=name: apply_op(f, other, self, name=n))
    for name in ("lt", "le", "gt", "ge"):
        function = getattr(operator, name)
        setattr(KerasTensor, f"__{name}__",
                lambda self, other, f=function, n=name: apply_op(f, self, other, name=n))
    KerasTensor.__neg__ = lambda self: apply_op(operator.neg, self, name="negative")
    KerasTensor.__abs__ = lambda self: apply_op(operator.abs, self, name="absolute")


_give_operators()


def has_symbols(value):
    return any(isinstance(one, KerasTensor) for one in nest.flatten(value))


class Node:
    """One call of a layer in a functional model."""

    def __init__(self, layer, args, kwargs):
        self.layer = layer
        self.args = args
        self.kwargs = kwargs
        self.inputs = [one for one in nest.flatten((args, kwargs)) if isinstance(one, KerasTensor)]
        self.outputs = None


def apply_op(function, *args, name=None, **kwargs):
    """A function of tensors, on symbolic ones too."""
    if not has_symbols((args, kwargs)):
        return function(*args, **kwargs)
    layer = OperationLayer(function, name=auto_name(name or getattr(function, "__name__", "operation")))
    return layer(*args, **kwargs)


def infer(call, symbols):
    """(what `call` gives for symbolic tensors in place of `symbols`) as specs in its structure."""
    form = []

    def run(batch):
        form.clear()

        def body(tensors):
            value = call(list(tensors))
            flat = [convert_to_tensor(one) for one in nest.flatten(value)]
            form.append(value)
            return flat
        types = [(int(one._dtype_of), [batch if size is None else size for size in one.shape])
                 for one in symbols]
        return _native.symbolic_call(body, types)
    try:
        made = run(-1)
    except (ValueError, NotImplementedError, TypeError):
        unknown = [one for one in symbols if None in one.shape]
        if not unknown:
            raise
        _local.guessing = True
        try:
            made = [(code, tuple(None if size == 97 else size for size in shape))
                    for code, shape in run(97)]
        finally:
            _local.guessing = False
    return nest._pack(form[0], iter([KerasTensor(shape, BY_CODE[code]) for code, shape in made]))


# ---- layers ---------------------------------------------------------------------------------------


class InputSpec:
    """What a layer wants of an input."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None,
                 allow_last_axis_squeeze=False, name=None, optional=False):
        self.shape, self.ndim, self.min_ndim, self.axes = shape, ndim, min_ndim, axes or {}


def _short_name(variable):
    """What a weight is called in its layer; a shard with its variable's name."""
    parts = variable._v.name.split("/")
    return "/".join(parts[-2 if parts[-1].startswith("part_") else -1:])


class Layer:
    """Part of a model: makes its weights when it first sees an input, and maps inputs to outputs.

    To write one, derive; make weights in `__init__` or `build(input_shape)` by `add_weight`, and
    override `call(inputs, ...)`, which may take `training`.

    Args: name: unique in its model; trainable: whether training changes its weights; dtype."""

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True,
                 name=None, **kwargs):
        self._ready()
        self.__dict__["_given_name"] = name
        self.name = name or auto_name(to_snake_case(type(self).__name__))
        self._dtype = as_dtype(_plain_dtype(dtype))
        self._trainable = trainable
        self.activity_regularizer = regularizers.get(activity_regularizer)
        shape = kwargs.pop("input_shape", None)
        if "input_dim" in kwargs and shape is None:
            shape = (kwargs.pop("input_dim"),)
        batch_shape = kwargs.pop("batch_input_shape", None) or kwargs.pop("batch_shape", None)
        if shape is not None:
            batch_shape = (None,) + tuple(shape if isinstance(shape, (list, tuple)) else (shape,))
        self._batch_input_shape = batch_shape
        kwargs.pop("weights", None)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")

    def _ready(self):
        if "_children" in self.__dict__:
            return
        object.__setattr__(self, "_children", [])
        object.__setattr__(self, "_own_weights", [])
        object.__setattr__(self, "_holder_layer", None)
        object.__setattr__(self, "built", False)
        object.__setattr__(self, "_losses", [])
        object.__setattr__(self, "_metrics", [])
        object.__setattr__(self, "_trainable", True)
        object.__setattr__(self, "_dtype", as_dtype("float32"))
        object.__setattr__(self, "_inbound", [])
        object.__setattr__(self, "supports_masking", False)
        object.__setattr__(self, "_batch_input_shape", None)
        object.__setattr__(self, "activity_regularizer", None)

    def __new__(cls, *args, **kwargs):
        self = object.__new__(cls)
        Layer._ready(self)
        object.__setattr__(self, "_init_arguments", (args, kwargs))
        return self

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in ("build",):
            if name in cls.__dict__ and inspect.isfunction(cls.__dict__[name]):
                setattr(cls, name, _built_by(cls.__dict__[name]))

    def __setattr__(self, name, value):
        if not name.startswith("_native") and "_children" in self.__dict__:
            self._track(value)
        object.__setattr__(self, name, value)

    def _track(self, value):
        from . import metrics
        if isinstance(value, Layer):
            if value is not self and all(value is not one for one in self._children):
                self._children.append(value)
        elif isinstance(value, Variable):
            self._adopt(value)
        elif hasattr(value, "_adopted_by"):  # shards
            value._adopted_by(self._adopt)
        elif isinstance(value, metrics.Metric):
            if all(value is not one for one in self._metrics):
                self._metrics.append(value)
        elif isinstance(value, (list, tuple)) and value:
            for one in value:
                if isinstance(one, (Layer, Variable, list, tuple, dict, metrics.Metric)):
                    self._track(one)
        elif isinstance(value, dict):
            for one in value.values():
                self._track(one)

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
        value = variable.value()
        from .._variable import _by_key
        _by_key.pop(variable._v.key, None)
        variable._v = self._holder().add_weight(unique, value._shape, {
            "initializer": _native.python_initializer(lambda shape, dtype: value),
            "trainable": variable._v.trainable, "dtype": int(variable.dtype), "whole": True})
        _by_key[variable._v.key] = variable
        self._own_weights.append(variable)

    def _holder(self):
        if self._holder_layer is None:
            name = self.__dict__.get("name") or auto_name(to_snake_case(type(self).__name__))
            object.__setattr__(self, "_holder_layer",
                               _native.PythonLayer(native_name(name), type(self).__name__))
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
        """A new weight. Shapes: `shape`, () by default; initializer: glorot_uniform by default."""
        if isinstance(shape, str):  # add_weight("name", shape, ...), as it was once
            name, shape = shape, initializer
            initializer = None
        dtype = as_dtype(dtype or self._dtype)
        shape = () if shape is None else (shape if isinstance(shape, (list, tuple, TensorShape))
                                          else (shape,))
        if initializer is None:
            initializer = "glorot_uniform" if dtype.is_floating else "zeros"
        base = name or "variable"
        taken = {_short_name(one).partition("/part_")[0] for one in self._own_weights}
        unique, count = base, 0
        while unique in taken:
            count += 1
            unique = f"{base}_{count}"
        native = self._holder().add_weight(unique, [int(one) for one in shape], {
            "initializer": initializers.native(initializer) if dtype.is_floating else _whole_numbers(initializer, dtype),
            "trainable": bool(trainable),
            "dtype": int(dtype), "regularizer": regularizers.native(regularizer),
            "constraint": constraints.native(constraint)})
        from ..distribute import coordinator, scope_in_force
        made = coordinator.whole_or_shards(native)
        for place, variable in enumerate(getattr(made, "variables", [made])):
            part = "" if variable is made else f"/part_{place}"
            variable._keras_path = f"{self._scope_path()}/{base}{part}"
            variable._strategy = scope_in_force()
            self._own_weights.append(variable)
        return made

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
        """Own weights, then those of the layers inside, in the order of their making."""
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
        object.__setattr__(self, "_trainable", bool(value))
        for one in self._native_layers():
            one.trainable = bool(value)
        for one in self._children:
            one.trainable = value

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
        for one in nest.flatten(loss):
            self._losses.append(one)

    @property
    def losses(self):
        made = [one() if callable(one) and not isinstance(one, Tensor) else one
                for one in self._losses]
        for variable, regularizer in self._penalties():
            made.append(regularizer(variable))
        for child in self._children:
            made.extend(child.losses)
        return made

    def _penalties(self):
        if self._holder_layer is None:
            return []
        made = []
        for native, regularizer, _ in self._holder_layer.weights():
            if regularizer.there and native.trainable and self.trainable:
                made.append((Variable._wrap(native), lambda v, r=regularizer: r.penalty(v.value())))
        return made

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

    # ---- calling

    dtype = property(lambda self: self._dtype.name)
    compute_dtype = property(lambda self: self._dtype.name)
    variable_dtype = property(lambda self: self._dtype.name)

    def build(self, input_shape=None):
        object.__setattr__(self, "built", True)

    def call(self, *args, **kwargs):
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call()` method "
                                  "implemented.")

    def _cast_input(self, one):
        if isinstance(one, Variable):
            one = one.value()
        if isinstance(one, Tensor):
            if one.dtype.is_floating and self._dtype.is_floating and one._dtype != int(self._dtype):
                return _native.cast(one, self._dtype)
            return one
        if hasattr(one, "__array__") or isinstance(one, float):
            return self._cast_input(convert_to_tensor(one))
        return one

    def _call_parameters(self):
        cls = type(self)
        known = cls.__dict__.get("_call_names")
        if known is None:
            parameters = inspect.signature(cls.call).parameters
            known = set(parameters)
            if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
                known.add("**")
            cls._call_names = known
        return known

    def __call__(self, *args, **kwargs):
        if has_symbols((args, kwargs)):
            return self._call_symbolically(args, kwargs)
        if args and isinstance(args[0], (list, tuple)) and not any(
                isinstance(one, (Tensor, Variable)) or hasattr(one, "__array__")
                for one in nest.flatten(args[0])):
            args = (convert_to_tensor(args[0]),) + args[1:]
        args = tuple(nest._pack(args, iter([self._cast_input(one) for one in nest.flatten(args)])))
        if kwargs:
            kwargs = {key: self._cast_input(one) if isinstance(one, Tensor) else one
                      for key, one in kwargs.items()}
        training = kwargs.get("training")
        if training is None:
            training = current_training()
        names = self._call_parameters()
        if "training" in names:
            if training is not None:
                kwargs["training"] = training
        else:
            kwargs.pop("training", None)
        if not getattr(_local, "inside", None) and self.__dict__.get("_called"):
            self._clear_losses()  # those of the call before
        self.__dict__["_called"] = True
        if not self.built:
            if _late.waiting and self._is_native and len(args) == 1 and isinstance(args[0], Tensor):
                self.build(args[0]._shape)
            self._build_for(args, kwargs)
            if _late.waiting:
                _late.restore()
        with CallContext(training), _Inside(self):
            call = self.call
            if _native.is_tracing() and not self._is_native:
                from .. import autograph
                call = autograph.convert_callable(call)
            outputs = call(*args, **kwargs)
        if "_last_output_shape" not in self.__dict__:
            self._note_shape(outputs)
        if self.activity_regularizer is not None:
            for one in nest.flatten(outputs):
                loss = self.activity_regularizer(one)
                if one._rank:  # the same strength for every size of a batch
                    from .. import ops_array, ops_math
                    loss = loss / ops_math.cast(ops_array.shape(one)[0], loss.dtype)
                self.add_loss(loss)
        return outputs

    _is_native = False

    def _note_shape(self, outputs):
        """Keeps the output's shape of the first call, for `summary`."""
        batch = getattr(_local, "batch", None)

        def shape(one):
            sizes = tuple(getattr(one, "_shape", ()) or ())
            first = sizes[0] if sizes else None
            if sizes and (first in (None, -1) or getattr(_local, "guessing", False) and first == 97):
                return (batch,) + sizes[1:]
            return sizes
        object.__setattr__(self, "_last_output_shape", nest.map_structure(shape, outputs))

    def _build_for(self, args, kwargs):
        build = type(self).build
        if build is Layer.build or getattr(build, "__wrapped__", None) is Layer.build:
            object.__setattr__(self, "built", True)
            return
        shapes = [_shape_tree(one) for one in args if _has_tensor(one)]
        if len(shapes) == 1 and isinstance(shapes[0], Shape):
            object.__setattr__(self, "_built_for", [None] + list(shapes[0][1:]))
        wanted = [p for p in list(inspect.signature(build).parameters.values())[1:]
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        with _Inside(self):
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

    @property
    def output(self):
        if not self._inbound:
            raise AttributeError(f"The layer {self.name} has never been called and thus has no defined "
                                 "output.")
        return self._inbound[0].outputs

    @property
    def input(self):
        if not self._inbound:
            raise AttributeError(f"The layer {self.name} has never been called and thus has no defined "
                                 "input.")
        inputs = self._inbound[0].inputs
        return inputs[0] if len(inputs) == 1 else inputs

    def _shown_output_shape(self):
        if self._inbound:
            return nest.map_structure(lambda one: one.shape, self._inbound[0].outputs)
        return self.__dict__.get("_last_output_shape")

    # ---- description

    def get_config(self):
        """What `from_config` makes the layer of again."""
        args, kwargs = self._init_arguments
        try:
            names = [p.name for p in inspect.signature(type(self).__init__).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][1:]
        except (TypeError, ValueError):
            names = []
        from . import saving
        config = {"name": self.name, "trainable": self.trainable, "dtype": saving.policy(self.dtype)}
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = saving.serialize_keras_object(self.activity_regularizer)
        if type(self).get_config is not Layer.get_config and not _is_of_package(type(self).get_config):
            return config  # the class adds what it needs
        known = inspect.signature(type(self).__init__).parameters if names else {}
        own = dict(zip(names, args), **kwargs)
        given = {key: own.get(key, one.default) for key, one in known.items()
                 if key in own or one.default is not inspect.Parameter.empty and key not in _UNWRITTEN}
        given.update((key, one) for key, one in own.items() if key not in given)
        config.update({key: self._config_value(key, one) for key, one in given.items()
                       if key not in ("name", "dtype", "trainable")})
        return config

    def _config_value(self, key, value):
        from . import saving
        if key.endswith(("initializer", "regularizer", "constraint", "activation")):
            value = self.__dict__.get(key, value)
            if key.endswith("activation"):
                from . import activations
                return saving.serialize_keras_object(activations.get(value)) if value is not None else \
                    ("linear" if key == "activation" else None)
            getter = {"initializer": initializers, "regularizer": regularizers,
                      "constraint": constraints}[key.rpartition("_")[2]]
            value = getter.get(value)
        try:
            return saving.serialize_keras_object(value)
        except NotImplementedError:
            raise NotImplementedError(
                f"Layer {type(self).__name__} was created by passing non-serializable argument values in "
                f"`__init__()` ({key}={value!r}), and therefore the layer must override `get_config()` in "
                "order to be serializable. Please implement `get_config()`.") from None

    @classmethod
    def from_config(cls, config):
        """The layer of `get_config`. Raises: TypeError for a config of another class."""
        from . import saving
        config = {key: saving.deserialize_keras_object(one) if isinstance(one, dict) and key not in (
            "dtype",) and not key.endswith(("initializer", "regularizer", "constraint")) else one
            for key, one in config.items()}
        if _is_of_package(cls.__init__):
            known = inspect.signature(cls.__init__).parameters
            config = {key: one for key, one in config.items()
                      if key not in _KERAS_ONLY or key in known}
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(f"Error when deserializing class '{cls.__name__}' using config={config}.\n\n"
                            f"Exception encountered: {error}") from None

    @property
    def path(self):
        return self.__dict__.get("_path_prefix", "") + self.name

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


_UNWRITTEN = ("lora_rank", "lora_alpha", "weights", "self", "data_format", "use_cudnn", "flash_attention",
              "quantization_config")
_KERAS_ONLY = ("quantization_config", "renorm", "renorm_clipping", "renorm_momentum", "data_format",
               "lora_rank", "lora_alpha", "sparse", "ragged", "optional", "rms_scaling")


def _whole_numbers(initializer, dtype):
    """A native initializer of integers and truth values, which has the values of one of floats."""
    made = initializers.get(initializer)
    return _native.python_initializer(lambda shape, _: _native.cast(convert_to_tensor(made(shape, "float32")), dtype))


def _is_of_package(function):
    function = getattr(function, "__func__", function)
    return str(getattr(function, "__module__", "")).startswith("lockstep")


def _plain_dtype(dtype):
    if isinstance(dtype, dict):
        dtype = dtype["config"]["name"]
    if dtype is None:
        from . import backend
        return backend.floatx()
    return getattr(dtype, "name", dtype)


def _built_by(build):
    import functools

    @functools.wraps(build)
    def wrapped(self, *args, **kwargs):
        result = build(self, *args, **kwargs)
        object.__setattr__(self, "built", True)
        return result
    return wrapped


def _has_tensor(value):
    return any(isinstance(one, Tensor) for one in nest.flatten(value))


class Shape(tuple):
    """The sizes of an input's axes, as `build` gets them."""

    def as_list(self):
        return list(self)

    rank = property(len)


def _shape_tree(value):
    if isinstance(value, Tensor):
        return Shape(value._shape)
    if isinstance(value, (list, tuple)):
        return [_shape_tree(one) for one in value]
    if isinstance(value, dict):
        return {key: _shape_tree(one) for key, one in value.items()}
    return None


class _Inside:
    """The time in which a layer is called or built."""

    def __init__(self, layer):
        self._layer = layer

    def __enter__(self):
        self._outer = getattr(_local, "inside", [])
        if not self._outer or self._outer[-1] is not self._layer:
            _local.inside = self._outer + [self._layer]

    def __exit__(self, *_):
        _local.inside = self._outer


class OperationLayer(Layer):
    """A function of tensors as a layer."""

    def __init__(self, function, name=None):
        super().__init__(name=name)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "built", True)

    def call(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def _cast_input(self, one):
        return one.value() if isinstance(one, Variable) else one


class NativeLayer(Layer):
    """A layer whose weights and call are native."""

    _is_native = True
    _kind = None

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "_impl_layer", None)
        object.__setattr__(self, "_python_activation", None)

    def _options(self):
        return {}

    def _make(self):
        return _native.make_layer(self._kind, self._options())

    @property
    def _impl(self):
        if self._impl_layer is None:
            made = self._make()
            made.set_name(native_name(self.name))
            made.trainable = self._trainable
            object.__setattr__(self, "_impl_layer", made)
        return self._impl_layer

    def _native_layers(self):
        return [self._impl] + super()._native_layers()

    def _own_variables(self):
        if self._impl_layer is None:
            return list(self._own_weights)
        return [self._wrap(native) for native, _, _ in self._impl_layer.weights()] + self._own_weights

    def _wrap(self, native):
        variable = Variable._wrap(native)
        if variable._keras_path is None:
            variable._keras_path = self.__dict__.get("_first_path", self.name) + \
                native.name[len(self._impl_layer.name):]
        return variable

    def __getattr__(self, name):
        if name.startswith("_") or "_impl_layer" not in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        if self._impl_layer is not None:
            parts = []
            for native, _, _ in self._impl_layer.weights():
                if native.name.rpartition("/")[2] == name:
                    return self._wrap(native)
                whole = native.name.rpartition("/part_")[0]
                if whole and whole.rpartition("/")[2] == name:
                    parts.append(self._wrap(native))
            if parts:
                from ..distribute.coordinator import ShardedVariable
                return ShardedVariable(parts, parts[0]._v.name.rpartition("/part_")[0])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def _penalties(self):
        if self._impl_layer is None:
            return []
        return [(Variable._wrap(native), lambda v, r=regularizer: r.penalty(v.value()))
                for native, regularizer, _ in self._impl_layer.weights()
                if regularizer.there and native.trainable and self.trainable]

    def build(self, input_shape=None):
        if not self.built:
            object.__setattr__(self, "_first_path", self._scope_path())
        if input_shape is not None and self._impl_layer is None or not self._impl.built:
            infer(lambda tensors: self._run(tensors, False),
                  [KerasTensor(input_shape, self._dtype)])
        object.__setattr__(self, "built", True)

    def _build_for(self, args, kwargs):
        object.__setattr__(self, "_first_path", self._scope_path())
        if len(args) == 1 and isinstance(args[0], Tensor):
            object.__setattr__(self, "_built_for", [None] + list(args[0]._shape[1:]))
        object.__setattr__(self, "built", True)

    def _run(self, inputs, training):
        result = self._impl.call(inputs, bool(training))
        if self._python_activation is not None:
            result = self._python_activation(result)
        return result

    def call(self, inputs, training=False):
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        return self._run([convert_to_tensor(one) for one in inputs], training)

    def _activation_option(self, activation):
        """The name of a native activation; other functions are called in Python."""
        from . import activations
        name = activations.native_name(activation)
        if name is None:
            object.__setattr__(self, "_python_activation", activations.get(activation))
            return "linear"
        return name


_ = weakref
