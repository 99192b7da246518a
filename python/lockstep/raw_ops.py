"""Ops by the names that they have in graphs: `tf.raw_ops`. All arguments are named, as in TensorFlow."""

import re as _re

_PLACES = ("", "math", "nn", "linalg", "strings", "io", "random", "image", "bitwise", "ops_array")
_OTHER = {"AddV2": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide", "Neg": "negative", "Pack": "stack",
          "ConcatV2": "concat", "Select": "where", "SelectV2": "where", "Sum": "reduce_sum", "Mean": "reduce_mean",
          "Max": "reduce_max", "Min": "reduce_min", "Prod": "reduce_prod", "All": "reduce_all", "Any": "reduce_any",
          "GatherV2": "gather", "ArgMax": "argmax", "ArgMin": "argmin", "Fill": "fill", "BatchMatMulV2": "matmul"}
_NAMES = {"reduce_": {"input": "input_tensor", "reduction_indices": "axis", "keep_dims": "keepdims"},
          "argm": {"dimension": "axis"}, "cast": {"DstT": "dtype"}}


def __getattr__(name):
    """The public function of an op. Raises: AttributeError, with what to write instead, where there is none."""
    if name.startswith("__"):
        raise AttributeError(name)
    import lockstep
    words = _OTHER.get(name) or _re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", _re.sub(r"V[2-9]$", "", name)).lower()
    for plain in (words, words.replace("_", "")):
        for place in _PLACES:
            found = getattr(getattr(lockstep, place) if place else lockstep, plain, None)
            if callable(found) and not isinstance(found, type):
                return _named(name, plain, found)
    raise AttributeError(f"tf.raw_ops.{name} is not built; write it with the public ops (`tf.math`, `tf.nn`, ...), "
                         "or compute it in NumPy by `tf.numpy_function`")


def _named(name, plain, function):
    others = next((names for start, names in _NAMES.items() if plain.startswith(start)), {})

    def call(*args, **kwargs):
        if args:
            raise TypeError(f"{name} only takes keyword args (possible keys: those of tf.{plain}). Please pass these args "
                            "as kwargs instead.")
        return function(**{others.get(key, key): value for key, value in kwargs.items() if key != "T"})
    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call
