"""Limits of what the Python side builds before a kernel sees it."""

from . import _native, errors


def require(count, each, where):
    """Checks that `count` elements of `each` bytes fit into the memory that this process can have. Called before work that
    takes as long as its result is large.

    Raises: ResourceExhaustedError."""
    needed, most = int(count) * int(each), _native.most_memory()
    if needed > most:
        raise errors.ResourceExhaustedError(
            None, None, f"[{where}] memory for {needed} bytes is needed; got at most {most} bytes that this process can have; "
            "use smaller tensors")
