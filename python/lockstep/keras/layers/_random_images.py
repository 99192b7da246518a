"""Images changed at random while training, by the numbers that Keras draws. In the function of a data set each element has
its own numbers, whichever thread or worker computes it."""

from .._layer import Layer
from ._affine import FILL_MODES, INTERPOLATIONS, affine_transform
from ._arguments import _channels_last


class _RandomImages(Layer):
    """While training, images changed at random, the same for all of an image's pixels."""

    _bounds = (-1.0, 1.0)  # of a factor
    _computes = True  # whether whole numbers become ones of the layer's dtype

    def __init__(self, seed=None, **kwargs):
        _channels_last(kwargs.pop("data_format", None))
        super().__init__(**kwargs)
        from ..random import SeedGenerator
        self.seed = seed
        object.__setattr__(self, "generator", SeedGenerator(seed))

    def _range(self, factor, name="factor"):
        """The least and the largest number that a factor stands for."""
        low, high = self._bounds
        numbers = factor if isinstance(factor, (list, tuple)) else [factor]
        if len(numbers) not in (1, 2) or not all(isinstance(one, (int, float)) and low <= one <= high for one in numbers):
            raise ValueError(f"The `{name}` argument should be a number (or a list of two numbers) in the range "
                             f"[{low}, {high}]. Received: {name}={factor}")
        return tuple(sorted(numbers)) if len(numbers) == 2 else (max(-abs(factor), low), abs(factor))

    def _drawn(self, shape, low=0.0, high=1.0):
        from ..random import uniform
        return uniform(shape, low, high, seed=self.generator)

    def _one_each(self, images):
        """The shape of one number for each image, which broadcasts over its pixels."""
        from ... import ops_array
        return [ops_array.shape(images)[0], 1, 1, 1] if images._rank == 4 else [1, 1, 1]

    def call(self, inputs, training=True):
        from ..._tensor import convert_to_tensor
        inputs = self._computing(inputs) if self._computes else convert_to_tensor(inputs)
        if inputs._rank not in (3, 4):
            raise ValueError(f"Expected the input image to be rank 3 or 4. Received inputs.shape={inputs.shape}")
        return self._changed(inputs) if training else inputs


class RandomFlip(_RandomImages):
    """Flips images at random; with "horizontal_and_vertical" along both axes at once, as Keras does."""

    def __init__(self, mode="horizontal_and_vertical", seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(f'Unknown `mode` argument. Received: mode={mode}; expected "horizontal", "vertical" or '
                             '"horizontal_and_vertical"')
        self.mode = mode

    def _changed(self, images):
        from ... import ops_array
        axes = [axis + images._rank for axis, name in ((-2, "horizontal"), (-3, "vertical")) if name in self.mode]
        return ops_array.where(self._drawn(self._one_each(images)) <= 0.5, ops_array.reverse(images, axes), images)


class RandomBrightness(_RandomImages):
    """Adds a random number to each image."""

    _computes = False

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = self._range(factor)
        self.value_range = value_range

    def _changed(self, images):
        from ... import ops_math
        low, high = self.value_range
        moved = images + self._drawn(self._one_each(images), *self.factor) * float(high - low)
        return ops_math.clip_by_value(moved, float(low), float(high))


class RandomContrast(_RandomImages):
    """Widens or narrows the range of each image, by 1 - the least factor to 1 + the largest."""

    _bounds = (0.0, 1.0)
    _computes = False

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = self._range(factor)
        self.value_range = value_range

    def _changed(self, images):
        from ... import ops_math
        mean = ops_math.reduce_mean(ops_math.reduce_mean(images, axis=-3, keepdims=True), axis=-2, keepdims=True)
        wide = (images - mean) * self._drawn(self._one_each(images), 1.0 - self.factor[0], 1.0 + self.factor[1]) + mean
        return ops_math.clip_by_value(wide, float(self.value_range[0]), float(self.value_range[1]))


class _MovedImages(_RandomImages):
    """Images whose pixels come from other places. fill_mode: what lies outside, "reflect", "wrap", "constant" (fill_value)
    or "nearest"; interpolation: "bilinear" or "nearest"."""

    def __init__(self, fill_mode="reflect", interpolation="bilinear", seed=None, fill_value=0.0, **kwargs):
        super().__init__(seed, **kwargs)
        if fill_mode not in FILL_MODES:
            raise NotImplementedError(f"Unknown `fill_mode` {fill_mode}. Expected of one {FILL_MODES}.")
        if interpolation not in INTERPOLATIONS:
            raise NotImplementedError(f"Unknown `interpolation` {interpolation}. Expected of one {INTERPOLATIONS}.")
        self.fill_mode, self.interpolation, self.fill_value = fill_mode, interpolation, fill_value

    def _changed(self, images):
        from ... import ops_array
        batch = images if images._rank == 4 else images[None]
        moved = affine_transform(batch, self._places(batch, ops_array.shape(batch)[0], *batch._shape[1:3]), self.interpolation,
                                 self.fill_mode, self.fill_value)
        return moved if images._rank == 4 else moved[0]

    @staticmethod
    def _rows(*columns):
        """[n, 8] of columns [n], or of numbers that all have."""
        from ... import ops_array
        like = next(one for one in columns if hasattr(one, "shape"))
        return ops_array.stack([one if hasattr(one, "shape") else ops_array.zeros_like(like) + float(one)
                                for one in columns + (0.0, 0.0)], axis=1)


class RandomTranslation(_MovedImages):
    """Moves images by parts of their height and width."""

    def __init__(self, height_factor, width_factor, fill_mode="reflect", interpolation="bilinear", seed=None, fill_value=0.0,
                 **kwargs):
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._height, self._width = self._range(height_factor, "height_factor"), self._range(width_factor, "width_factor")

    def _places(self, images, count, height, width):
        down = self._drawn([count, 1], *self._height)[:, 0] * float(height)
        right = self._drawn([count, 1], *self._width)[:, 0] * float(width)
        return self._rows(1.0, 0.0, -right, 0.0, 1.0, -down)


class RandomRotation(_MovedImages):
    """Turns images around their middle, by parts of a whole turn."""

    def __init__(self, factor, fill_mode="reflect", interpolation="bilinear", seed=None, fill_value=0.0, **kwargs):
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = self._range(factor)

    def _places(self, images, count, height, width):
        from math import pi
        from ... import math
        angle = self._drawn([count], self.factor[0] * 360.0, self.factor[1] * 360.0) * (pi / 180.0)
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = 0.5 * (width - 1), 0.5 * (height - 1)
        return self._rows(cos, -sin, x - x * cos + y * sin, sin, cos, y - x * sin - y * cos)


class RandomZoom(_MovedImages):
    """Scales images; the height and the width by the same where there is no width_factor."""

    def __init__(self, height_factor, width_factor=None, fill_mode="reflect", interpolation="bilinear", seed=None,
                 fill_value=0.0, **kwargs):
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._height = self._range(height_factor, "height_factor")
        self._width = None if width_factor is None else self._range(width_factor, "width_factor")

    def _places(self, images, count, height, width):
        def drawn(factor):
            return self._drawn([count, 1], 1.0 + factor[0], 1.0 + factor[1])[:, 0]
        tall = drawn(self._height)
        wide = tall if self._width is None else drawn(self._width)
        return self._rows(wide, 0.0, (width - 1.0) / 2.0 * (1.0 - wide), 0.0, tall, (height - 1.0) / 2.0 * (1.0 - tall))


class RandomCrop(_RandomImages):
    """While training a part of the images, at one place for a batch; else the middle, scaled. Images must have known sizes."""

    def __init__(self, height, width, seed=None, **kwargs):
        from .. import utils
        if seed is None:
            utils.default_seed()  # Keras draws one that it does not use, too
        super().__init__(seed, **kwargs)
        self.height, self.width = height, width

    def call(self, inputs, training=True):
        from ... import ops_math
        from ..._tensor import convert_to_tensor
        inputs = self._computing(inputs) if training else convert_to_tensor(inputs)
        height, width = inputs._shape[-3:-1]
        if height is None or width is None:
            raise ValueError("RandomCrop requires the input to have a fully defined height and width. Received: "
                             f"images.shape={inputs.shape}")
        if not training:
            return inputs
        if height > self.height and width > self.width:
            top = ops_math.cast(self._drawn([], 0.0, float(height - self.height + 1)), "int32")
            left = ops_math.cast(self._drawn([], 0.0, float(width - self.width + 1)), "int32")
        else:
            tall = max(min(height, int(float(width * self.height) / self.width)), 1)
            wide = max(min(width, int(float(height * self.width) / self.height)), 1)
            top, left = int(float(height - tall) / 2), int(float(width - wide) / 2)
        part = inputs[..., top:top + self.height, left:left + self.width, :]
        if list(part._shape[-3:-1]) != [self.height, self.width] and None not in part._shape[-3:-1]:
            from ...image import resize
            return resize(part, (self.height, self.width))
        part.set_shape(list(inputs._shape[:-3]) + [self.height, self.width, inputs._shape[-1]])
        return part

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-3]) + (self.height, self.width, input_shape[-1])
