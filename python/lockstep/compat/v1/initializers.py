"""First values, and the ops that give them: `tf.initializers`."""

from . import _initializers as _made
from ._first_values import (global_variables_initializer as global_variables, local_variables_initializer as local_variables,  # noqa: F401
                            tables_initializer, variables_initializer as variables)

constant, zeros, ones = _made.constant_initializer, _made.zeros_initializer, _made.ones_initializer
random_normal, random_uniform = _made.random_normal_initializer, _made.random_uniform_initializer
truncated_normal, glorot_uniform = _made.truncated_normal_initializer, _made.glorot_uniform_initializer


def __getattr__(name):
    from ... import keras
    return getattr(keras.initializers, name)
