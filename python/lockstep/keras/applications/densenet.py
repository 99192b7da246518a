"""DenseNet (Huang et al., 2016): each block's result is put beside all results before it."""

from .. import layers
from ._assembly import assemble, chain, classifier, given
from .imagenet_utils import decode_predictions, of_mode

preprocess_input = of_mode("torch")


def _norm(name):
    return layers.BatchNormalization(epsilon=1.001e-5, name=name)


def _relu(name):
    return layers.Activation("relu", name=name)


def _block(x, name):
    made = chain(x, _norm(f"{name}_0_bn"), _relu(f"{name}_0_relu"), layers.Conv2D(128, 1, use_bias=False, name=f"{name}_1_conv"),
                 _norm(f"{name}_1_bn"), _relu(f"{name}_1_relu"),
                 layers.Conv2D(32, 3, padding="same", use_bias=False, name=f"{name}_2_conv"))
    return layers.Concatenate(name=f"{name}_concat")([x, made])


def _narrowed(x, name):
    return chain(x, _norm(f"{name}_bn"), _relu(f"{name}_relu"),
                 layers.Conv2D(int(x.shape[-1] * 0.5), 1, use_bias=False, name=f"{name}_conv"),
                 layers.AveragePooling2D(2, strides=2, name=f"{name}_pool"))


def _body(counts):
    def body(x):
        x = chain(x, layers.ZeroPadding2D(3), layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1_conv"), _norm("conv1_bn"),
                  _relu("conv1_relu"), layers.ZeroPadding2D(1), layers.MaxPooling2D(3, strides=2, name="pool1"))
        for stage, count in enumerate(counts, 2):
            for number in range(1, count + 1):
                x = _block(x, f"conv{stage}_block{number}")
            x = _narrowed(x, f"pool{stage}") if stage < 5 else x
        return chain(x, _norm("bn"), _relu("relu"))
    return body


def _model(counts, public_name):
    def model(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", name=public_name.lower()):
        return assemble(_body(counts), classifier(classes, classifier_activation), name, include_top, weights, input_tensor,
                        input_shape, pooling, classes, classifier_activation, pool_names=("avg_pool", "max_pool"))
    model.__doc__ = f"{public_name}: stages of {', '.join(map(str, counts))} blocks."
    return given(model, public_name)


DenseNet121 = _model((6, 12, 24, 16), "DenseNet121")
DenseNet169 = _model((6, 12, 32, 32), "DenseNet169")
DenseNet201 = _model((6, 12, 48, 32), "DenseNet201")
__all__ = ["DenseNet121", "DenseNet169", "DenseNet201", "decode_predictions", "preprocess_input"]
