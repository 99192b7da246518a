"""Layers whose weights and call are native."""

from .. import _native
from .._tensor import convert_to_tensor, Tensor
from .._variable import Variable
from ..ragged import RaggedTensor
from . import constraints, regularizers
from ._context import shown_sizes
from ._layer import is_of_package, Layer
from ._names import native_name
from ._symbol_parts import is_value
from ._symbols import infer, KerasTensor


_WITH_KERNEL = ("Dense", "EinsumDense", "Conv1D", "Conv2D", "Conv1DTranspose", "Conv2DTranspose")


def _short(native):
    """What a weight is called in the names of its initializer, regularizer and constraint."""
    return native.name.rpartition("/")[2].removesuffix("_kernel")


class NativeLayer(Layer):
    """A layer whose weights and call are native."""

    _is_native = True
    _computes = False  # whether whole numbers and truth values are computed with in the layer's dtype
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
            made.set_dtype_policy(self._policy.name)
            made.trainable = self._trainable
            object.__setattr__(self, "_impl_layer", made)
        return self._impl_layer

    def _native_layers(self):
        return [self._impl] + super()._native_layers()

    def _own_variables(self):
        if self._impl_layer is None:
            return list(self._own_weights)
        return [self._wrap(native, constraint) for native, _, constraint in self._impl_layer.weights()] + self._own_weights

    def _wrap(self, native, constraint):
        variable = Variable._wrap(native)
        if variable._constraint is None:
            own = self.__dict__.get(f"{_short(native)}_constraint")
            variable._constraint = own or ((lambda w: constraint.apply(convert_to_tensor(w))) if constraint.there else None)
        if variable._keras_path is None:
            variable._keras_path = self.__dict__.get("_first_path", self.name) + \
                native.name[len(self._impl_layer.name):]
            if native.trainable and not self.trainable:
                variable.trainable = False
        self.__dict__.setdefault("_wrapped", {})[native.key] = variable  # what is set on it stays
        return variable

    def __getattr__(self, name):
        if name.startswith("_") or "_impl_layer" not in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        if self._impl_layer is not None:
            parts = []
            for native, _, constraint in self._impl_layer.weights():
                if native.name.rpartition("/")[2] == name:
                    return self._wrap(native, constraint)
                whole = native.name.rpartition("/part_")[0]
                if whole and whole.rpartition("/")[2] == name:
                    parts.append(self._wrap(native, constraint))
            if parts:
                from ..distribute.coordinator import ShardedVariable
                return ShardedVariable(parts, parts[0]._v.name.rpartition("/part_")[0])
        if name == "kernel" and not self.built and type(self)._kind in _WITH_KERNEL:
            raise AttributeError("You must build the layer before accessing `kernel`.")
        known = getattr(type(self), name, None)
        if isinstance(known, property):  # which has raised an error, and says why
            return known.fget(self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def _keep_in_python(self, **weights):
        """Keeps regularizers and constraints that the native layer does not take, each as `alpha=(regularizer, constraint)`:
        training goes op by op then."""
        for weight, (regularizer, constraint) in weights.items():
            setattr(self, f"{weight}_regularizer", regularizers.get(regularizer))
            setattr(self, f"{weight}_constraint", constraints.get(constraint))
        self._python_parts = [weight for weight, given in weights.items() if given != (None, None)]

    def _penalties(self):
        if self._impl_layer is None or not self.trainable:
            return []
        made = []
        for native, regularizer, _ in self._impl_layer.weights():
            short = _short(native)
            own = self.__dict__.get(f"{short}_regularizer") if short in self.__dict__.get("_python_parts", ()) else None
            if native.trainable and (regularizer.there or own is not None):
                made.append((Variable._wrap(native), (lambda v, r=regularizer: r.penalty(v.value())) if own is None else
                             (lambda v, r=own: r(v.value()))))
        return made

    def build(self, input_shape=None):
        self._build_on([input_shape])

    def _build_on(self, shapes):
        """Makes the weights for inputs of these shapes."""
        if not self.built:
            object.__setattr__(self, "_first_path", self._scope_path())
        if shapes[0] is not None and self._impl_layer is None or not self._impl.built:
            infer(lambda tensors: self._run(tensors, False), [KerasTensor(one, self._dtype) for one in shapes])
        object.__setattr__(self, "built", True)

    def _build_for(self, args, kwargs):
        object.__setattr__(self, "_first_path", self._scope_path())
        if not is_of_package(type(self).build):
            return super()._build_for(args, kwargs)  # a build of the user's
        if len(args) == 1 and (isinstance(args[0], Tensor) or is_value(args[0])):
            object.__setattr__(self, "_built_for", list(shown_sizes(args[0])))
        object.__setattr__(self, "built", True)

    def _run(self, inputs, training):
        result = self._impl.call(inputs, bool(training))
        if self._python_activation is not None:
            result = self._python_activation(result)
        return result

    def _require_dense(self, inputs):
        """Raises: ValueError for sparse and ragged tensors."""
        for one in inputs:
            if is_value(one):
                raise ValueError(f"[{type(self).__name__}] the layer takes dense tensors; got {type(one).__name__} of shape "
                                 f"{one.shape}; make it dense by keras.ops.convert_to_tensor(x, sparse=False, ragged=False)")

    _keeps_rows = False  # whether a ragged tensor has a result of the same rows: those of its flat values

    def call(self, inputs, training=False):
        if self._keeps_rows and isinstance(inputs, RaggedTensor):
            return inputs.with_flat_values(self.call(inputs.flat_values, training))
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        self._require_dense(inputs)
        taken = self._computing if self._computes else convert_to_tensor
        return self._run([taken(one) for one in inputs], training)

    def _activation_option(self, activation):
        """The name of a native activation; other functions, and those of probabilities, are called in Python."""
        from . import activations
        name = activations.native_name(activation)
        if name in (None, "sigmoid", "softmax"):  # the latter tell losses what they were taken of
            object.__setattr__(self, "_python_activation", activations.get(activation if name is None else name))
            return "linear"
        return name
