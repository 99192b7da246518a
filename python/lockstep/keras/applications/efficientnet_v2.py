"""EfficientNetV2 (Tan and Le, 2021): EfficientNet's blocks, the first ones with one convolution in place of two ("fused")."""

import math

from .. import layers
from ._assembly import assemble, chain, classifier, given
from .efficientnet import DENSE, _conv, _gated, CONVOLUTION
from .imagenet_utils import decode_predictions, unchanged as preprocess_input

# blocks, filters, expansion, strides of the first block, whether it is fused; fused blocks have no gates
_B = ((1, 16, 1, 1, 1), (2, 32, 4, 2, 1), (2, 48, 4, 2, 1), (3, 96, 4, 2, 0), (5, 112, 6, 1, 0), (8, 192, 6, 2, 0))
_S = ((2, 24, 1, 1, 1), (4, 48, 4, 2, 1), (4, 64, 4, 2, 1), (6, 128, 4, 2, 0), (9, 160, 6, 1, 0), (15, 256, 6, 2, 0))
_M = ((3, 24, 1, 1, 1), (5, 48, 4, 2, 1), (5, 80, 4, 2, 1), (7, 160, 4, 2, 0), (14, 176, 6, 1, 0), (18, 304, 6, 2, 0),
      (5, 512, 6, 1, 0))
_L = ((4, 32, 1, 1, 1), (7, 64, 4, 2, 1), (7, 96, 4, 2, 1), (10, 192, 4, 2, 0), (19, 224, 6, 1, 0), (25, 384, 6, 2, 0),
      (7, 640, 6, 1, 0))


def _norm(name):
    return layers.BatchNormalization(momentum=0.9, name=name)


def _swish(name):
    return layers.Activation("swish", name=name)


def _block(inputs, filters, expansion, strides, fused, drop, name):
    channels, x = inputs.shape[-1], inputs
    wide = channels * expansion
    if expansion != 1:
        x = chain(x, _conv(wide, 3 if fused else 1, f"{name}expand_conv", strides=strides if fused else 1, use_bias=False),
                  _norm(f"{name}expand_bn"), _swish(f"{name}expand_activation"))
    if not fused:
        x = chain(x, layers.DepthwiseConv2D(3, strides=strides, padding="same", use_bias=False, depthwise_initializer=CONVOLUTION,
                                            name=f"{name}dwconv2"), _norm(f"{name}bn"), _swish(f"{name}activation"))
        x = _gated(x, wide, max(1, int(channels * 0.25)), name)
    alone = fused and expansion == 1
    x = chain(x, _conv(filters, 3 if alone else 1, f"{name}project_conv", strides=strides if alone else 1, use_bias=False),
              _norm(f"{name}project_bn"))
    x = _swish(f"{name}project_activation")(x) if alone else x
    if strides != 1 or channels != filters:
        return x
    x = layers.Dropout(drop, noise_shape=(None, 1, 1, 1), name=f"{name}drop")(x) if drop else x
    return layers.add([x, inputs], name=f"{name}add")


def _scaled(x, is_small):
    """The pixels as the model wants them: normalized by ImageNet's colors, or from -1 to 1."""
    if is_small and x.shape[-1] == 3:
        return chain(x, layers.Rescaling(1.0 / 255), layers.Normalization(
            mean=[0.485, 0.456, 0.406], variance=[0.229 ** 2, 0.224 ** 2, 0.225 ** 2], axis=3))
    return layers.Rescaling(1.0 / 128.0, -1)(x)


def _model(stages, first, width, depth, size, public_name):
    name_of_model = public_name.lower().replace("v2", "v2-")

    def rounded(filters):
        return max(8, int(filters * width + 4) // 8 * 8)

    def model(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", include_preprocessing=True, name=name_of_model):
        def body(x):
            x = _scaled(x, stages is _B) if include_preprocessing else x
            x = chain(x, _conv(rounded(first), 3, "stem_conv", strides=2, use_bias=False), _norm("stem_bn"), _swish("stem_activation"))
            done, total = 0, float(sum(one[0] for one in stages))
            for stage, (count, filters, expansion, strides, fused) in enumerate(stages, 1):
                for number in range(math.ceil(depth * count)):
                    x = _block(x, rounded(filters), expansion, 1 if number else strides, fused, 0.2 * done / total,
                               f"block{stage}{chr(number + 97)}_")
                    done += 1
            return chain(x, _conv(rounded(1280), 1, "top_conv", use_bias=False), _norm("top_bn"), _swish("top_activation"))
        head = classifier(classes, classifier_activation, dropout=(0.2, "top_dropout"), kernel_initializer=DENSE)
        return assemble(body, head, name, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation,
                        size, pool_names=("avg_pool", "max_pool"))
    model.__doc__ = f"{public_name}, for images of {size} pixels; include_preprocessing: whether the model scales pixels of 0 to 255."
    return given(model, public_name)


for _name, _sizes in {"B0": (_B, 32, 1.0, 1.0, 224), "B1": (_B, 32, 1.0, 1.1, 240), "B2": (_B, 32, 1.1, 1.2, 260),
                      "B3": (_B, 32, 1.2, 1.4, 300), "S": (_S, 24, 1.0, 1.0, 384), "M": (_M, 24, 1.0, 1.0, 480),
                      "L": (_L, 32, 1.0, 1.0, 480)}.items():
    globals()[f"EfficientNetV2{_name}"] = _model(*_sizes, f"EfficientNetV2{_name}")
__all__ = [f"EfficientNetV2{one}" for one in ("B0", "B1", "B2", "B3", "L", "M", "S")] + ["decode_predictions", "preprocess_input"]
