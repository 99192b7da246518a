"""`keras.mixed_precision`: the dtypes in which layers compute and keep their weights."""

from ._policy import DTypePolicy, dtype_policy, set_dtype_policy  # noqa: F401
from .optimizers import LossScaleOptimizer  # noqa: F401

Policy = DTypePolicy
global_policy = dtype_policy
set_global_policy = set_dtype_policy
