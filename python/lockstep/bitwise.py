"""Operations on the bits of integers: `tf.bitwise`, by NumPy. Eager; inside of a traced function by
`tf.numpy_function`."""

from ._tensor import convert_to_tensor


def _by_numpy(name, text):
    def function(*args, **kwargs):
        import numpy
        first = convert_to_tensor(args[0])
        rest = [convert_to_tensor(one, dtype=None if hasattr(one, "dtype") else first.dtype) for one in args[1:]]
        return convert_to_tensor(getattr(numpy, name)(first.numpy(), *[one.numpy() for one in rest]))
    function.__name__ = name
    function.__doc__ = text
    return function


bitwise_and = _by_numpy("bitwise_and", "x & y.")
bitwise_or = _by_numpy("bitwise_or", "x | y.")
bitwise_xor = _by_numpy("bitwise_xor", "x ^ y.")
left_shift = _by_numpy("left_shift", "x << y.")
right_shift = _by_numpy("right_shift", "x >> y.")
invert = _by_numpy("invert", "~x.")
