"""What happens before what in the threads of a program, for the reports of races, and for schedules.

Python's threads begin and end behind the library's back. So the classes of `threading` and `queue` tell it: a
thread's start and its joining, barriers, elements of a `Queue`, and the functions and futures of a
`ThreadPoolExecutor`. Locks, conditions, semaphores and events say nothing: around the assignment alone they are
what a lost update looks like."""

import concurrent.futures.thread
import functools
import os
import queue
import sys
import threading
from _thread import allocate_lock

from . import _native

_LIBRARY = {module.__file__ for module in (threading, queue, concurrent.futures._base, concurrent.futures.thread)} | {__file__}
_installed = []
_contexts = []


def _order(owner):
    """The order that goes with a barrier, a future or a queue."""
    made = owner.__dict__.get("_lockstep_order")
    if made is None:
        made = owner.__dict__.setdefault("_lockstep_order", _native.HandOver())
    return made


def _replaces(cls, name):
    """Puts a function in the place of a method, which it gets as its first argument."""
    def decorate(function):
        original = getattr(cls, name)

        @functools.wraps(original)
        def method(self, *args, **kwargs):
            return function(original, self, *args, **kwargs)
        setattr(cls, name, method)
        return function
    return decorate


def install():
    """From now on the library is told; once."""
    if _installed:
        return
    _installed.append(True)
    _watch_threads()
    _watch_meetings()
    _watch_queues()
    if _native.is_scheduled():
        _schedule_locks()


def _watch_threads():
    @_replaces(threading.Thread, "start")
    def start(original, self):
        if "_lockstep_link" not in self.__dict__:
            self._lockstep_link = _native.ThreadLink()
            self.run = functools.partial(_run_linked, self, self.run)
        return original(self)

    @_replaces(threading.Thread, "join")
    def join(original, self, timeout=None):
        link = self.__dict__.get("_lockstep_link")
        if link is not None and timeout is None and self is not threading.current_thread() and self.ident is not None:
            link.joining()
        made = original(self, timeout)
        self.is_alive()
        return made

    @_replaces(threading.Thread, "is_alive")
    def is_alive(original, self):
        made = original(self)
        link = self.__dict__.get("_lockstep_link")
        if link is not None and not made:
            link.joined()  # or it has not begun, and has nothing to tell
        return made

    @_replaces(concurrent.futures.ThreadPoolExecutor, "submit")
    def submit(original, self, fn, /, *args, **kwargs):
        before = _native.HandOver()
        before.give()

        def later(*args, **kwargs):
            before.take()
            return fn(*args, **kwargs)
        return original(self, later, *args, **kwargs)


def enter_in_threads(make_context):
    """From now on each thread of `threading` that starts runs in a context of its own, as `make_context()` gives it; once."""
    if make_context in _contexts:
        return
    _contexts.append(make_context)

    @_replaces(threading.Thread, "start")
    def start(original, self):
        run = self.run

        def in_context():
            with make_context():
                run()
        self.run = in_context
        return original(self)


def _run_linked(thread, run):
    thread._lockstep_link.begin()
    try:
        run()
    except Exception as error:
        thread._lockstep_link.failed(f"{type(error).__name__}: {error}")
        raise
    finally:
        thread._lockstep_link.end()
        thread.__dict__.pop("run", None)


def _place():
    """Where the program waits, as file and line."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename in _LIBRARY:
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}".replace(" ", "_")


class _Waiter:
    """A lock for which threads that take turns wait by trying again at their next turn."""

    def __init__(self):
        self._lock = allocate_lock()
        self.locked, self._at_fork_reinit = self._lock.locked, self._lock._at_fork_reinit
        self.release = self._lock.release

    def acquire(self, blocking=True, timeout=-1):
        if not blocking or timeout >= 0:
            return self._lock.acquire(blocking, timeout)
        if self._lock.acquire(False):
            return True
        if not _native.yield_turn(_place()):
            return self._lock.acquire()
        while not self._lock.acquire(False):
            _native.yield_turn("")
        _native.got_it()
        return True

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()


class _Lock(_Waiter):
    """One of the program's own, before which another thread may get its turn."""

    def acquire(self, blocking=True, timeout=-1):
        if blocking:
            _native.offer_turn()
        return super().acquire(blocking, timeout)


class _Started:
    """What `Thread.start` waits for. The new thread tells it before it takes turns."""

    def __init__(self):
        self._lock, self._set = allocate_lock(), False
        self._lock.acquire()
        self._at_fork_reinit = self._lock._at_fork_reinit

    def is_set(self):
        return self._set

    def set(self):
        if not self._set:
            self._set = True
            self._lock.release()

    def wait(self, timeout=None):
        with self._lock:
            return True


def _schedule_locks():
    """Locks, and what `threading` and `queue` make of them, are waited for by turns, so that orders of threads replay."""
    threading.Lock = _Lock
    threading._allocate_lock = _Waiter
    threading._CRLock = None  # so that RLock is the one that is written in Python
    queue.SimpleQueue = queue._PySimpleQueue

    @_replaces(threading.Thread, "__init__")
    def init(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        self._started = _Started()


def _watch_meetings():
    @_replaces(threading.Barrier, "wait")
    def meet(original, self, timeout=None):
        _order(self).give()
        made = original(self, timeout)
        _order(self).take()
        return made

    for name in ("set_result", "set_exception"):
        @_replaces(concurrent.futures.Future, name)
        def settle(original, self, value):
            _order(self).give()
            return original(self, value)
    for name in ("result", "exception"):
        @_replaces(concurrent.futures.Future, name)
        def ask(original, self, timeout=None):
            try:
                return original(self, timeout)
            finally:
                _order(self).take()

    @_replaces(concurrent.futures.Future, "done")
    def look(original, self):
        made = original(self)
        if made:
            _order(self).take()
        return made

    wait, as_completed = concurrent.futures.wait, concurrent.futures.as_completed

    @functools.wraps(wait)
    def wait_for(*args, **kwargs):
        made = wait(*args, **kwargs)
        for future in made.done:
            _order(future).take()
        return made

    @functools.wraps(as_completed)
    def each_completed(*args, **kwargs):
        for future in as_completed(*args, **kwargs):
            _order(future).take()
            yield future
    concurrent.futures.wait, concurrent.futures.as_completed = wait_for, each_completed


def _watch_queues():
    for name in ("put", "task_done"):
        @_replaces(queue.Queue, name)
        def give(original, self, *args, **kwargs):
            _order(self).give()
            return original(self, *args, **kwargs)
    for name in ("get", "join"):
        @_replaces(queue.Queue, name)
        def take(original, self, *args, **kwargs):
            made = original(self, *args, **kwargs)
            _order(self).take()
            return made
