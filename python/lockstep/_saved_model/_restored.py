"""Callables of a SavedModel: concrete functions, functions with several of them, and signatures."""

import inspect

from .. import _native, _trace_types, errors, nest
from .._function import ConcreteFunction, Function, TensorSpec
from .._tensor import Tensor, convert_to_tensor
from .._variable import Variable
from ._structures import decode


def python_signature(spec):
    """The inspect.Signature of a FunctionSpec's argument names and default values, without `self`."""
    full = decode(spec.fullargspec)
    empty = inspect.Parameter.empty
    names = list(full.args)
    if spec.is_method or names[:1] == ["self"]:
        names = names[1:]
    defaults = list(full.defaults or ())
    values = [empty] * (len(names) - len(defaults)) + defaults[-len(names):] if names else []
    made = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value) for name, value in zip(names, values)]
    if full.varargs:
        made.append(inspect.Parameter(full.varargs, inspect.Parameter.VAR_POSITIONAL))
    by_name = full.kwonlydefaults or {}
    made += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=by_name.get(name, empty)) for name in full.kwonlyargs or ()]
    if full.varkw:
        made.append(inspect.Parameter(full.varkw, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(made)


def _is_tensor(value):
    return isinstance(value, (Tensor, Variable)) or hasattr(value, "__array__") and hasattr(value, "dtype")


class RestoredConcrete(ConcreteFunction):
    """A concrete function of a SavedModel."""

    def __init__(self, body, proto, captures):
        self._body, self._captures = body, captures
        inputs = decode(proto.canonicalized_input_signature)
        self._inputs = inputs if isinstance(inputs, tuple) and len(inputs) == 2 else ((), {})
        self._outputs = decode(proto.output_signature)
        self._keywords, self._positional = [], 0
        self._function = Function(self._run_flat, autograph=False, name=body.name)

    @property
    def name(self):
        return self._body.name

    structured_input_signature = property(lambda self: self._inputs)
    structured_outputs = property(lambda self: self._outputs)
    variables = property(lambda self: tuple(one for one in self._captures if isinstance(one, Variable)))
    trainable_variables = property(lambda self: tuple(one for one in self.variables if one.trainable))
    captured_inputs = property(lambda self: list(self._captures))

    def _named(self):
        args, kwargs = self._inputs
        names = self._keywords or [f"arg_{place}" for place in range(len(args))]
        return [(name, "POSITIONAL_OR_KEYWORD", one) for name, one in zip(names, args)] + [
            (name, "KEYWORD_ONLY", one) for name, one in kwargs.items()]

    def _traced(self, quiet=True):
        if "_trace" not in self.__dict__:
            from ..compat import v1
            graph = v1.Graph()
            with graph.as_default():
                graph.inputs = [v1.placeholder(one.dtype, one.shape, one.name) for one in self._specs()]
                self._structure = self._packed(self._body.run([*graph.inputs, *self._captures]))
            graph.outputs = [one for one in nest.flatten(self._structure) if isinstance(one, Tensor)]
            self._trace = graph, graph.outputs
        return self._trace

    def _specs(self):
        return [one for one in nest.flatten(self._inputs) if isinstance(one, TensorSpec)]

    def _run_flat(self, *tensors):
        return self._body.run([*tensors, *self._captures])

    def _packed(self, tensors):
        places = iter(tensors)

        def place(spec):
            return None if spec is None else next(places)
        return nest.map_structure(place, self._outputs)

    def flat_call(self, tensors):
        """The results in their structure, for tensors in the order of the inputs."""
        specs = self._specs()
        for number, (one, spec) in enumerate(zip(tensors, specs)):
            if one.dtype != spec.dtype:
                raise errors.InvalidArgumentError(
                    None, None, f"cannot compute {self.name} as input #{number}(zero-based) was expected to be a {spec.dtype.name} tensor "
                    f"but is a {one.dtype.name} tensor")
        if _native.is_tracing():
            made = self._run_flat(*tensors)
        else:
            made = self._function(*tensors)
        return self._packed(made)

    def replace_variables(self, others):
        """From now on reads and assigns others, {key of a variable: variable}, in place of those that it has captured."""
        self._captures = [others.get(one._v.key, one) if isinstance(one, Variable) else one for one in self._captures]

    def run_for_effects(self):
        """Runs it without arguments, for what it does to what it has captured."""
        self._body.run(self._captures)

    def accepts(self, inputs, converts):
        """Whether it takes ((positional values), {values by name}); with `converts` where Python values become tensors."""
        try:
            given = nest.flatten_up_to(self._inputs, inputs)
        except ValueError:
            return False
        for one, spec in zip(given, nest.flatten(self._inputs)):
            if isinstance(spec, TensorSpec):
                one = _as_spec(one, spec, converts)
                if one is None or one.dtype != spec.dtype or not spec.shape.is_compatible_with(one.shape):
                    return False
            elif _is_tensor(one) or type(one) is not type(spec) and isinstance(one, bool) != isinstance(spec, bool) or one != spec:
                return False
        return True

    def call_with(self, inputs):
        """The results for inputs that it accepts."""
        flat = zip(nest.flatten_up_to(self._inputs, inputs), nest.flatten(self._inputs))
        return self.flat_call([_tensor(one, spec.dtype) for one, spec in flat if isinstance(spec, TensorSpec)])

    def __call__(self, *args, **kwargs):
        """Calls it with tensors in order, or by the names of its arguments. Raises: TypeError for others."""
        specs, names = self._specs(), self._keywords or [one.name for one in self._specs()]
        if self.accepts((args, kwargs), True):
            return self.call_with((args, kwargs))
        given = {**dict(zip(names, args)), **kwargs}
        missing = [name for name in names if name not in given]
        unknown = sorted(set(kwargs) - set(names))
        if len(args) > self._positional:
            self._refuse_call(args, kwargs, "too many positional arguments", f"takes {self._positional} positional arguments, got {len(args)}")
        if missing:
            self._refuse_call(args, kwargs, f"missing a required argument: {missing[0]!r}", f"missing required arguments: {', '.join(missing)}")
        if unknown:
            self._refuse_call(args, kwargs, f"got an unexpected keyword argument {unknown[0]!r}",
                              f"got unexpected keyword arguments: {', '.join(unknown)}")
        return self.flat_call([_tensor(given[name], spec.dtype) for name, spec in zip(names, specs)])

    def _refuse_call(self, args, kwargs, cause, flat_cause):
        """Raises: TypeError for arguments that do not fit."""
        named = [f"{name}: {spec}" for name, spec in self._inputs[1].items()]
        shown = ", ".join([f"{name}: {spec}" for name, spec in zip(self._keywords, self._inputs[0])] + (["*", *named] if named else []))
        raise TypeError(f"Binding inputs to tf.function failed due to `{cause}`. Received args: {args} and kwargs: {kwargs} for signature: "
                        f"({shown}) -> {_trace_types.text(self._outputs)}.\nFallback to flat signature also failed due to: "
                        f"signature_wrapper({', '.join(self._keywords)}) {flat_cause}.")


def _as_spec(value, spec, converts):
    """The dtype and shape of a value; None where it is no tensor and cannot be made one."""
    if _is_tensor(value) and hasattr(value, "shape") and (isinstance(value, (Tensor, Variable)) or not converts):
        from .._dtypes import as_dtype
        return TensorSpec(value.shape, as_dtype(value.dtype))
    if not converts or value is None:
        return None
    try:
        made = convert_to_tensor(value, dtype_hint=spec.dtype)
    except (TypeError, ValueError, errors.OpError):
        return None
    return TensorSpec(made.shape, made.dtype)


def _tensor(value, dtype):
    if isinstance(value, Variable):
        return value.value()
    return value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=dtype)


class RestoredFunction(Function):
    """A function of a SavedModel: a call runs the first concrete function that takes the arguments."""

    def __init__(self, name, concrete, signature, input_signature=None):
        def restored_function_body(*args, **kwargs):
            return self._chosen(args, kwargs)
        restored_function_body.__signature__ = signature
        super().__init__(restored_function_body, autograph=False, name=name)
        self.concrete_functions, self._python, self._saved_signature = concrete, signature, input_signature

    input_signature = property(lambda self: self._saved_signature)

    def _canonical(self, args, kwargs):
        bound = self._python.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _chosen(self, args, kwargs):
        return self._match(args, kwargs).call_with(self._canonical(args, kwargs))

    def _match(self, args, kwargs):
        inputs = self._canonical(args, kwargs)
        for converts in (False, True):
            for one in self.concrete_functions:
                if one.accepts(inputs, converts):
                    return one
        raise ValueError(self._mismatch(*inputs))

    def _mismatch(self, args, kwargs):
        def shown(values):
            return f"Positional arguments ({len(values)} total):\n    * " + "\n    * ".join(repr(one) for one in values)
        options = [f"Option {place}:\n  {shown(one.structured_input_signature[0])}\n  Keyword arguments: "
                   f"{one.structured_input_signature[1]}" for place, one in enumerate(self.concrete_functions, 1)]
        return ("Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
                f"{shown(args)}\n  Keyword arguments: {kwargs}\n\n Expected these arguments to match one of the following "
                f"{len(options)} option(s):\n\n" + "\n\n".join(options))

    def __call__(self, *args, **kwargs):
        return self._chosen(args, kwargs)

    def get_concrete_function(self, *args, **kwargs):
        """The concrete function for these arguments, for which `TensorSpec`s may stand; without arguments the only one."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        inputs = self._canonical(args, kwargs)
        for one in self.concrete_functions:
            if one.accepts(tuple(nest.map_structure(_stand_in, part) for part in inputs), True):
                return one
        raise ValueError(self._mismatch(*inputs))

    def _known(self):
        return list(self.concrete_functions)

    def __get__(self, instance, owner=None):
        return self


class _StandIn:
    """A dtype and shape in place of a tensor."""

    def __init__(self, spec):
        self.dtype, self.shape = spec.dtype, spec.shape

    __array__ = None


def _stand_in(value):
    return _StandIn(value) if isinstance(value, TensorSpec) else value


class SignatureMap(dict):
    """The signatures of a SavedModel by name; what is there does not change."""

    def _refuse(self, *args, **kwargs):
        raise TypeError("'_SignatureMap' object does not support item assignment")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = _refuse

    def _add_signature(self, name, concrete):
        dict.__setitem__(self, name, concrete)

    def __repr__(self):
        return f"_SignatureMap({dict(self)!r})"
