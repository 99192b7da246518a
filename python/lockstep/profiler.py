"""Profiles: `tf.profiler`. Python's steps are not recorded yet; what does the same is named."""

import contextlib as _contextlib

_CURE = ("tf.profiler is not built for Python; `lockstep train --profile 10:20 ...` writes a Chrome trace of the steps "
         "10 to 20, and keras.callbacks.TensorBoard(DIR, write_steps_per_second=True) the speed of each epoch")


class experimental:
    """`start`, `stop`, `Profile`: refused with what to use instead; `Trace` and its steps do nothing."""

    @staticmethod
    def start(logdir, options=None):
        """Raises: NotImplementedError, with what to use instead."""
        raise NotImplementedError(_CURE)

    @staticmethod
    def stop(save=True):
        """Raises: UnavailableError, as no profile is being written."""
        from .errors import UnavailableError
        raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")

    @staticmethod
    def Profile(logdir, options=None):
        """Raises: NotImplementedError, with what to use instead."""
        raise NotImplementedError(_CURE)

    @staticmethod
    @_contextlib.contextmanager
    def Trace(name, **kwargs):
        """A context that marks a step in a profile; there is none, so nothing happens."""
        yield
