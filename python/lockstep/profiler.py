"""Profiles: `tf.profiler`. What the thread that starts one does is written as a Chrome trace, which chrome://tracing and
Perfetto open: the steps and phases that it names, the ops of traced functions by lane, waits, messages, and memory.
Not recorded are ops outside of traced functions and the threads of input pipelines."""

from . import _native


class _Running:
    profile = None
    folder = ""
    count = 0  # of profiles of this process
    step = 0   # of steps without numbers of their own
    phase = ""


class experimental:
    """`start` and `stop`, or `Profile` around what is to be recorded; `Trace` names a step or a phase in it."""

    class ProfilerOptions:
        """Taken for TensorFlow's sake: what is recorded is always the same."""

        def __init__(self, host_tracer_level=2, python_tracer_level=0, device_tracer_level=1, delay_ms=None):
            self.host_tracer_level, self.python_tracer_level = host_tracer_level, python_tracer_level
            self.device_tracer_level, self.delay_ms = device_tracer_level, delay_ms

    @staticmethod
    def start(logdir, options=None):
        """Begins to record what this thread does. Raises: AlreadyExistsError while a profile is running."""
        import os
        if _Running.profile is not None:
            from .errors import AlreadyExistsError
            raise AlreadyExistsError(None, None, "Another profiler is running.")
        _Running.folder, _Running.step, _Running.phase = os.fspath(logdir), 0, ""
        _Running.profile = _native.Profile()

    @staticmethod
    def stop(save=True):
        """Ends the profile, on the thread that has started it, and writes LOGDIR/profile/profile-PROCESS-NUMBER.json.
        Raises: UnavailableError where none is running, FailedPreconditionError on another thread."""
        import os
        if _Running.profile is None:
            from .errors import UnavailableError
            raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
        name = f"profile-{os.getpid()}-{_Running.count + 1}.json"
        _Running.profile.end(os.path.join(_Running.folder, "profile", name) if save else "")
        _Running.profile = None
        _Running.count += bool(save)

    class Profile:
        """`with Profile(logdir):` records what happens inside."""

        def __init__(self, logdir, options=None):
            self._logdir, self._options = logdir, options

        def __enter__(self):
            experimental.start(self._logdir, self._options)

        def __exit__(self, *_):
            experimental.stop()

    class Trace:
        """`with Trace("train", step_num=i):` is step i of the profile; without `step_num` a phase of that name."""

        def __init__(self, name, **kwargs):
            self._name, self._values = name, {}
            self.set_metadata(**kwargs)

        def set_metadata(self, **kwargs):
            """Adds what is known of the step: `step_num`; other values are not shown."""
            self._values.update(kwargs)

        def __enter__(self):
            self._is_step = bool({"step_num", "_r"} & set(self._values))
            if self._is_step:
                _Running.step = int(self._values.get("step_num", _Running.step)) + 1
                _native.profile_begin_step(_Running.step - 1)
            self._before, _Running.phase = _Running.phase, self._name
            _native.profile_enter(self._name)
            return self

        def __exit__(self, *_):
            _Running.phase = self._before
            _native.profile_enter(self._before)
            if self._is_step:
                _native.profile_end_step()
