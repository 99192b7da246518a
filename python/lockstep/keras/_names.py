"""Names of layers."""

import re


def to_snake_case(name):
    """"MaxPooling2D" becomes "max_pooling2d"."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
