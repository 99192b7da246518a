"""What all architectures share: their inputs, heads, weights files, and the small parts of which they consist.

An architecture is a function `body` from the symbol of images to the symbol of features. `assemble` puts an input in front of it
and a classifier or a pooling layer behind it. The names and the order of layers are those of Keras, so that its weights files
(.h5, .weights.h5) can be loaded."""

import os
import warnings

from .. import activations, layers
from .._symbols import KerasTensor
from ..models import Model


def check_weights(weights, include_top, classes):
    """Raises: ValueError for a path that is no file; NotImplementedError for "imagenet", which would be downloaded."""
    if weights == "imagenet":
        if include_top and classes != 1000:
            raise ValueError('If using `weights="imagenet"` with `include_top` as true, `classes` should be 1000. '
                             f"Received `classes={classes}`")
        raise NotImplementedError("[applications] weights='imagenet' are not part of Lockstep, which downloads no weights; pass "
                                  "weights=None, or as `weights` the path of a file with Keras's weights of the model")
    if weights is not None and not os.path.exists(str(weights)):
        raise ValueError("The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
                         f"ImageNet), or the path to the weights file to be loaded. Received `weights={weights}`")


def image_shape(input_shape, default_size, min_size, require_flatten):
    """The shape of images: the one given, or the default. Raises: ValueError for a shape that does not fit."""
    if not input_shape:
        return (default_size, default_size, 3) if require_flatten else (None, None, 3)
    if len(input_shape) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if input_shape[-1] not in (1, 3):
        warnings.warn("This model usually expects 1 or 3 input channels. However, it was passed an input_shape with "
                      f"{input_shape[-1]} input channels.", stacklevel=3)
    if any(size is not None and size < min_size for size in input_shape[:2]):
        raise ValueError(f"Input size must be at least {min_size}x{min_size}; Received: input_shape={input_shape}")
    if require_flatten and None in input_shape:
        raise ValueError("If `include_top` is True, you should specify a static `input_shape`. "
                         f"Received: input_shape={input_shape}")
    return tuple(input_shape)


def listed_size(input_shape, input_tensor, sizes):
    """224, or the side of square images of one of these sizes."""
    shape = input_shape if input_shape is not None else None if input_tensor is None else input_tensor.shape[1:]
    return shape[0] if shape and shape[0] == shape[1] and shape[0] in sizes else 224


def sources_of(tensor):
    """The inputs from which a symbol is computed."""
    found, todo, seen = [], [tensor], set()
    while todo:
        one = todo.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one._node is None or not one._node.inputs:
            found.append(one)
        else:
            todo.extend(one._node.inputs)
    return found[0] if len(found) == 1 else found


def check_activation(activation, weights):
    """Raises: ValueError for a classifier's activation that does not go with trained weights."""
    allowed = (activations.get("softmax"), activations.get(None))
    if weights is not None and activations.get(activation) not in allowed:
        raise ValueError("Only `None` and `softmax` activations are allowed for the `classifier_activation` argument when using "
                         f"pretrained weights, with `include_top=True`; Received: classifier_activation={activation}")


def classifier(classes, activation, pool="avg_pool", dropout=None, between=None, **dense):
    """A head: the mean over places, `between`, dropout (rate, name), then a dense layer."""
    def head(x):
        x = layers.GlobalAveragePooling2D(name=pool)(x)
        x = x if between is None else between(x)
        x = layers.Dropout(dropout[0], name=dropout[1])(x) if dropout and dropout[0] > 0 else x
        return layers.Dense(classes, activation=activation, name="predictions", **dense)(x)
    return head


def assemble(body, head, name, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation,
             default_size=224, min_size=32, pool_names=(None, None), require_flatten=None, last=None):
    """The model. `head`: the function behind the body with `include_top`; `pool_names`: of the mean's and the maximum's layer
    without; `last`: the function behind the pooling; `name`: a text, or a function of the shape of images."""
    check_weights(weights, include_top, classes)
    shape = image_shape(input_shape, default_size, min_size, include_top if require_flatten is None else require_flatten)
    if input_tensor is not None and not isinstance(input_tensor, KerasTensor):
        raise ValueError(f"`input_tensor` must be a symbolic tensor of keras.Input or a layer; got {type(input_tensor)}")
    images = layers.Input(shape=shape) if input_tensor is None else input_tensor
    x = body(images)
    if include_top:
        check_activation(classifier_activation, weights)
        x = head(x)
    elif pooling == "avg":
        x = layers.GlobalAveragePooling2D(name=pool_names[0])(x)
    elif pooling == "max":
        x = layers.GlobalMaxPooling2D(name=pool_names[1])(x)
    x = x if include_top or last is None else last(x, pooling)
    inputs = images if input_tensor is None else sources_of(input_tensor)
    model = Model(inputs, x, name=name(shape) if callable(name) else name)
    if weights is not None:
        model.load_weights(weights)
    return model


def divisible(size, divisor=8, least=None):
    """The multiple of `divisor` next to a size, not below nine tenths of it."""
    made = max(least or divisor, int(size + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * size else made


def padding_for(x, kernel):
    """The zeros around images in front of a convolution with strides of 2, which give the result of half the size."""
    sizes = x.shape[1:3]
    odd = [1, 1] if sizes[0] is None else [1 - sizes[0] % 2, 1 - sizes[1] % 2]
    return tuple((kernel // 2 - one, kernel // 2) for one in odd)


def chain(x, *parts):
    """The layers one after another."""
    for one in parts:
        x = one(x)
    return x


def given(function, name):
    """A constructor of a model under its public name."""
    function.__name__ = function.__qualname__ = name
    return function
