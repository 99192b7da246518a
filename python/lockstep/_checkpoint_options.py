"""Options of checkpoints: `tf.train.CheckpointOptions`."""

import inspect

from . import _refused, _whole_files


class CheckpointOptions:
    """enable_async: a save returns once the values are held, and a thread of its own writes them; the next call of that
    checkpoint waits for it, and raises what went wrong with it. experimental_write_callbacks: functions, of the path or of
    nothing, that are called once a checkpoint is written. Other options can only have their defaults."""

    def __init__(self, experimental_io_device=None, experimental_enable_async_checkpoint=False, experimental_write_callbacks=None,
                 enable_async=False, experimental_skip_slot_variables=False, experimental_sharding_callback=None):
        _refused.only("CheckpointOptions", experimental_sharding_callback=(experimental_sharding_callback, None),
                      experimental_skip_slot_variables=(experimental_skip_slot_variables, False))
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = enable_async or experimental_enable_async_checkpoint
        for one in experimental_write_callbacks or ():
            if len(inspect.signature(one).parameters) > 1:
                raise AssertionError(f"[CheckpointOptions] experimental_write_callbacks take no argument or one; got {one}")
        self.experimental_write_callbacks = experimental_write_callbacks


def call_back(options, path):
    """Calls the functions that the options name for a checkpoint that is written."""
    for one in getattr(options, "experimental_write_callbacks", None) or ():
        one(*[path][:len(inspect.signature(one).parameters)])


def is_async(options):
    """Whether a thread of its own writes."""
    return bool(getattr(options, "enable_async", False))


def way(options):
    """How the native checkpoint is to write: whether by a thread, and the strategy of the workers that pass one path, of which
    one writes."""
    strategy = _whole_files.of_workers()
    return is_async(options), None if strategy is None else strategy._native
