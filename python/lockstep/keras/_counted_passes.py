"""Which passes over a dataset a model reads, so that shuffled ones give the orders that they give in Keras."""


class CountedPasses:
    """Where Keras knows how many batches there are, it begins one pass more behind each epoch that it reads, and under a
    strategy one before the first. Passes are counted by the dataset, over all that read it.

    first: the number of the first epoch's pass. each: how many an epoch counts."""

    def __init__(self, dataset, strategy, steps_per_epoch):
        native = getattr(dataset, "_native", None)
        self._native = native if hasattr(native, "count_passes") else None
        known = self._native is not None and not steps_per_epoch and dataset._count() >= 0
        self.each = 2 if known else 1
        self._counts = not steps_per_epoch
        self._epochs = self._inside = 0
        self._before = self.first = 0 if self._native is None else self._native.count_passes(0)
        if known and getattr(strategy, "_native", None) is not None:
            self.first += 1

    def epoch_begins(self):
        self._inside = 1

    def epoch_ends(self, epochs):
        """The last of so many."""
        self._epochs, self._inside = epochs, 0

    def skip(self):
        """Before a pass that is not the first."""
        if self.each > 1:
            self._native.count_passes(self.each - 1)

    def __enter__(self):
        self._set(self.first)
        return self

    def __exit__(self, *error):
        # What else has read the dataset meanwhile, such as a look at its first batch, does not count.
        begun = self.each * self._epochs + self._inside
        if self._counts:
            self._set(self.first + begun if begun else self._before)

    def _set(self, begun):
        if self._native is not None:
            self._native.count_passes(begun - self._native.count_passes(0))
