"""InceptionResNetV2 (Szegedy et al., 2016): rows of convolutions side by side, a share of whose result is added to their input.

A row is a list of (filters, height, width), with "/2" behind sizes that halve the image, or "avg" or "max" for a pooling layer."""

from .. import layers
from .._layer import Layer
from ._assembly import assemble, chain, classifier
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")
_BLOCKS = {"block35": ([(32, 1, 1)], [(32, 1, 1), (32, 3, 3)], [(32, 1, 1), (48, 3, 3), (64, 3, 3)]),
           "block17": ([(192, 1, 1)], [(128, 1, 1), (160, 1, 7), (192, 7, 1)]),
           "block8": ([(192, 1, 1)], [(192, 1, 1), (224, 1, 3), (256, 3, 1)])}


class CustomScaleLayer(Layer):
    """inputs[0] + scale * inputs[1]."""

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs):
        return inputs[0] + inputs[1] * self.scale

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}


def _conv(x, filters, height, width, strides=1, padding="same", name=None):
    return chain(x, layers.Conv2D(filters, (height, width), strides=strides, padding=padding, use_bias=False, name=name),
                 layers.BatchNormalization(scale=False, name=name and f"{name}_bn"),
                 layers.Activation("relu", name=name and f"{name}_ac"))


def _row(x, parts):
    for one in parts:
        if one == "avg":
            x = layers.AveragePooling2D(3, strides=1, padding="same")(x)
        elif one == "max":
            x = layers.MaxPooling2D(3, strides=2, padding="valid")(x)
        else:
            halves = one[-1] == "/2"
            x = _conv(x, *one[:3], 2 if halves else 1, "valid" if halves else "same")
    return x


def _beside(x, name, *rows):
    return layers.Concatenate(axis=3, name=name)([_row(x, one) for one in rows])


def _residual(x, scale, kind, number, activation="relu"):
    name = f"{kind}_{number}"
    mixed = _beside(x, f"{name}_mixed", *_BLOCKS[kind])
    made = layers.Conv2D(x.shape[3], 1, padding="same", name=f"{name}_conv")(mixed)
    x = CustomScaleLayer(scale)([x, made])
    return x if activation is None else layers.Activation(activation, name=f"{name}_ac")(x)


def _body(x):
    x = _conv(_conv(_conv(x, 32, 3, 3, 2, "valid"), 32, 3, 3, padding="valid"), 64, 3, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = layers.MaxPooling2D(3, strides=2)(_conv(_conv(x, 80, 1, 1, padding="valid"), 192, 3, 3, padding="valid"))
    x = _beside(x, "mixed_5b", [(96, 1, 1)], [(48, 1, 1), (64, 5, 5)], [(64, 1, 1), (96, 3, 3), (96, 3, 3)], ["avg", (64, 1, 1)])
    for number in range(1, 11):
        x = _residual(x, 0.17, "block35", number)
    x = _beside(x, "mixed_6a", [(384, 3, 3, "/2")], [(256, 1, 1), (256, 3, 3), (384, 3, 3, "/2")], ["max"])
    for number in range(1, 21):
        x = _residual(x, 0.1, "block17", number)
    x = _beside(x, "mixed_7a", [(256, 1, 1), (384, 3, 3, "/2")], [(256, 1, 1), (288, 3, 3, "/2")],
                [(256, 1, 1), (288, 3, 3), (320, 3, 3, "/2")], ["max"])
    for number in range(1, 10):
        x = _residual(x, 0.2, "block8", number)
    return _conv(_residual(x, 1.0, "block8", 10, None), 1536, 1, 1, name="conv_7b")


def InceptionResNetV2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                      classifier_activation="softmax", name="inception_resnet_v2"):
    """InceptionResNetV2, for images of 299 pixels, at least 75.

    Raises: ValueError for shapes and files that do not fit; NotImplementedError for weights that would be downloaded."""
    return assemble(_body, classifier(classes, classifier_activation), name, include_top, weights, input_tensor, input_shape,
                    pooling, classes, classifier_activation, 299, 75)


__all__ = ["InceptionResNetV2", "decode_predictions", "preprocess_input"]
