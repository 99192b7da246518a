"""Names of layers and weights."""

import re

_names = {}
_native_names = {}


def to_snake_case(name):
    """"MaxPooling2D" becomes "max_pooling2d"."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(prefix):
    """"dense", "dense_1", ...: numbered in the process."""
    count = _names.get(prefix, 0)
    _names[prefix] = count + 1
    return prefix if count == 0 else f"{prefix}_{count}"


def reset_names():
    _names.clear()
    _native_names.clear()


def native_name(name):
    """A name that no other native layer has."""
    count = _native_names.get(name, 0)
    _native_names[name] = count + 1
    return name if count == 0 else f"{name}_{count}"
