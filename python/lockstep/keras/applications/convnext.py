"""ConvNeXt (Liu et al., 2022): wide convolutions of each channel by itself, then two dense layers at each place."""

from ... import ops_array, ops_math, random
from .. import initializers, layers
from .._layer import Layer
from ..models import Sequential
from ._assembly import assemble, chain, given
from .imagenet_utils import decode_predictions, unchanged as preprocess_input


class LayerScale(Layer):
    """x * gamma, with one trained number for each channel, `init_values` at first."""

    def __init__(self, init_values, projection_dim, **kwargs):
        super().__init__(**kwargs)
        self.init_values, self.projection_dim = init_values, projection_dim

    def build(self, input_shape):
        self.gamma = self.add_weight((self.projection_dim,), initializers.Constant(self.init_values))

    def call(self, x):
        return x * self.gamma

    def get_config(self):
        return {**super().get_config(), "init_values": self.init_values, "projection_dim": self.projection_dim}


class StochasticDepth(Layer):
    """While training, leaves out whole examples with the probability `drop_path_rate` and divides the others by the rest."""

    def __init__(self, drop_path_rate, **kwargs):
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x, training=None):
        if not training:
            return x
        kept = 1 - self.drop_path_rate
        shape = ops_array.concat([ops_array.shape(x)[:1], ops_array.ones([x._rank - 1], "int32")], 0)
        return x / kept * ops_math.floor(kept + random.uniform(shape, dtype=x.dtype))

    def get_config(self):
        return {**super().get_config(), "drop_path_rate": self.drop_path_rate}


def _norm(name=None):
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _block(x, filters, name):
    made = chain(x, layers.Conv2D(filters, 7, padding="same", groups=filters, name=f"{name}_depthwise_conv"), _norm(f"{name}_layernorm"),
                 layers.Dense(4 * filters, name=f"{name}_pointwise_conv_1"), layers.Activation("gelu", name=f"{name}_gelu"),
                 layers.Dense(filters, name=f"{name}_pointwise_conv_2"), LayerScale(1e-6, filters, name=f"{name}_layer_scale"),
                 layers.Activation("linear", name=f"{name}_identity"))
    return x + made


def _body(counts, widths, include_preprocessing, name):
    def body(x):
        if include_preprocessing and x.shape[-1] == 3:
            x = layers.Normalization(mean=[0.485 * 255, 0.456 * 255, 0.406 * 255], variance=[
                (0.229 * 255) ** 2, (0.224 * 255) ** 2, (0.225 * 255) ** 2], name=f"{name}_prestem_normalization")(x)
        halvings = [Sequential([layers.Conv2D(widths[0], 4, strides=4, name=f"{name}_stem_conv"), _norm(f"{name}_stem_layernorm")],
                               name=f"{name}_stem")]
        halvings += [Sequential([_norm(f"{name}_downsampling_layernorm_{i}"), layers.Conv2D(
            widths[i + 1], 2, strides=2, name=f"{name}_downsampling_conv_{i}")], name=f"{name}_downsampling_block_{i}") for i in range(3)]
        for stage, count in enumerate(counts):
            x = halvings[stage](x)
            for number in range(count):
                x = _block(x, widths[stage], f"{name}_stage_{stage}_block_{number}")
        return x
    return body


def _model(counts, widths, public_name):
    def model(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
              classes=1000, classifier_activation="softmax", name=public_name.lower().replace("next", "next_")):
        def head(x):
            return chain(x, layers.GlobalAveragePooling2D(name=f"{name}_head_gap"), _norm(f"{name}_head_layernorm"),
                         layers.Dense(classes, activation=classifier_activation, name=f"{name}_head_dense"))
        return assemble(_body(counts, widths, include_preprocessing, name), head, name, include_top, weights, input_tensor,
                        input_shape, pooling, classes, classifier_activation, last=lambda x, pooling: _norm()(x))
    model.__doc__ = f"{public_name}: stages of {', '.join(map(str, counts))} blocks with {', '.join(map(str, widths))} channels."
    return given(model, public_name)


ConvNeXtTiny = _model((3, 3, 9, 3), (96, 192, 384, 768), "ConvNeXtTiny")
ConvNeXtSmall = _model((3, 3, 27, 3), (96, 192, 384, 768), "ConvNeXtSmall")
ConvNeXtBase = _model((3, 3, 27, 3), (128, 256, 512, 1024), "ConvNeXtBase")
ConvNeXtLarge = _model((3, 3, 27, 3), (192, 384, 768, 1536), "ConvNeXtLarge")
ConvNeXtXLarge = _model((3, 3, 27, 3), (256, 512, 1024, 2048), "ConvNeXtXLarge")
__all__ = ["ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtSmall", "ConvNeXtTiny", "ConvNeXtXLarge", "decode_predictions", "preprocess_input"]
