"""EfficientNet (Tan and Le, 2019): MobileNetV2's blocks with gates, of which width, depth and image size grow together."""

import math

from .. import layers
from ._assembly import assemble, chain, classifier, divisible, given, padding_for
from .imagenet_utils import decode_predictions, unchanged as preprocess_input

_STAGES = ((3, 1, 16, 1, 1), (3, 2, 24, 6, 2), (5, 2, 40, 6, 2), (3, 3, 80, 6, 2), (5, 3, 112, 6, 1), (5, 4, 192, 6, 2),
           (3, 1, 320, 6, 1))  # kernel, blocks, filters, expansion, strides of the first block
CONVOLUTION = {"class_name": "VarianceScaling", "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"}}
DENSE = {"class_name": "VarianceScaling", "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"}}


def _conv(filters, size, name, **options):
    return layers.Conv2D(filters, size, kernel_initializer=CONVOLUTION, name=name, **{"padding": "same", **options})


def _gated(x, filters, narrow, name):
    gate = chain(x, layers.GlobalAveragePooling2D(name=f"{name}se_squeeze"),
                 layers.Reshape((1, 1, filters), name=f"{name}se_reshape"),
                 _conv(narrow, 1, f"{name}se_reduce", activation="swish"),
                 _conv(filters, 1, f"{name}se_expand", activation="sigmoid"))
    return layers.multiply([x, gate], name=f"{name}se_excite")


def _block(inputs, kernel, filters, expansion, strides, drop, name):
    channels, x = inputs.shape[-1], inputs
    if expansion != 1:
        x = chain(x, _conv(channels * expansion, 1, f"{name}expand_conv", use_bias=False),
                  layers.BatchNormalization(name=f"{name}expand_bn"), layers.Activation("swish", name=f"{name}expand_activation"))
    if strides == 2:
        x = layers.ZeroPadding2D(padding_for(x, kernel), name=f"{name}dwconv_pad")(x)
    x = chain(x, layers.DepthwiseConv2D(kernel, strides=strides, padding="valid" if strides == 2 else "same", use_bias=False,
                                        depthwise_initializer=CONVOLUTION, name=f"{name}dwconv"),
              layers.BatchNormalization(name=f"{name}bn"), layers.Activation("swish", name=f"{name}activation"))
    x = _gated(x, channels * expansion, max(1, int(channels * 0.25)), name)
    x = chain(x, _conv(filters, 1, f"{name}project_conv", use_bias=False), layers.BatchNormalization(name=f"{name}project_bn"))
    if strides != 1 or channels != filters:
        return x
    x = layers.Dropout(drop, noise_shape=(None, 1, 1, 1), name=f"{name}drop")(x) if drop > 0 else x
    return layers.add([x, inputs], name=f"{name}add")


def _body(width, depth):
    counts = [math.ceil(depth * one[1]) for one in _STAGES]

    def body(x):
        x = chain(x, layers.Rescaling(1.0 / 255.0), layers.Normalization(axis=3))
        x = chain(x, layers.ZeroPadding2D(padding_for(x, 3), name="stem_conv_pad"),
                  _conv(int(divisible(32 * width)), 3, "stem_conv", strides=2, padding="valid", use_bias=False),
                  layers.BatchNormalization(name="stem_bn"), layers.Activation("swish", name="stem_activation"))
        done = 0
        for stage, (count, (kernel, _, filters, expansion, strides)) in enumerate(zip(counts, _STAGES), 1):
            for number in range(count):
                x = _block(x, kernel, int(divisible(filters * width)), expansion, 1 if number else strides,
                           0.2 * done / float(sum(counts)), f"block{stage}{chr(number + 97)}_")
                done += 1
        return chain(x, _conv(int(divisible(1280 * width)), 1, "top_conv", use_bias=False),
                     layers.BatchNormalization(name="top_bn"), layers.Activation("swish", name="top_activation"))
    return body


def _model(width, depth, size, dropout, public_name):
    def model(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", name=public_name.lower()):
        head = classifier(classes, classifier_activation, dropout=(dropout, "top_dropout"), kernel_initializer=DENSE)
        return assemble(_body(width, depth), head, name, include_top, weights, input_tensor, input_shape, pooling, classes,
                        classifier_activation, size, pool_names=("avg_pool", "max_pool"))
    model.__doc__ = f"{public_name}: {width} times as wide and {depth} times as deep as EfficientNetB0, for images of {size} pixels."
    return given(model, public_name)


for _name, _sizes in {"B0": (1.0, 1.0, 224, 0.2), "B1": (1.0, 1.1, 240, 0.2), "B2": (1.1, 1.2, 260, 0.3), "B3": (1.2, 1.4, 300, 0.3),
                      "B4": (1.4, 1.8, 380, 0.4), "B5": (1.6, 2.2, 456, 0.4), "B6": (1.8, 2.6, 528, 0.5),
                      "B7": (2.0, 3.1, 600, 0.5)}.items():
    globals()[f"EfficientNet{_name}"] = _model(*_sizes, f"EfficientNet{_name}")
__all__ = [f"EfficientNetB{number}" for number in range(8)] + ["decode_predictions", "preprocess_input"]
