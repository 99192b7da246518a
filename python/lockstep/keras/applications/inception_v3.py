"""InceptionV3 (Szegedy et al., 2015): blocks of several rows of convolutions side by side.

A row is a list of (filters, height, width), "avg" or "max" for a pooling layer; "/2" behind sizes halves the image."""

from .. import layers
from ._assembly import assemble, chain, classifier
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")


def _conv(x, filters, height, width, strides=1, padding="same"):
    return chain(x, layers.Conv2D(filters, (height, width), strides=strides, padding=padding, use_bias=False),
                 layers.BatchNormalization(scale=False), layers.Activation("relu"))


def _row(x, parts):
    for one in parts:
        if one == "avg":
            x = layers.AveragePooling2D(3, strides=1, padding="same")(x)
        elif one == "max":
            x = layers.MaxPooling2D(3, strides=2)(x)
        else:
            halves = one[-1] == "/2"
            x = _conv(x, *one[:3], 2 if halves else 1, "valid" if halves else "same")
    return x


def _beside(x, name, *rows):
    return layers.concatenate([_row(x, one) for one in rows], axis=3, name=name)


def _forked(x, before, name):
    """The results of a 1 x 3 and a 3 x 1 convolution behind the row `before`."""
    x = _row(x, before)
    return layers.concatenate([_conv(x, 384, 1, 3), _conv(x, 384, 3, 1)], axis=3, name=name)


def _wide(x, name, narrow):
    """A block with convolutions of 7 x 1 and 1 x 7."""
    n = narrow
    return _beside(x, name, [(192, 1, 1)], [(n, 1, 1), (n, 1, 7), (192, 7, 1)],
                   [(n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)], ["avg", (192, 1, 1)])


def _body(x):
    x = _conv(_conv(_conv(x, 32, 3, 3, 2, "valid"), 32, 3, 3, padding="valid"), 64, 3, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = layers.MaxPooling2D(3, strides=2)(_conv(_conv(x, 80, 1, 1, padding="valid"), 192, 3, 3, padding="valid"))
    for number, pooled in enumerate((32, 64, 64)):
        x = _beside(x, f"mixed{number}", [(64, 1, 1)], [(48, 1, 1), (64, 5, 5)], [(64, 1, 1), (96, 3, 3), (96, 3, 3)],
                    ["avg", (pooled, 1, 1)])
    x = _beside(x, "mixed3", [(384, 3, 3, "/2")], [(64, 1, 1), (96, 3, 3), (96, 3, 3, "/2")], ["max"])
    for number, narrow in enumerate((128, 160, 160, 192), 4):
        x = _wide(x, f"mixed{number}", narrow)
    x = _beside(x, "mixed8", [(192, 1, 1), (320, 3, 3, "/2")], [(192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, "/2")], ["max"])
    for number in range(2):
        rows = [_row(x, [(320, 1, 1)]), _forked(x, [(384, 1, 1)], f"mixed9_{number}"),
                _forked(x, [(448, 1, 1), (384, 3, 3)], None), _row(x, ["avg", (192, 1, 1)])]
        x = layers.concatenate(rows, axis=3, name=f"mixed{9 + number}")
    return x


def InceptionV3(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="inception_v3"):
    """InceptionV3, for images of 299 pixels, at least 75.

    Raises: ValueError for shapes and files that do not fit; NotImplementedError for weights that would be downloaded."""
    return assemble(_body, classifier(classes, classifier_activation), name, include_top, weights, input_tensor, input_shape,
                    pooling, classes, classifier_activation, 299, 75)


__all__ = ["InceptionV3", "decode_predictions", "preprocess_input"]
