"""Functions of the package for types of a program's own: `tf.experimental.dispatch_for_api` and its relatives.

A registration replaces the public function, wherever the package's modules have it, by a *dispatching* function: it looks
whether the arguments' types fit one of the registered signatures, and calls that target, else the function itself. So
programs that register nothing pay nothing. A name that a program has bound before (`add = tf.add`) is not replaced."""

import functools
import importlib
import inspect
import sys
import typing

from ._extension_fields import _kind

_UNARY = {
    "math": "abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh digamma erf "
            "erfc erfcinv erfinv exp expm1 floor imag is_finite is_inf is_nan lgamma log log1p log_sigmoid logical_not ndtri "
            "negative nextafter real reciprocal reciprocal_no_nan rint round rsqrt sigmoid sign sin sinh softplus sqrt square tan "
            "tanh",
    "nn": "elu gelu leaky_relu log_softmax relu relu6 selu silu softsign", "": "cast clip_by_value ones_like zeros_like",
    "bitwise": "invert", "debugging": "check_numerics", "dtypes": "saturate_cast",
    "image": "adjust_brightness adjust_gamma convert_image_dtype random_brightness",
    "strings": "as_string length lower regex_full_match regex_replace strip substr to_hash_bucket to_hash_bucket_fast "
               "to_hash_bucket_strong to_number unicode_transcode upper"}
_BINARY = {
    "math": "add atan2 divide divide_no_nan equal floordiv floormod greater greater_equal less less_equal logical_and logical_or "
            "logical_xor maximum minimum multiply multiply_no_nan not_equal pow scalar_mul squared_difference subtract truediv "
            "xdivy xlog1py xlogy zeta",
    "nn": "sigmoid_cross_entropy_with_logits", "dtypes": "complex",
    "bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift"}
_ASSERTS = {"debugging": "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
                         "assert_none_equal"}


class _Target:
    """A function of the program that is called where the arguments of an API have some types."""

    def __init__(self, function, fits, with_api):
        self.function, self.fits, self.with_api = function, fits, with_api


def _apis(table):
    for module, names in table.items():
        room = importlib.import_module("lockstep" + ("." + module if module and module != "dtypes" else ""))
        for name in names.split():
            found = getattr(room, name, None)
            if callable(found):
                yield found


def _dispatching(api, places=None):
    """The registered targets of an API, which is replaced by a dispatching function wherever modules have it.

    Raises: ValueError for what is no function of the package."""
    plain = inspect.unwrap(api) if callable(api) else None
    if not str(getattr(plain, "__module__", "")).startswith("lockstep"):
        raise ValueError(f"{api} does not support dispatch.")
    if plain not in _targets:
        _targets[plain] = []
        for module, key, value in (_places() if places is None else places).get(plain, ()):
            setattr(module, key, _calling(value, _targets[plain]))
    return _targets[plain]


_targets = {}  # of each API, by the function without its wrappers


def _places():
    """{function without its wrappers: the (module, name, value) that have it}"""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "lockstep" and module is not None:
            for key, value in list(vars(module).items()):
                if inspect.isroutine(value):
                    found.setdefault(inspect.unwrap(value), []).append((module, key, value))
    return found


def _calling(api, targets):
    """The dispatching function of one value of an API. Raises: ValueError where several targets fit."""
    @functools.wraps(api)
    def call(*args, **kwargs):
        fitting = [one for one in targets if one.fits(args, kwargs)]
        if not fitting:
            return api(*args, **kwargs)
        if len(fitting) > 1:
            raise ValueError("Multiple dispatch targets that were registered with tf.dispatch_for "
                             f"({' and '.join(str(one.function) for one in fitting)}) match the arguments to {api.__name__}")
        target = fitting[0]
        if not target.with_api:
            return target.function(*args, **kwargs)
        given = {key: one for key, one in kwargs.items() if key != "name"}
        return target.function(api, *args, **given)
    return call


def _is_of(value, annotation):
    """Whether a value has the type of an annotation: a class, a list of one, or a union."""
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return isinstance(value, annotation)
    arguments = typing.get_args(annotation)
    if _kind(annotation) is typing.Union:
        return any(_is_of(value, one) for one in arguments)
    return isinstance(value, (list, tuple)) and bool(value) and any(_is_of(one, arguments[0]) for one in value) and all(
        _is_of(one, arguments[0]) for one in value)


def _check_annotation(annotation):
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return
    if _kind(annotation) is typing.Union or typing.get_origin(annotation) is list:
        for one in typing.get_args(annotation):
            _check_annotation(one)
        return
    raise ValueError(f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: type objects,  "
                     "List[...], and Union[...]")


def _fitting(api, signatures):
    """The function that decides whether arguments have the types of one of the signatures. Raises: TypeError, ValueError."""
    parameters = inspect.signature(api).parameters
    names = list(parameters)
    resolved = []
    for signature in signatures:
        if not isinstance(signature, dict):
            raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
        own = []
        for key, annotation in signature.items():
            name = names[key] if isinstance(key, int) else key
            if name not in parameters:
                raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
            _check_annotation(annotation)
            own.append((name, names.index(name), annotation))
        resolved.append(own)

    def fits(args, kwargs):
        def given(name, place):
            return args[place] if place < len(args) else kwargs.get(name)
        return any(all(_is_of(given(name, place), annotation) for name, place, annotation in own) for own in resolved)
    return fits


def dispatch_for_api(api, *signatures):
    """A decorator: calls of `api` whose arguments have the types of a signature, {parameter: type}, call the function.

    Without signatures the annotations of the function are one. Raises: ValueError for a function of other parameters, for
    unknown parameters and for what is no function of the package."""
    targets = _dispatching(api)

    def decorate(target):
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        own = signatures or ({key: one for key, one in typing.get_type_hints(target).items() if key != "return"},)
        if not own[0]:
            raise ValueError("The dispatch_for_api decorator must be called with at least one signature, or applied to a function "
                             "that has type annotations on its parameters.")
        wanted, given = inspect.signature(api), inspect.signature(target)
        names = [[key for key in one.parameters if key != "name"] for one in (wanted, given)]
        if names[1] != names[0][:len(names[1])] or not names[1]:
            raise ValueError(f"Dispatch function's signature {given} does not match API's signature {wanted}.")
        targets.append(_Target(target if "name" in given.parameters else _without_name(target), _fitting(api, own), False))
        _registered.setdefault(id(target), (target, []))[1].append(targets)
        return target
    return decorate


def _without_name(target):
    @functools.wraps(target)
    def call(*args, name=None, **kwargs):
        return target(*args, **kwargs)
    return call


_registered = {}  # by the identity of the target: (the target, the lists of targets that it is in)


def _elementwise(table, types):
    """A decorator that registers a function for all elementwise APIs of a table, whose first arguments have these types."""
    def decorate(target):
        apis, places = list(_apis(table)), _places()
        for api in apis:
            targets = _dispatching(api, places)
            targets.append(_Target(target, _of_first(list(inspect.signature(api).parameters), types), True))
            _registered.setdefault(id(target), (target, []))[1].append(targets)
        return target
    for one in types:
        _check_annotation(one)
    return decorate


def _of_first(parameters, types):
    def fits(args, kwargs):
        return all(_is_of(args[place] if place < len(args) else kwargs.get(parameters[place]), one)
                   for place, one in enumerate(types))
    return fits


def dispatch_for_unary_elementwise_apis(x_type):
    """A decorator: unary elementwise functions of a value of `x_type` call the function as `function(api, x, ...)`."""
    return _elementwise(_UNARY, (x_type,))


def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """A decorator: binary elementwise functions of values of these types call the function as `function(api, x, y, ...)`."""
    return _elementwise(_BINARY, (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """The same for `tf.debugging.assert_equal` and its relatives."""
    return _elementwise(_ASSERTS, (x_type, y_type))


def unregister_dispatch_for(dispatch_target):
    """Removes all registrations of a function. Raises: ValueError for one that is not registered."""
    if id(dispatch_target) not in _registered:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")
    for targets in _registered.pop(id(dispatch_target))[1]:
        targets[:] = [one for one in targets if inspect.unwrap(one.function) is not inspect.unwrap(dispatch_target)]
