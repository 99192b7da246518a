from typing import Any

def convert_callable(function) -> Any:
    """The rewritten function; the function itself where there is nothing to rewrite or no source."""
    ...
class do_not_convert:
    """Decorates a function that is to be traced as it stands."""
    ...
class experimental:
    """Hints for traced functions."""
    @staticmethod
    def do_not_convert(func=None) -> Any:
        """A function that is called as it is while others are traced."""
        ...
    @staticmethod
    def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None) -> Any:
        """Options of the loop in whose body it stands. They are not needed: shapes may grow along axis 0."""
        ...
def set_verbosity(level, alsologtostdout=False) -> Any:
    """Taken; what cannot be traced is told in an error, not in a log."""
    ...
def to_code(entity, recursive=True, experimental_optional_features=None) -> Any:
    """The rewritten source of a function."""
    ...
def to_graph(entity, recursive=True, experimental_optional_features=None) -> Any:
    """The function with its control flow over tensors taken over, as `tf.function` does before it traces. Functions that it"""
    ...
def trace(*args) -> Any:
    """Prints what is there while a function is traced: symbolic tensors, not their values."""
    ...
