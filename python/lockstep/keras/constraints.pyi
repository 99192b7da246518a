from typing import Any

class Constraint:
    """Maps a weight to an allowed one. To write one, derive and override `__call__`."""
    def __call__(self, w) -> Any:
        """Call self as a function."""
        ...
    def get_config(self) -> Any: ...
class MaxNorm(Constraint):
    """Norms of at most `max_value`."""
    def __call__(self, w) -> Any:
        """Call self as a function."""
        ...
    def __init__(self, *args, **kwargs) -> None: ...
class MinMaxNorm(Constraint):
    """Norms moved into a range."""
    def __call__(self, w) -> Any:
        """Call self as a function."""
        ...
    def __init__(self, *args, **kwargs) -> None: ...
class NonNeg(Constraint):
    """No element below zero."""
    def __call__(self, w) -> Any:
        """Call self as a function."""
        ...
    def __init__(self, *args, **kwargs) -> None: ...
class UnitNorm(Constraint):
    """Norms of one."""
    def __call__(self, w) -> Any:
        """Call self as a function."""
        ...
    def __init__(self, *args, **kwargs) -> None: ...
from lockstep.keras.optimizers.schedules import convert_to_tensor as convert_to_tensor
def get(identifier) -> Any:
    """The constraint of a name, a class, an object or a function. Raises: ValueError."""
    ...
max_norm = MaxNorm
min_max_norm = MinMaxNorm
def native(identifier) -> Any: ...
non_neg = NonNeg
unit_norm = UnitNorm
