"""NASNet-A (Zoph et al., 2017): cells found by search, each of the results of the two cells before it."""

from .. import layers
from ._assembly import assemble, chain, classifier, padding_for
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")


def _norm(name):
    return layers.BatchNormalization(momentum=0.9997, epsilon=1e-3, name=name)


def _relu(name=None):
    return layers.Activation("relu", name=name)


def _conv(filters, name):
    return layers.Conv2D(filters, 1, padding="same", use_bias=False, name=name, kernel_initializer="he_normal")


def _separable(x, filters, kernel, name, strides=1):
    x = _relu()(x)
    if strides == 2:
        x = layers.ZeroPadding2D(padding_for(x, kernel), name=f"separable_conv_1_pad_{name}")(x)
    return chain(x, layers.SeparableConv2D(filters, kernel, strides=strides, padding="valid" if strides == 2 else "same",
                                           use_bias=False, name=f"separable_conv_1_{name}"), _norm(f"separable_conv_1_bn_{name}"),
                 _relu(), layers.SeparableConv2D(filters, kernel, padding="same", use_bias=False, name=f"separable_conv_2_{name}"),
                 _norm(f"separable_conv_2_bn_{name}"))


def _adjusted(before, x, filters, name):
    """The result of the cell before the last one, in the size and with the channels of this cell."""
    if before is None:
        return x
    if before.shape[-2] != x.shape[-2]:
        before = _relu(f"adjust_relu_1_{name}")(before)
        first = chain(before, layers.AveragePooling2D(1, strides=2, padding="valid", name=f"adjust_avg_pool_1_{name}"),
                      _conv(filters // 2, f"adjust_conv_1_{name}"))
        second = chain(before, layers.ZeroPadding2D(((0, 1), (0, 1))), layers.Cropping2D(((1, 0), (1, 0))),
                       layers.AveragePooling2D(1, strides=2, padding="valid", name=f"adjust_avg_pool_2_{name}"),
                       _conv(filters // 2, f"adjust_conv_2_{name}"))
        return _norm(f"adjust_bn_{name}")(layers.concatenate([first, second], axis=-1))
    if before.shape[-1] != filters:
        return chain(before, _relu(), _conv(filters, f"adjust_conv_projection_{name}"), _norm(f"adjust_bn_{name}"))
    return before


def _pool(kind, name, strides=1):
    return kind(3, strides=strides, padding="same" if strides == 1 else "valid", name=name)


def _normal(x, before, filters, name):
    p = _adjusted(before, x, filters, name)
    h = chain(x, _relu(), _conv(filters, f"normal_conv_1_{name}"), _norm(f"normal_bn_1_{name}"))
    mean = layers.AveragePooling2D
    made = [p]
    left = _separable(h, filters, 5, f"normal_left1_{name}")
    made.append(layers.add([left, _separable(p, filters, 3, f"normal_right1_{name}")], name=f"normal_add_1_{name}"))
    left = _separable(p, filters, 5, f"normal_left2_{name}")
    made.append(layers.add([left, _separable(p, filters, 3, f"normal_right2_{name}")], name=f"normal_add_2_{name}"))
    made.append(layers.add([_pool(mean, f"normal_left3_{name}")(h), p], name=f"normal_add_3_{name}"))
    left = _pool(mean, f"normal_left4_{name}")(p)
    made.append(layers.add([left, _pool(mean, f"normal_right4_{name}")(p)], name=f"normal_add_4_{name}"))
    made.append(layers.add([_separable(h, filters, 3, f"normal_left5_{name}"), h], name=f"normal_add_5_{name}"))
    return layers.concatenate(made, axis=-1, name=f"normal_concat_{name}"), x


def _reduction(x, before, filters, name):
    p = _adjusted(before, x, filters, name)
    h = chain(x, _relu(), _conv(filters, f"reduction_conv_1_{name}"), _norm(f"reduction_bn_1_{name}"))
    padded = layers.ZeroPadding2D(padding_for(h, 3), name=f"reduction_pad_1_{name}")(h)
    mean, most = layers.AveragePooling2D, layers.MaxPooling2D
    left = _separable(h, filters, 5, f"reduction_left1_{name}", 2)
    one = layers.add([left, _separable(p, filters, 7, f"reduction_right1_{name}", 2)], name=f"reduction_add_1_{name}")
    left = _pool(most, f"reduction_left2_{name}", 2)(padded)
    two = layers.add([left, _separable(p, filters, 7, f"reduction_right2_{name}", 2)], name=f"reduction_add_2_{name}")
    left = _pool(mean, f"reduction_left3_{name}", 2)(padded)
    three = layers.add([left, _separable(p, filters, 5, f"reduction_right3_{name}", 2)], name=f"reduction_add3_{name}")
    four = layers.add([two, _pool(mean, f"reduction_left4_{name}")(one)])
    left = _separable(one, filters, 3, f"reduction_left4_{name}")
    five = layers.add([left, _pool(most, f"reduction_right5_{name}", 2)(padded)], name=f"reduction_add4_{name}")
    return layers.concatenate([two, three, four, five], axis=-1, name=f"reduction_concat_{name}"), x


def _body(filters, count, stem, skips):
    def body(x):
        x = chain(x, layers.Conv2D(stem, 3, strides=2, padding="valid", use_bias=False, name="stem_conv1",
                                   kernel_initializer="he_normal"), _norm("stem_bn1"))
        x, before = _reduction(x, None, filters // 4, "stem_1")
        x, before = _reduction(x, before, filters // 2, "stem_2")
        for stage in range(3):
            if stage:
                x, skipped = _reduction(x, before, filters * 2 ** stage, f"reduce_{stage * count}")
                before = before if skips else skipped
            for number in range(count):
                x, before = _normal(x, before, filters * 2 ** stage, str(stage * count + number + (stage > 0)))
        return _relu()(x)
    return body


def NASNetMobile(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000,
                 classifier_activation="softmax", name="nasnet_mobile"):
    """The small NASNet, for images of 224 pixels. Raises: as the other models."""
    shape = (224, 224, 3) if input_shape is None and not include_top else input_shape
    return assemble(_body(44, 4, 32, False), classifier(classes, classifier_activation, None), name, include_top, weights,
                    input_tensor, shape, pooling, classes, classifier_activation)


def NASNetLarge(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="nasnet_large"):
    """The large NASNet, for images of 331 pixels. Raises: as the other models."""
    return assemble(_body(168, 6, 96, True), classifier(classes, classifier_activation, None), name, include_top, weights,
                    input_tensor, input_shape, pooling, classes, classifier_activation, 331)


__all__ = ["NASNetLarge", "NASNetMobile", "decode_predictions", "preprocess_input"]
