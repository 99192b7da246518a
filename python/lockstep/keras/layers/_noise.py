"""Layers that leave out or change elements at random while training."""

from .._native_layer import NativeLayer
from ._arguments import _channels_last, _given, _seed


class Dropout(NativeLayer):
    """While training, sets elements to 0 with probability `rate` and divides the others by 1 - rate."""

    _passes_masks = True
    _kind = "Dropout"
    _keeps_rows = True

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        if not 0 <= rate <= 1:
            raise ValueError("Invalid value received for argument `rate`. Expected a float value between "
                             f"0 and 1. Received: rate={rate}")
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self._drawn = _seed(seed) if rate > 0 else seed  # what never draws takes no seed from others

    def _options(self):
        made = _given(rate=float(self.rate), seed=self._drawn)
        if self.noise_shape is not None:
            made["noise_shape"] = [-1 if one is None else int(one) for one in self.noise_shape]
        return made


class SpatialDropout1D(Dropout):
    """Drops whole channels of steps."""

    _kind = "SpatialDropout1D"
    _keeps_rows = False

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(rate, None, seed, **kwargs)


class SpatialDropout2D(SpatialDropout1D):
    """Drops whole channels of images."""

    _kind = "SpatialDropout2D"

    def __init__(self, rate, data_format=None, seed=None, **kwargs):
        _channels_last(data_format)
        super().__init__(rate, seed, **kwargs)


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance of normal inputs."""

    _kind = "AlphaDropout"
    _keeps_rows = True


class GaussianDropout(Dropout):
    """While training, multiplies by normals of mean 1."""

    _passes_masks = True
    _kind = "GaussianDropout"
    _keeps_rows = True

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(rate, None, seed, **kwargs)


class GaussianNoise(NativeLayer):
    """While training, adds normals."""

    _passes_masks = True
    _kind = "GaussianNoise"
    _keeps_rows = True

    def __init__(self, stddev, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.stddev, self._drawn = stddev, _seed(seed) if stddev > 0 else seed

    def _options(self):
        return _given(stddev=float(self.stddev), seed=self._drawn)
