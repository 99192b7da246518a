"""Known architectures with Keras's names of layers and weights: `keras.applications`."""

from . import (convnext, densenet, efficientnet, efficientnet_v2, imagenet_utils, inception_resnet_v2, inception_v3,  # noqa: F401
               mobilenet, mobilenet_v2, mobilenet_v3, nasnet, resnet,
               resnet50, resnet_v2, vgg16, vgg19, xception)
from .convnext import ConvNeXtBase, ConvNeXtLarge, ConvNeXtSmall, ConvNeXtTiny, ConvNeXtXLarge  # noqa: F401
from .densenet import DenseNet121, DenseNet169, DenseNet201  # noqa: F401
from .efficientnet import (EfficientNetB0, EfficientNetB1, EfficientNetB2, EfficientNetB3, EfficientNetB4,  # noqa: F401
                           EfficientNetB5, EfficientNetB6, EfficientNetB7)
from .efficientnet_v2 import (EfficientNetV2B0, EfficientNetV2B1, EfficientNetV2B2, EfficientNetV2B3,  # noqa: F401
                              EfficientNetV2L, EfficientNetV2M, EfficientNetV2S)
from .inception_resnet_v2 import InceptionResNetV2  # noqa: F401
from .inception_v3 import InceptionV3  # noqa: F401
from .mobilenet import MobileNet  # noqa: F401
from .mobilenet_v2 import MobileNetV2  # noqa: F401
from .mobilenet_v3 import MobileNetV3Large, MobileNetV3Small  # noqa: F401
from .nasnet import NASNetLarge, NASNetMobile  # noqa: F401
from .resnet import ResNet101, ResNet152, ResNet50  # noqa: F401
from .resnet_v2 import ResNet101V2, ResNet152V2, ResNet50V2  # noqa: F401
from .vgg16 import VGG16  # noqa: F401
from .vgg19 import VGG19  # noqa: F401
from .xception import Xception  # noqa: F401
