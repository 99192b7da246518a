"""Fashion MNIST: `keras.datasets.fashion_mnist`."""

from .mnist import _load


def load_data(path="fashion-mnist"):
    """As `mnist.load_data`."""
    return _load(path, "fashion_mnist")
