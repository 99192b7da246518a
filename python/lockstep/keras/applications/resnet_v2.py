"""ResNets of version 2; see `resnet`."""

from .imagenet_utils import decode_predictions, of_mode
from .resnet import model_of

preprocess_input = of_mode("tf")
ResNet50V2 = model_of((3, 4, 6, 3), "ResNet50V2", second=True)
ResNet101V2 = model_of((3, 4, 23, 3), "ResNet101V2", second=True)
ResNet152V2 = model_of((3, 8, 36, 3), "ResNet152V2", second=True)
__all__ = ["ResNet101V2", "ResNet152V2", "ResNet50V2", "decode_predictions", "preprocess_input"]
