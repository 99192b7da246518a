"""Data sets from local files: `keras.datasets`."""

from . import fashion_mnist, mnist  # noqa: F401
