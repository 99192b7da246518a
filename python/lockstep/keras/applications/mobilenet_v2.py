"""MobileNetV2 (Sandler et al., 2018): blocks that widen the channels, convolve each by itself, and narrow them again."""

from .. import layers
from ._assembly import assemble, chain, classifier, divisible, listed_size, padding_for
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")
_STAGES = ((16, 1, 1, 1), (24, 2, 2, 6), (32, 3, 2, 6), (64, 4, 2, 6), (96, 3, 1, 6), (160, 3, 2, 6),
           (320, 1, 1, 6))  # filters, blocks, strides of the first one, expansion


def _norm(name):
    return layers.BatchNormalization(epsilon=1e-3, momentum=0.999, name=name)


def _block(inputs, filters, strides, expansion, number):
    prefix, channels, x = f"block_{number}_" if number else "expanded_conv_", inputs.shape[-1], inputs
    if number:
        x = chain(x, layers.Conv2D(expansion * channels, 1, padding="same", use_bias=False, name=f"{prefix}expand"),
                  _norm(f"{prefix}expand_BN"), layers.ReLU(6.0, name=f"{prefix}expand_relu"))
    if strides == 2:
        x = layers.ZeroPadding2D(padding_for(x, 3), name=f"{prefix}pad")(x)
    x = chain(x, layers.DepthwiseConv2D(3, strides=strides, use_bias=False, padding="same" if strides == 1 else "valid",
                                        name=f"{prefix}depthwise"),
              _norm(f"{prefix}depthwise_BN"), layers.ReLU(6.0, name=f"{prefix}depthwise_relu"),
              layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project"), _norm(f"{prefix}project_BN"))
    return layers.Add(name=f"{prefix}add")([inputs, x]) if channels == filters and strides == 1 else x


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000,
                classifier_activation="softmax", name=None):
    """MobileNetV2 with `alpha` times as many filters.

    Raises: ValueError for shapes and files that do not fit; NotImplementedError for weights that would be downloaded."""
    def body(x):
        x = chain(x, layers.Conv2D(divisible(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1"),
                  _norm("bn_Conv1"), layers.ReLU(6.0, name="Conv1_relu"))
        number = 0
        for filters, count, strides, expansion in _STAGES:
            for place in range(count):
                x = _block(x, divisible(int(filters * alpha)), 1 if place else strides, expansion, number)
                number += 1
        last = divisible(1280 * alpha) if alpha > 1.0 else 1280
        return chain(x, layers.Conv2D(last, 1, use_bias=False, name="Conv_1"), _norm("Conv_1_bn"),
                     layers.ReLU(6.0, name="out_relu"))
    if input_shape is not None and input_tensor is not None and input_tensor.shape[2] != input_shape[1]:
        raise ValueError(f"input_tensor.shape[2] must equal input_shape[1]; Received `input_tensor.shape={input_tensor.shape}`, "
                         f"`input_shape={input_shape}`")
    return assemble(body, classifier(classes, classifier_activation, None),
                    name or (lambda shape: f"mobilenetv2_{alpha:0.2f}_{shape[0]}"), include_top, weights, input_tensor, input_shape,
                    pooling, classes, classifier_activation, listed_size(input_shape, input_tensor, (96, 128, 160, 192, 224)))


__all__ = ["MobileNetV2", "decode_predictions", "preprocess_input"]
