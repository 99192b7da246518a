"""VGG19; see `vgg16`."""

from .vgg16 import decode_predictions, model_of, preprocess_input

VGG19 = model_of((2, 2, 4, 4, 4), "VGG19")
__all__ = ["VGG19", "decode_predictions", "preprocess_input"]
