"""`keras.callbacks.SwapEMAWeights`."""

from .callbacks import Callback


class SwapEMAWeights(Callback):
    """Puts the running averages of an optimizer with `use_ema` in the weights' place for evaluation and prediction.

    With `swap_on_epoch` also from the end of an epoch to the begin of the next, for callbacks behind this one.
    Raises: ValueError for an optimizer without averages."""

    def __init__(self, swap_on_epoch=False):
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._swapped = False

    def _pairs(self):
        """[(weight, its average)]"""
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
        if not optimizer._config.get("use_ema"):
            raise ValueError("SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. Received: "
                             f"use_ema={optimizer._config.get('use_ema')}")
        known = {one.name: one for one in optimizer.variables}
        return [(one, known[one.path.replace("/", "_") + "_average"]) for one in optimizer._weights]

    def _swap(self, to_averages):
        if self._swapped == to_averages:
            return
        for weight, average in self._pairs():
            value = weight.value()
            weight.assign(average.value())
            average.assign(value)
        self._swapped = to_averages

    def on_epoch_begin(self, epoch, logs=None):
        if self.swap_on_epoch:
            self._swap(False)

    def on_epoch_end(self, epoch, logs=None):
        if not self.swap_on_epoch or self._swapped:
            return
        self._swap(True)
        if epoch == self.params["epochs"] - 1:  # the end of `fit` makes the averages the weights
            for weight, average in self._pairs():
                average.assign(weight.value())

    def on_test_begin(self, logs=None):
        self._swap(True)

    def on_test_end(self, logs=None):
        self._swap(False)

    def on_predict_begin(self, logs=None):
        self._swap(True)

    def on_predict_end(self, logs=None):
        self._swap(False)
