"""Older styles."""

from . import v1


def as_bytes(value, encoding="utf-8"):
    return value.encode(encoding) if isinstance(value, str) else bytes(value)


def as_text(value, encoding="utf-8"):
    return value.decode(encoding) if isinstance(value, bytes) else str(value)


as_str = as_text
__all__ = ["v1", "as_bytes", "as_text", "as_str"]
