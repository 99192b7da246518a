"""VGG (Simonyan and Zisserman, 2014): rows of 3 x 3 convolutions between halvings of the image, and three dense layers."""

from .. import layers
from ._assembly import assemble, given
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("caffe")


def body_of(repeats):
    """Five blocks of so many convolutions each."""
    def body(x):
        for block, (count, filters) in enumerate(zip(repeats, (64, 128, 256, 512, 512)), 1):
            for number in range(1, count + 1):
                x = layers.Conv2D(filters, 3, activation="relu", padding="same", name=f"block{block}_conv{number}")(x)
            x = layers.MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)
        return x
    return body


def model_of(repeats, public_name):
    """The constructor of a VGG with blocks of so many convolutions."""
    def model(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", name=public_name.lower()):
        def head(x):
            x = layers.Flatten(name="flatten")(x)
            for number in (1, 2):
                x = layers.Dense(4096, activation="relu", name=f"fc{number}")(x)
            return layers.Dense(classes, activation=classifier_activation, name="predictions")(x)
        return assemble(body_of(repeats), head, name, include_top, weights, input_tensor, input_shape, pooling, classes,
                        classifier_activation)
    model.__doc__ = f"{public_name}: 3 x 3 convolutions in five blocks of {', '.join(map(str, repeats))}."
    return given(model, public_name)


VGG16 = model_of((2, 2, 3, 3, 3), "VGG16")
__all__ = ["VGG16", "decode_predictions", "preprocess_input"]
