"""Parts of `tf.data.experimental` that other modules have."""

from ..experimental import Optional  # noqa: F401


class TFRecordWriter:
    """Writes a dataset of texts into a TFRecord file.

    Raises: TypeError for elements that are no texts."""

    def __init__(self, filename, compression_type=None):
        self._filename, self._compression = filename, compression_type

    def write(self, dataset):
        """All elements, one after another."""
        from ..io import TFRecordWriter as Writer
        if getattr(dataset.element_spec, "dtype", None) is None or dataset.element_spec.dtype.name != "string":
            raise TypeError(f"`dataset` must produce scalar `DT_STRING` tensors whereas it produces {dataset.element_spec}")
        with Writer(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)
