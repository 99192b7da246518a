from typing import Any

BY_CODE: Any
OPSET: Any
from lockstep.data import TensorSpec as TensorSpec
from lockstep.keras.optimizers.schedules import convert_to_tensor as convert_to_tensor
def export(model, path, input_signature=None, batch_size=None) -> Any:
    """Writes a model or a function to an ONNX file; see `to_bytes`. The path."""
    ...
def to_bytes(model, input_signature=None, batch_size=None) -> Any:
    """A model or a function as the bytes of an ONNX ModelProto."""
    ...
