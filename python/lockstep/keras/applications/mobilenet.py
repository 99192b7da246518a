"""MobileNet (Howard et al., 2017): convolutions of each channel by itself, then of all channels at each place."""

from .. import layers
from ._assembly import assemble, chain, listed_size
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("tf")
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2),
           (1024, 1))  # filters, strides


def _separable(x, filters, strides, multiplier, block):
    if strides != 1:
        x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{block}")(x)
    return chain(x, layers.DepthwiseConv2D(3, padding="same" if strides == 1 else "valid", depth_multiplier=multiplier,
                                           strides=strides, use_bias=False, name=f"conv_dw_{block}"),
                 layers.BatchNormalization(name=f"conv_dw_{block}_bn"), layers.ReLU(6.0, name=f"conv_dw_{block}_relu"),
                 layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"conv_pw_{block}"),
                 layers.BatchNormalization(name=f"conv_pw_{block}_bn"), layers.ReLU(6.0, name=f"conv_pw_{block}_relu"))


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=1e-3, include_top=True, weights="imagenet",
              input_tensor=None, pooling=None, classes=1000, classifier_activation="softmax", name=None):
    """MobileNet with `alpha` times as many filters, and `depth_multiplier` results of each channel.

    Raises: ValueError for shapes and files that do not fit; NotImplementedError for weights that would be downloaded."""
    def body(x):
        x = chain(x, layers.Conv2D(int(32 * alpha), 3, padding="same", use_bias=False, strides=2, name="conv1"),
                  layers.BatchNormalization(name="conv1_bn"), layers.ReLU(6.0, name="conv1_relu"))
        for block, (filters, strides) in enumerate(_BLOCKS, 1):
            x = _separable(x, int(filters * alpha), strides, depth_multiplier, block)
        return x

    def head(x):
        return chain(x, layers.GlobalAveragePooling2D(keepdims=True), layers.Dropout(dropout, name="dropout"),
                     layers.Conv2D(classes, 1, padding="same", name="conv_preds"), layers.Reshape((classes,), name="reshape_2"),
                     layers.Activation(classifier_activation, name="predictions"))
    return assemble(body, head, name or (lambda shape: f"mobilenet_{alpha:0.2f}_{shape[0]}"), include_top, weights, input_tensor,
                    input_shape, pooling, classes, classifier_activation, listed_size(input_shape, None, (128, 160, 192, 224)))


__all__ = ["MobileNet", "decode_predictions", "preprocess_input"]
