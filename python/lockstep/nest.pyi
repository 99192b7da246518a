from typing import Any

def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False) -> Any:
    """ValueError when the structures differ, TypeError when only their types do."""
    ...
def flatten(structure, expand_composites=False) -> Any:
    """The leaves of a structure, in order. `expand_composites`: sparse and ragged tensors give their parts."""
    ...
def flatten_up_to(shallow, structure) -> Any:
    """What stands in `structure` where `shallow` has its leaves. ValueError when they do not fit."""
    ...
def is_nested(value) -> Any:
    """Whether `value` is a structure and not a leaf."""
    ...
def map_structure(func, *structure, **kwargs) -> Any:
    """`func` of the corresponding leaves, in the form of the first structure."""
    ...
def pack_sequence_as(structure, flat_sequence, expand_composites=False) -> Any:
    """The leaves in the form of `structure`. ValueError when their number differs."""
    ...
