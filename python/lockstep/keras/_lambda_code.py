"""Python functions as byte code, as Keras's files hold lambdas. Loading runs code of the file: only without safe mode."""

import base64
import builtins
import marshal
import types


def dumped(function):
    """[byte code as text, defaults, values of the closure] of a function."""
    cells = function.__closure__
    return [base64.encodebytes(marshal.dumps(function.__code__)).decode("ascii"), function.__defaults__,
            None if not cells else [one.cell_contents for one in cells]]


def loaded(dump):
    """The function of `dumped`. It sees the built-in functions alone, no module. Raises: ValueError for damaged byte code."""
    try:
        text, defaults, closure = dump
        code = marshal.loads(base64.decodebytes(text.encode("ascii")))
        if not isinstance(code, types.CodeType):
            raise TypeError(f"got {type(code).__name__}")
        return types.FunctionType(code, {"__builtins__": builtins}, code.co_name, None if defaults is None else tuple(defaults),
                                  None if closure is None else tuple(types.CellType(one) for one in closure))
    except (ValueError, TypeError, EOFError, AttributeError) as error:
        raise ValueError("[load] the byte code of a lambda is damaged, or of another version of Python than this one; "
                         f"{type(error).__name__}: {error}") from None
