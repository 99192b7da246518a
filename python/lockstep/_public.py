"""Makes tracebacks end in the user's line: public functions and methods leave no frame of the package."""

import os
import sys
import types

from . import _native

_done = set()


def guard_class(cls):
    """Guards the methods that a class of the package defines."""
    if cls in _done:
        return
    _done.add(cls)
    for name, member in list(vars(cls).items()):
        if name in ("__init_subclass__", "__class_getitem__", "__new__", "__getattr__",
                    "__getattribute__", "__setattr__", "__reduce__", "__repr__", "__str__",
                    "__hash__", "__iter__", "__next__", "__get__", "__set_name__"):
            continue
        if name.startswith("_") and not name.startswith("__"):
            continue
        if isinstance(member, types.FunctionType) and not member.__code__.co_flags & 0x20:
            setattr(cls, name, _native.guard(member))
        elif isinstance(member, staticmethod) and isinstance(member.__func__, types.FunctionType):
            setattr(cls, name, staticmethod(_native.guard(member.__func__)))


def guard_module(names, package="lockstep"):
    """Guards the functions and classes of a module's namespace that the package defines."""
    for name, member in list(names.items()):
        if name.startswith("_"):
            continue
        if isinstance(member, types.FunctionType) and member.__module__ and \
                member.__module__.startswith(package):
            if not member.__code__.co_flags & 0x20:
                names[name] = _native.guard(member)
        elif isinstance(member, type) and str(member.__module__).startswith(package) \
                and not issubclass(member, (BaseException, int)):
            try:
                guard_class(member)
            except TypeError:
                pass


def guard_all(names, folder):
    if os.environ.get("LOCKSTEP_TRACEBACKS") == "full":
        return
    _native.hide_frames_of(folder)
    guard_module(names)
    guard_class(_native.Tensor)
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("lockstep.") and module is not _native:
            pass
