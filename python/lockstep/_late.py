"""Restores that wait for objects which do not exist yet: a model's weights are made by its first call."""

import weakref

from . import _native

waiting = []  # weak references to checkpoints


def wait(checkpoint):
    """From now on objects of the checkpoint get their saved values when they are made."""
    waiting[:] = [one for one in waiting if one() is not None and one() is not checkpoint]
    waiting.append(weakref.ref(checkpoint))


def stop(checkpoint):
    waiting[:] = [one for one in waiting if one() is not None and one() is not checkpoint]


def restore():
    """Gives variables that were made since the last time their saved values."""
    scope = _native.EagerScope()
    scope.enter()
    try:
        for one in list(waiting):
            checkpoint = one()
            if checkpoint is not None and not checkpoint._is_of_other_strategy():
                checkpoint._restore_new()
    finally:
        scope.exit()
