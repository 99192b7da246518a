"""Images changed at random while training."""

from .._layer import Layer


class _RandomImages(Layer):
    """While training, images changed at random, the same for all of a batch's pixels."""

    def __init__(self, seed=None, **kwargs):
        kwargs.pop("data_format", None)
        super().__init__(**kwargs)
        from ..random import SeedGenerator
        self.seed = seed
        object.__setattr__(self, "generator", SeedGenerator(seed))

    def _drawn(self, inputs, low=0.0, high=1.0):
        from ... import ops_array, random
        count = ops_array.shape(inputs)[0] if inputs._rank == 4 else 1
        drawn = random.stateless_uniform([count, 1, 1, 1], self.generator.next(), low, high)
        return drawn if inputs._rank == 4 else drawn[0]


class RandomFlip(_RandomImages):
    """Flips images at random."""

    def __init__(self, mode="horizontal_and_vertical", seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.mode = mode

    def call(self, inputs, training=True):
        from ... import ops_array
        if not training:
            return inputs
        for axis, name in ((-2, "horizontal"), (-3, "vertical")):
            if name in self.mode:
                inputs = ops_array.where(self._drawn(inputs) < 0.5, inputs, ops_array.reverse(
                    inputs, [axis + inputs._rank]))
        return inputs


class RandomBrightness(_RandomImages):
    """Adds a random number to each image."""

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = (-factor, factor) if isinstance(factor, (int, float)) else tuple(factor)
        self.value_range = value_range

    def call(self, inputs, training=True):
        from ... import ops_math
        if not training:
            return inputs
        low, high = self.value_range
        moved = inputs + self._drawn(inputs, *self.factor) * float(high - low)
        return ops_math.clip_by_value(moved, float(low), float(high))


class RandomContrast(_RandomImages):
    """Widens or narrows the range of each image."""

    def __init__(self, factor, seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor = (1 - factor, 1 + factor) if isinstance(factor, (int, float)) else (
            1 - factor[0], 1 + factor[1])

    def call(self, inputs, training=True):
        from ... import ops_math
        if not training:
            return inputs
        mean = ops_math.reduce_mean(inputs, axis=[-3, -2], keepdims=True)
        return (inputs - mean) * self._drawn(inputs, *self.factor) + mean
