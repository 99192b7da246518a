from typing import Any

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
from . import activations as activations
from . import backend as backend
from . import callbacks as callbacks
class config:
    @staticmethod
    def backend() -> Any: ...
    @staticmethod
    def disable_traceback_filtering() -> Any: ...
    @staticmethod
    def enable_traceback_filtering() -> Any: ...
    @staticmethod
    def epsilon() -> Any: ...
    @staticmethod
    def floatx() -> Any: ...
    @staticmethod
    def set_floatx(value) -> Any: ...
from . import constraints as constraints
from . import datasets as datasets
from . import initializers as initializers
from . import layers as layers
from . import losses as losses
from . import metrics as metrics
class mixed_precision:
    @staticmethod
    def set_global_policy(policy) -> Any: ...
from . import models as models
def name_scope(name, **kwargs) -> Any:
    """A prefix of the names of variables."""
    ...
from . import ops as ops
from . import optimizers as optimizers
from . import random as random
from . import regularizers as regularizers
from . import saving as saving
from . import utils as utils
def version() -> Any: ...
