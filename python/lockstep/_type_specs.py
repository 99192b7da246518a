"""What is known of values before there are any: `tf.TypeSpec`."""

import abc


class TypeSpec(abc.ABC):
    """The base of `TensorSpec` and its relatives, for `isinstance`."""


def _register():
    from ._function import TensorSpec
    from .data import DatasetSpec
    from .ragged import RaggedTensorSpec
    from .sparse import SparseTensorSpec
    for one in (TensorSpec, RaggedTensorSpec, SparseTensorSpec, DatasetSpec):
        TypeSpec.register(one)


_register()


def type_spec_from_value(value):
    """The spec of a tensor, a sparse or ragged one, a dataset, or replicas' values. Raises: TypeError for anything else."""
    from ._function import TensorSpec
    from ._tensor import convert_to_tensor, is_tensor
    from ._variable import Variable
    from .ragged import RaggedTensor, RaggedTensorSpec
    from .sparse import SparseTensor, SparseTensorSpec
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if hasattr(type(value), "_type_spec"):
        return value._type_spec
    if getattr(value, "_is_dataset", False):
        from .data import DatasetSpec
        return DatasetSpec(value.element_spec)
    if is_tensor(value) and not isinstance(value, Variable):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Variable) or type(value).__module__.partition(".")[0] in ("builtins", "numpy"):
        try:
            made = convert_to_tensor(value)
        except (TypeError, ValueError):
            pass
        else:
            return TensorSpec(made.shape, made.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")
