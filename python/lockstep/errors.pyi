from typing import Any

ABORTED: Any
ALREADY_EXISTS: Any
class AbortedError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class AlreadyExistsError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
CANCELLED: Any
class CancelledError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
DATA_LOSS: Any
DEADLINE_EXCEEDED: Any
class DamagedFileError(DataLossError, ValueError):
    """A file does not hold what its format says, or holds more than a reader accepts. TensorFlow's readers of records and"""
    ...
class DataLossError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class DeadlineExceededError(OpError, TimeoutError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
FAILED_PRECONDITION: Any
class FailedPreconditionError(OpError, RuntimeError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
INTERNAL: Any
INVALID_ARGUMENT: Any
class InaccessibleTensorError(ValueError):
    """A tensor of a function was used outside of it."""
    ...
class InternalError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class InvalidArgumentError(OpError, ValueError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
NOT_FOUND: Any
class NotFoundError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
OK: Any
OUT_OF_RANGE: Any
class OpError(Exception):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    def __init__(self, node_def=None, op=None, message=None, error_code=None, *args) -> None: ...
class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""
    ...
class OutOfRangeError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
PERMISSION_DENIED: Any
class PermissionDeniedError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
RESOURCE_EXHAUSTED: Any
class ResourceExhaustedError(OpError, MemoryError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
UNAUTHENTICATED: Any
UNAVAILABLE: Any
UNIMPLEMENTED: Any
UNKNOWN: Any
class UnauthenticatedError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class UnavailableError(OpError, ConnectionError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class UnimplementedError(OpError, NotImplementedError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
class UnknownError(OpError):
    """An op or a run that failed: `message`, `error_code`, and the op and node where known."""
    ...
def error_code_from_exception_type(cls) -> Any: ...
def exception_type_from_error_code(error_code) -> Any: ...
def make(code, text) -> Any:
    """The exception of a code."""
    ...
def of_python(error) -> Any:
    """What Python code of a graph's op has raised as an op's error, which is of the raised class, too."""
    ...
