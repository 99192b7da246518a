from typing import Any

class DTypePolicy:
    """In which dtype a layer computes, and in which it keeps its weights."""
    def __init__(self, name='float32') -> None: ...
    @property
    def compute_dtype(self) -> Any: ...
    def convert_input(self, x, autocast, dtype) -> Any:
        """`x` in `dtype` where it is of another floating one."""
        ...
    @classmethod
    def from_config(cls, config) -> Any: ...
    def get_config(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def variable_dtype(self) -> Any: ...
FloatDTypePolicy = DTypePolicy
from lockstep.keras.models import Functional as Functional
from lockstep.keras.initializers import Initializer as Initializer
from lockstep.keras.layers import Input as Input
from lockstep.keras.layers import InputSpec as InputSpec
from lockstep.keras.models import KerasTensor as KerasTensor
from lockstep.keras.layers import Layer as Layer
from lockstep.keras.losses import Loss as Loss
from lockstep.keras.metrics import Metric as Metric
from lockstep.keras.models import Model as Model
from lockstep.keras.optimizers import Optimizer as Optimizer
from lockstep.keras.regularizers import Regularizer as Regularizer
from lockstep.keras.models import Sequential as Sequential
def Variable(initializer, shape=None, dtype=None, trainable=True, autocast=True, aggregation=None, synchronization='auto', name=None, **kwargs) -> Any:
    """A variable as Keras makes it: of an array, or of an initializer and a shape. Raises: ValueError without a shape."""
    ...
from . import activations as activations
from . import applications as applications
from . import backend as backend
from . import callbacks as callbacks
class config:
    @staticmethod
    def backend() -> Any: ...
    @staticmethod
    def disable_interactive_logging() -> Any:
        """`fit` and its like show nothing where they are not told otherwise."""
        ...
    @staticmethod
    def disable_traceback_filtering() -> Any: ...
    @staticmethod
    def dtype_policy() -> Any:
        """The policy of layers that say none."""
        ...
    @staticmethod
    def enable_interactive_logging() -> Any:
        """`fit` and its like show a line of progress where they are not told otherwise."""
        ...
    @staticmethod
    def enable_traceback_filtering() -> Any: ...
    @staticmethod
    def enable_unsafe_deserialization() -> Any:
        """Turns safe mode off for the whole process: files may hold functions as byte code."""
        ...
    @staticmethod
    def epsilon() -> Any: ...
    @staticmethod
    def floatx() -> Any: ...
    @staticmethod
    def image_data_format() -> Any:
        """Where images have their channels when nothing says so: 'channels_last' or 'channels_first'."""
        ...
    @staticmethod
    def is_interactive_logging_enabled() -> Any: ...
    @staticmethod
    def set_dtype_policy(policy) -> Any:
        """From now on layers that say none have this one. Raises: ValueError for another name than `DTypePolicy` takes."""
        ...
    @staticmethod
    def set_epsilon(value) -> Any: ...
    @staticmethod
    def set_floatx(value) -> Any: ...
    @staticmethod
    def set_image_data_format(data_format) -> Any:
        """Raises: ValueError for another one than 'channels_last' and 'channels_first'."""
        ...
from . import constraints as constraints
from . import datasets as datasets
def device(device_name) -> Any:
    """The time in which ops run on a device, as with `tf.device`."""
    ...
from . import dtype_policies as dtype_policies
from . import initializers as initializers
from . import layers as layers
from . import losses as losses
from . import metrics as metrics
from . import mixed_precision as mixed_precision
from . import models as models
def name_scope(name, **kwargs) -> Any:
    """A prefix of the names of variables."""
    ...
from . import ops as ops
from . import optimizers as optimizers
from . import preprocessing as preprocessing
from . import random as random
from . import regularizers as regularizers
from . import saving as saving
from . import tree as tree
from . import utils as utils
def version() -> Any: ...
