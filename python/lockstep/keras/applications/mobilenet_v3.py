"""MobileNetV3 (Howard et al., 2019): MobileNetV2's blocks with gates for channels, and found by search."""

from .. import layers
from ._assembly import assemble, chain, divisible, given, padding_for
from .imagenet_utils import decode_predictions, unchanged as preprocess_input

# expansion, filters, large kernel, strides, gate, hard_swish
_SMALL = ((1, 16, 0, 2, 1, 0), (72 / 16, 24, 0, 2, 0, 0), (88 / 24, 24, 0, 1, 0, 0), (4, 40, 1, 2, 1, 1), (6, 40, 1, 1, 1, 1),
          (6, 40, 1, 1, 1, 1), (3, 48, 1, 1, 1, 1), (3, 48, 1, 1, 1, 1), (6, 96, 1, 2, 1, 1), (6, 96, 1, 1, 1, 1),
          (6, 96, 1, 1, 1, 1))
_LARGE = ((1, 16, 0, 1, 0, 0), (4, 24, 0, 2, 0, 0), (3, 24, 0, 1, 0, 0), (3, 40, 1, 2, 1, 0), (3, 40, 1, 1, 1, 0), (3, 40, 1, 1, 1, 0),
          (6, 80, 0, 2, 0, 1), (2.5, 80, 0, 1, 0, 1), (2.3, 80, 0, 1, 0, 1), (2.3, 80, 0, 1, 0, 1), (6, 112, 0, 1, 1, 1),
          (6, 112, 0, 1, 1, 1), (6, 160, 1, 2, 1, 1), (6, 160, 1, 1, 1, 1), (6, 160, 1, 1, 1, 1))


def _norm(name):
    return layers.BatchNormalization(epsilon=1e-3, momentum=0.999, name=name)


def _relu():
    return layers.ReLU()


def _hard_swish():
    return layers.Activation("hard_swish")


def _gated(inputs, filters, prefix):
    x = chain(inputs, layers.GlobalAveragePooling2D(keepdims=True, name=f"{prefix}squeeze_excite_avg_pool"),
              layers.Conv2D(divisible(filters * 0.25), 1, padding="same", name=f"{prefix}squeeze_excite_conv"),
              layers.ReLU(name=f"{prefix}squeeze_excite_relu"),
              layers.Conv2D(filters, 1, padding="same", name=f"{prefix}squeeze_excite_conv_1"))
    gate = layers.ReLU(6.0)(x + 3.0) * (1.0 / 6.0)
    return layers.Multiply(name=f"{prefix}squeeze_excite_mul")([inputs, gate])


def _block(inputs, expansion, filters, kernel, strides, gated, activation, number):
    prefix, channels, x = f"expanded_conv_{number}_" if number else "expanded_conv_", inputs.shape[-1], inputs
    wide = divisible(channels * expansion)
    if number:
        x = chain(x, layers.Conv2D(wide, 1, padding="same", use_bias=False, name=f"{prefix}expand"), _norm(f"{prefix}expand_bn"),
                  activation())
    if strides == 2:
        x = layers.ZeroPadding2D(padding_for(x, kernel), name=f"{prefix}depthwise_pad")(x)
    x = chain(x, layers.DepthwiseConv2D(kernel, strides=strides, padding="same" if strides == 1 else "valid", use_bias=False,
                                        name=f"{prefix}depthwise"), _norm(f"{prefix}depthwise_bn"), activation())
    x = _gated(x, wide, prefix) if gated else x
    x = chain(x, layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project"), _norm(f"{prefix}project_bn"))
    return layers.Add(name=f"{prefix}add")([inputs, x]) if strides == 1 and channels == filters else x


def _body(blocks, alpha, minimalistic, include_preprocessing):
    last = _relu if minimalistic else _hard_swish

    def body(x):
        x = layers.Rescaling(1.0 / 127.5, -1.0)(x) if include_preprocessing else x
        x = chain(x, layers.Conv2D(16, 3, strides=2, padding="same", use_bias=False, name="conv"), _norm("conv_bn"), last())
        for number, (expansion, filters, large, strides, gated, swish) in enumerate(blocks):
            x = _block(x, expansion, divisible(filters * alpha), 5 if large and not minimalistic else 3, strides,
                       gated and not minimalistic, last if swish else _relu, number)
        return chain(x, layers.Conv2D(divisible(x.shape[-1] * 6), 1, padding="same", use_bias=False, name="conv_1"),
                     _norm("conv_1_bn"), last())
    return body


def _model(blocks, points, public_name):
    def model(input_shape=None, alpha=1.0, minimalistic=False, include_top=True, weights="imagenet", input_tensor=None, classes=1000,
              pooling=None, dropout_rate=0.2, classifier_activation="softmax", include_preprocessing=True, name=public_name):
        wide = divisible(points * alpha) if alpha > 1.0 else points

        def head(x):
            x = chain(x, layers.GlobalAveragePooling2D(keepdims=True), layers.Conv2D(wide, 1, padding="same", name="conv_2"),
                      (_relu if minimalistic else _hard_swish)())
            x = layers.Dropout(dropout_rate)(x) if dropout_rate > 0 else x
            return chain(x, layers.Conv2D(classes, 1, padding="same", name="logits"), layers.Flatten(),
                         layers.Activation(classifier_activation, name="predictions"))
        return assemble(_body(blocks, alpha, minimalistic, include_preprocessing), head, name, include_top, weights, input_tensor,
                        input_shape, pooling, classes, classifier_activation, pool_names=("avg_pool", "max_pool"),
                        require_flatten=False)
    model.__doc__ = f"{public_name} with `alpha` times as many filters; minimalistic: without gates and with small kernels."
    return given(model, public_name)


MobileNetV3Small = _model(_SMALL, 1024, "MobileNetV3Small")
MobileNetV3Large = _model(_LARGE, 1280, "MobileNetV3Large")
__all__ = ["decode_predictions", "preprocess_input"]
