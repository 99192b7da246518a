"""Functions of tensors as layers."""

from .. import nest
from .._variable import Variable
from ._layer import Layer
from ._names import auto_name, to_snake_case
from ._symbols import has_symbols

# What the functions of `keras.ops` take: their tensors, and after ";" what describes them as operations.
_TAKE = {
    "x": "absolute arccos arccosh arcsin arcsinh arctan arctanh bitwise_invert bitwise_not cbrt ceil copy cos cosh deg2rad det "
         "erf erfc exp exp2 expm1 fabs fliplr flipud floor hard_sigmoid hard_silu hard_tanh inv isfinite isinf isnan isneginf "
         "isposinf log log10 log1p log2 log_sigmoid logdet logical_not negative rad2deg ravel reciprocal relu relu6 rsqrt selu "
         "sigmoid sign silu sin sinc sinh size slogdet softplus softsign sqrt square tan tanh tanh_shrink trunc angle conj "
         "conjugate erfinv i0 imag isreal real signbit sparse_plus sparse_sigmoid",
    "x1 x2": "add arctan2 divide divide_no_nan dot equal floor_divide greater greater_equal heaviside hypot inner kron less "
             "less_equal logaddexp logical_and logical_or logical_xor matmul maximum minimum mod multiply not_equal outer power "
             "subtract true_divide vdot fmax fmin fmod gcd lcm ldexp logaddexp2 nextafter",
    "x y": "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor left_shift right_shift",
    "x ; dtype sparse ragged": "convert_to_tensor", "xs": "dstack hstack vstack", "xs ; axis": "concatenate", "x key": "get_item", "variable": "stop_gradient",
    "x ; axis keepdims": "all amax amin any argmax argmin logsumexp max mean median min ptp std sum var nanargmax nanargmin "
                         "nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar",
    "x ; axis keepdims dtype": "prod", "x ; axes keepdims synchronized": "moments", "x ; ord axis keepdims": "norm",
    "x ; axis": "argsort count_nonzero expand_dims flip glu log_softmax softmax sort sparsemax squeeze stack",
    "x ; axis dtype": "cumprod cumsum nancumprod nancumsum", "x ; dtype": "cast empty_like ones_like saturate_cast zeros_like",
    "x ; indices_or_sections axis": "array_split split", "x1 x2 ; axis": "append", "x1 x2 ; axes": "tensordot",
    "x indices ; axis": "take take_along_axis", "x ; k": "diag diagflat tril triu", "x ; k sorted": "top_k",
    "x ; offset axis1 axis2": "diagonal trace", "x ; axis1 axis2": "swapaxes", "x ; axes": "transpose",
    "x ; source destination": "moveaxis", "x ; shift axis": "roll", "x ; repeats axis": "repeat", "x ; repeats": "tile",
    "x ; newshape": "reshape", "x ; shape": "broadcast_to", "x ; x_min x_max": "clip", "x ; decimals": "round",
    "x ; nan posinf neginf": "nan_to_num", "x ; num axis": "unstack", "x ; axis order epsilon": "normalize",
    "x ; num_classes axis dtype sparse": "one_hot", "x ; alpha": "celu elu", "x ; b": "squareplus",
    "x ; threshold": "hard_shrink soft_shrink", "x ; threshold default_value": "threshold",
    "x ; indices_or_sections": "dsplit hsplit vsplit", "x ; block_size data_format": "depth_to_space space_to_depth",
    "x ; kernel_size dilation padding stride": "unfold", "x ; output_size kernel_size dilation padding stride": "fold",
    "inputs ; output_size data_format": "adaptive_average_pool adaptive_max_pool", "x ; approximate": "gelu",
    "x ; negative_slope": "leaky_relu", "x ; negative_slope max_value threshold": "re_lu",
    "condition x1 x2": "where", "x q ; axis method keepdims": "nanpercentile nanquantile percentile quantile", "x bins": "digitize", "a b": "solve",
    "inputs kernel ; strides padding data_format dilation_rate": "conv depthwise_conv",
    "inputs kernel ; strides padding output_padding data_format dilation_rate": "conv_transpose",
    "inputs ; pool_size strides padding data_format": "average_pool max_pool",
    "inputs start_indices ; shape": "slice", "inputs start_indices updates": "slice_update",
    "inputs indices updates": "scatter_update", "indices values ; shape": "scatter",
    "sorted_sequence values ; side": "search_sorted", "targets predictions ; k": "in_top_k",
    "target output ; from_logits": "binary_crossentropy",
    "target output ; from_logits axis": "categorical_crossentropy sparse_categorical_crossentropy",
    "data segment_ids ; num_segments sorted": "segment_max segment_min segment_prod segment_sum",
}
_TAKEN = {name: tuple(part.split() for part in (what + " ; ").split(";")[:2]) for what, names in _TAKE.items()
          for name in names.split()}
_DEFAULTS = {"axis": None, "keepdims": False}  # of the reductions
_SAME = {"abs": "absolute", "swish": "silu", "hard_swish": "hard_silu", "searchsorted": "search_sorted"}
_MODULES = {
    "core": "cast convert_to_tensor saturate_cast scatter scatter_update slice slice_update stop_gradient unstack",
    "math": "erf erfc erfinv in_top_k logdet logsumexp rsqrt segment_max segment_min segment_prod segment_sum top_k",
    "linalg": "cholesky det inv norm solve",
    "nn": "average_pool binary_crossentropy categorical_crossentropy conv elu gelu hard_sigmoid hard_silu hard_tanh leaky_relu "
          "log_sigmoid log_softmax max_pool moments normalize one_hot relu relu6 selu sigmoid silu softmax softplus softsign "
          "sparse_categorical_crossentropy tanh_shrink adaptive_average_pool adaptive_max_pool celu conv_transpose depth_to_space "
          "depthwise_conv fold glu hard_shrink soft_shrink space_to_depth sparse_plus sparse_sigmoid sparsemax squareplus "
          "threshold unfold"}
_MODULE_OF = {name: f"keras.src.ops.{module}" for module, names in _MODULES.items() for name in names.split()}
_MODULE_OF["re_lu"] = "keras.src.activations.activations"


def _kind(name):
    return "ReLU" if name == "re_lu" else "".join(part.capitalize() for part in name.split("_"))


def in_order(name, args, kwargs):
    """(args, kwargs) of a function of `keras.ops`, those that Keras's names give as places."""
    names = sum(_TAKEN.get(_SAME.get(name, name), ([], [])), [])
    args, kwargs = list(args), dict(kwargs)
    while len(args) < len(names) and names[len(args)] in kwargs:
        args.append(kwargs.pop(names[len(args)]))
    return args, kwargs


def apply_op(function, *args, name=None, **kwargs):
    """A function of tensors, on symbolic ones too."""
    if not has_symbols((args, kwargs)):
        return function(*args, **kwargs)
    name = _SAME.get(name, name) or getattr(function, "__name__", "operation")
    tensors, own = _TAKEN.get(name, ([], []))
    given = dict(zip([*tensors, *own], args), **kwargs)
    settings = {key: given[key] for key in own if key in given}
    if len(args) > len(tensors) + len(own) or len(settings) + len(tensors) != len(given) or has_symbols(settings):
        return OperationLayer(function, name=auto_name(name))(*args, **kwargs)
    return _CLASSES[_kind(name)](**settings)(*[given[key] for key in tensors])


class OperationLayer(Layer):
    """A function of tensors as a layer."""

    _tells_lost_masks = False

    def __init__(self, function, name=None):
        super().__init__(name=name)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "built", True)

    def call(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def _cast_input(self, one):
        return one.value() if isinstance(one, Variable) else one


class _Operation(OperationLayer):
    """A function of `keras.ops` as a layer that files can hold, with what was given besides tensors."""

    def __init__(self, name=None, **settings):
        from . import activations, ops
        super().__init__(activations.relu if self._op == "re_lu" else getattr(ops, self._op.replace("search_s", "searchs")),
                         name or auto_name(to_snake_case(type(self).__name__)))
        self.__dict__["_settings"] = {key: settings.get(key, _DEFAULTS.get(key)) for key in _TAKEN[self._op][1]
                                      if key in settings or key in _DEFAULTS and "keepdims" in _TAKEN[self._op][1]}

    def call(self, *args):
        return self.function(*args, **self._settings)

    def get_config(self):
        from . import saving
        return {"name": self.name, **nest.map_structure(
            lambda one: saving.serialize_keras_object(getattr(one, "name", one)), self._settings)}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


_CLASSES = {_kind(name): type(_kind(name), (_Operation,), {
    "_op": name, "_keras_module": _MODULE_OF.get(name, "keras.src.ops.numpy"), "__module__": __name__}) for name in _TAKEN}


def of_file(module, name):
    """The class of an operation of a file, None for what is none."""
    return _CLASSES.get(name) if str(module).startswith(("keras.src.ops", "keras.src.activations")) else None


def is_operation(name):
    """Whether a name is one of a function of `keras.ops` that computes tensors from tensors alone."""
    return isinstance(name, str) and _SAME.get(name, name) in _TAKEN and name != "re_lu"
