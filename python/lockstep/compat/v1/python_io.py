"""Files of records: `tf.compat.v1.python_io`."""

from ...io import TFRecordOptions, TFRecordWriter  # noqa: F401
from ._readers import tf_record_iterator  # noqa: F401
