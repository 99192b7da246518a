"""Xception (Chollet, 2016): separable convolutions in blocks whose result is added to their input."""

from .. import layers
from ._assembly import assemble, chain, classifier
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")
_ENTRY = ((2, (128, 128)), (3, (256, 256)), (4, (728, 728)))  # block, filters of its convolutions
_MIDDLE = tuple((number, (728, 728, 728)) for number in range(5, 13))
_EXIT = ((13, (728, 1024)),)


def _relu(name):
    return layers.Activation("relu", name=name)


def _separable(filters, name):
    return (layers.SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name), layers.BatchNormalization(name=f"{name}_bn"))


def _block(x, number, filters):
    halves, short = number not in range(5, 13), x
    if halves:
        short = chain(x, layers.Conv2D(filters[-1], 1, strides=2, padding="same", use_bias=False), layers.BatchNormalization())
    for place, one in enumerate(filters, 1):
        name = f"block{number}_sepconv{place}"
        x = x if (number, place) == (2, 1) else _relu(f"{name}_act")(x)
        x = chain(x, *_separable(one, name))
    x = layers.MaxPooling2D(3, strides=2, padding="same", name=f"block{number}_pool")(x) if halves else x
    return layers.add([x, short])


def _body(x):
    for number, (filters, strides) in enumerate(((32, 2), (64, 1)), 1):
        name = f"block1_conv{number}"
        x = chain(x, layers.Conv2D(filters, 3, strides=strides, use_bias=False, name=name),
                  layers.BatchNormalization(name=f"{name}_bn"), _relu(f"{name}_act"))
    for number, filters in _ENTRY + _MIDDLE + _EXIT:
        x = _block(x, number, filters)
    for place, filters in enumerate((1536, 2048), 1):
        x = chain(x, *_separable(filters, f"block14_sepconv{place}"), _relu(f"block14_sepconv{place}_act"))
    return x


def Xception(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
             classifier_activation="softmax", name="xception"):
    """Xception, for images of 299 pixels, at least 71.

    Raises: ValueError for shapes and files that do not fit; NotImplementedError for weights that would be downloaded."""
    return assemble(_body, classifier(classes, classifier_activation), name, include_top, weights, input_tensor, input_shape,
                    pooling, classes, classifier_activation, 299, 71)


__all__ = ["Xception", "decode_predictions", "preprocess_input"]
