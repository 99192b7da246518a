"""Keras's layers: `keras.layers`."""

from .._input_spec import InputSpec  # noqa: F401
from .._layer import Layer  # noqa: F401
from ._input import Input, InputLayer  # noqa: F401
from ._adaptive import (AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D,  # noqa: F401
                        AdaptiveMaxPooling1D, AdaptiveMaxPooling2D, AdaptiveMaxPooling3D)
from ._crossing import HashedCrossing  # noqa: F401
from ._dense import Dense, EinsumDense  # noqa: F401
from ._embedding import Embedding  # noqa: F401
from ._convolution import (Conv1D, Conv2D, Conv2DTranspose, Convolution1D, Convolution2D,  # noqa: F401
                           Convolution2DTranspose, DepthwiseConv2D, SeparableConv2D, SeparableConvolution2D)
from ._rows import (Conv1DTranspose, Convolution1DTranspose, DepthwiseConv1D, SeparableConv1D,  # noqa: F401
                    SeparableConvolution1D)
from ._volumes import (AveragePooling3D, AvgPool3D, Conv3D, Conv3DTranspose, Convolution3D,  # noqa: F401
                       Convolution3DTranspose, Cropping3D, GlobalAveragePooling3D, GlobalAvgPool3D,
                       GlobalMaxPool3D, GlobalMaxPooling3D, MaxPool3D, MaxPooling3D, UpSampling3D, ZeroPadding3D)
from ._pooling import (AveragePooling1D, AveragePooling2D, AvgPool1D, AvgPool2D,  # noqa: F401
                       GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAvgPool1D, GlobalAvgPool2D,
                       GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPooling1D, GlobalMaxPooling2D, MaxPool1D,
                       MaxPool2D, MaxPooling1D, MaxPooling2D)
from ._normalization import (BatchNormalization, GroupNormalization, LayerNormalization,  # noqa: F401
                             RMSNormalization, UnitNormalization)
from ._noise import (AlphaDropout, Dropout, GaussianDropout, GaussianNoise, SpatialDropout1D,  # noqa: F401
                     SpatialDropout2D)
from ._activation import Activation, ELU, LeakyReLU, PReLU, ReLU, Softmax  # noqa: F401
from ._conv_lstm import ConvLSTM1D, ConvLSTM2D, ConvLSTM3D  # noqa: F401
from ._cells import GRUCell, LSTMCell, RNN, SimpleRNNCell, StackedRNNCells  # noqa: F401
from ._bidirectional import Bidirectional  # noqa: F401
from ._recurrent import GRU, LSTM, SimpleRNN  # noqa: F401
from ._spectral import SpectralNormalization  # noqa: F401
from ._time_distributed import TimeDistributed  # noqa: F401
from ._attention import AdditiveAttention, Attention, MultiHeadAttention  # noqa: F401
from ._shape import Flatten, Permute, RepeatVector, Reshape  # noqa: F401
from ._border import Cropping1D, Cropping2D, ZeroPadding1D, ZeroPadding2D  # noqa: F401
from ._resizing import CenterCrop, Resizing, UpSampling1D, UpSampling2D  # noqa: F401
from ._merging import (add, Add, average, Average, concatenate, Concatenate, Dot, dot, Maximum,  # noqa: F401
                       maximum, minimum, Minimum, multiply, Multiply, Subtract, subtract)
from ._passing import ActivityRegularization, Identity, Lambda, Masking, Wrapper  # noqa: F401
from ._features import CategoryEncoding, Normalization, Rescaling  # noqa: F401
from ._discretization import Discretization  # noqa: F401
from ._hashing import Hashing  # noqa: F401
from ._lookup import IntegerLookup, StringLookup  # noqa: F401
from ._saved_model import TFSMLayer  # noqa: F401
from ._text_vectorization import TextVectorization  # noqa: F401
from ._random_images import (RandomBrightness, RandomContrast, RandomCrop, RandomFlip, RandomRotation,  # noqa: F401
                             RandomTranslation, RandomZoom)


def serialize(layer):
    """A layer as {class_name, config}."""
    from .. import saving
    return saving.serialize_keras_object(layer)


def deserialize(config, custom_objects=None):
    """The layer of {class_name, config}."""
    from .. import saving
    return saving.deserialize_keras_object(config, custom_objects)
