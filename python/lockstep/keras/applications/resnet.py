"""ResNet (He et al., 2015 and 2016): blocks whose result is added to their input. Version 1 normalizes behind each convolution,
version 2 in front of it."""

from .. import layers
from ._assembly import assemble, chain, classifier, given
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("caffe")


def _norm(name):
    return layers.BatchNormalization(epsilon=1.001e-5, name=name)


def _relu(name):
    return layers.Activation("relu", name=name)


def _first(x, filters, strides, has_shortcut, name):
    """A block of version 1."""
    short = chain(x, layers.Conv2D(4 * filters, 1, strides=strides, name=f"{name}_0_conv"), _norm(f"{name}_0_bn")) \
        if has_shortcut else x
    x = chain(x, layers.Conv2D(filters, 1, strides=strides, name=f"{name}_1_conv"), _norm(f"{name}_1_bn"), _relu(f"{name}_1_relu"),
              layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv"), _norm(f"{name}_2_bn"), _relu(f"{name}_2_relu"),
              layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv"), _norm(f"{name}_3_bn"))
    return _relu(f"{name}_out")(layers.Add(name=f"{name}_add")([short, x]))


def _second(x, filters, strides, has_shortcut, name):
    """A block of version 2."""
    before = chain(x, _norm(f"{name}_preact_bn"), _relu(f"{name}_preact_relu"))
    if has_shortcut:
        short = layers.Conv2D(4 * filters, 1, strides=strides, name=f"{name}_0_conv")(before)
    else:
        short = layers.MaxPooling2D(1, strides=strides)(x) if strides > 1 else x
    x = chain(before, layers.Conv2D(filters, 1, use_bias=False, name=f"{name}_1_conv"), _norm(f"{name}_1_bn"),
              _relu(f"{name}_1_relu"), layers.ZeroPadding2D(1, name=f"{name}_2_pad"),
              layers.Conv2D(filters, 3, strides=strides, use_bias=False, name=f"{name}_2_conv"), _norm(f"{name}_2_bn"),
              _relu(f"{name}_2_relu"), layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv"))
    return layers.Add(name=f"{name}_out")([short, x])


def _body(counts, second):
    def body(x):
        x = chain(x, layers.ZeroPadding2D(3, name="conv1_pad"), layers.Conv2D(64, 7, strides=2, name="conv1_conv"))
        x = x if second else chain(x, _norm("conv1_bn"), _relu("conv1_relu"))
        x = chain(x, layers.ZeroPadding2D(1, name="pool1_pad"), layers.MaxPooling2D(3, strides=2, name="pool1_pool"))
        for stage, (filters, count) in enumerate(zip((64, 128, 256, 512), counts), 2):
            for number in range(1, count + 1):
                halves = number == count and stage < 5 if second else number == 1 and stage > 2
                x = (_second if second else _first)(x, filters, 2 if halves else 1, number == 1, f"conv{stage}_block{number}")
        return chain(x, _norm("post_bn"), _relu("post_relu")) if second else x
    return body


def model_of(counts, public_name, second=False):
    """The constructor of a ResNet with stages of so many blocks."""
    def model(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", name=public_name.lower()):
        return assemble(_body(counts, second), classifier(classes, classifier_activation), name, include_top, weights, input_tensor,
                        input_shape, pooling, classes, classifier_activation, pool_names=("avg_pool", "max_pool"))
    model.__doc__ = f"{public_name}: stages of {', '.join(map(str, counts))} blocks."
    return given(model, public_name)


ResNet50 = model_of((3, 4, 6, 3), "ResNet50")
ResNet101 = model_of((3, 4, 23, 3), "ResNet101")
ResNet152 = model_of((3, 8, 36, 3), "ResNet152")
__all__ = ["ResNet101", "ResNet152", "ResNet50", "decode_predictions", "preprocess_input"]
