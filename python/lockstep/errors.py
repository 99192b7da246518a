"""Exceptions with TensorFlow's names and codes.

Some are kinds of Python's own exceptions, too, as TensorFlow raises those for the same mistakes:
InvalidArgumentError is a ValueError, FailedPreconditionError a RuntimeError, UnimplementedError a
NotImplementedError."""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""

    _code = UNKNOWN

    def __init__(self, node_def=None, op=None, message=None, error_code=None, *args):
        if message is None and isinstance(node_def, str):
            node_def, message = None, node_def
        if isinstance(error_code, dict):  # of the classes below, which take the payloads behind the message
            error_code, args = None, (error_code,)
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message
        self.error_code = self._code if error_code is None else error_code
        self.experimental_payloads = args[0] if args else {}

    def __str__(self):
        return str(self.message)

    def __reduce__(self):
        return type(self), (self.node_def, self.op, self.message)


class CancelledError(OpError):
    _code = CANCELLED


class UnknownError(OpError):
    _code = UNKNOWN


class InvalidArgumentError(OpError, ValueError):
    _code = INVALID_ARGUMENT


class DeadlineExceededError(OpError, TimeoutError):
    _code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    _code = NOT_FOUND


class AlreadyExistsError(OpError):
    _code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    _code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    _code = UNAUTHENTICATED


class ResourceExhaustedError(OpError, MemoryError):
    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError, RuntimeError):
    _code = FAILED_PRECONDITION


class AbortedError(OpError):
    _code = ABORTED


class OutOfRangeError(OpError):
    _code = OUT_OF_RANGE


class UnimplementedError(OpError, NotImplementedError):
    _code = UNIMPLEMENTED


class InternalError(OpError):
    _code = INTERNAL


class UnavailableError(OpError, ConnectionError):
    _code = UNAVAILABLE


class DataLossError(OpError):
    _code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""


class InaccessibleTensorError(ValueError):
    """A tensor of a function was used outside of it."""


_BY_CODE = {c._code: c for c in list(globals().values())
            if isinstance(c, type) and issubclass(c, OpError) and c is not OpError}


class _TakenInGraphError(FailedPreconditionError):
    """The next element of a worker's dataset is asked for in a branch or loop of a graph. Elements come with a
    function's call, one for each `next` that its trace has met, and a graph's loop has no place for them."""


_OF_PYTHON = {ValueError: InvalidArgumentError, TypeError: InvalidArgumentError, NotImplementedError: UnimplementedError,
              MemoryError: ResourceExhaustedError, StopIteration: OutOfRangeError}


def of_python(error):
    """What Python code of a graph's op has raised as an op's error, which is of the raised class, too."""
    if isinstance(error, OpError):
        return error
    base = next((ours for theirs, ours in _OF_PYTHON.items() if isinstance(error, theirs)), UnknownError)
    text = f"{type(error).__name__}: {error}"
    try:
        kind = base if issubclass(base, type(error)) else type(
            base.__name__, (base, type(error)), {"__module__": base.__module__})
        return kind(None, None, text)
    except TypeError:  # classes of which no one class can be, or another constructor
        return base(None, None, text)


class DamagedFileError(DataLossError, ValueError):
    """A file does not hold what its format says, or holds more than a reader accepts. TensorFlow's readers of records and
    checkpoints raise DataLossError for it, Keras's readers of models ValueError; this class is both."""


def exception_type_from_error_code(error_code):
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls):
    return cls._code


def make(code, text):
    """The exception of a code."""
    return _BY_CODE.get(code, UnknownError)(None, None, text)
