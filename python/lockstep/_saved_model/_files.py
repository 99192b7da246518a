"""The files of a SavedModel, read with checks: a damaged one raises DamagedFileError with its name."""

import os

from .. import errors
from .._damage import reading, refuse
from .._dtypes import BY_CODE
from ._protos import Message

MOST_BYTES = (1 << 31) - 1  # of saved_model.pb: a protocol buffer is no larger
_MOST_REPEATED = 1 << 26  # bytes of a constant that a file gives fewer values than elements
_VALUES = ("float_val", "double_val", "int_val", "int64_val", "bool_val", "half_val")


def broken(text):
    """The error about a file whose parts do not fit together."""
    return errors.DataLossError(None, None, "[saved_model] " + text)


def paths_of(export_dir):
    """(the path of saved_model.pb or saved_model.pbtxt, the prefix of the checkpoint). Raises: OSError where there is none."""
    folder = os.fspath(export_dir)
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        if os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name), os.path.join(folder, "variables", "variables")
    raise OSError(f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}")


def read(export_dir):
    """The message SavedModel of a folder. Raises: OSError where there is none, DamagedFileError."""
    path, _ = paths_of(export_dir)
    size = os.path.getsize(path)
    if size > MOST_BYTES:
        refuse(path, f"it must have at most {MOST_BYTES} bytes; got {size}")
    with reading(path):
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if path.endswith(".pbtxt"):
            from .._message_text import parsed
            made = parsed("SavedModel", data.decode())
        else:
            made = Message("SavedModel", data)
        if not made.meta_graphs:
            refuse(path, "it must hold a MetaGraphDef; got none")
        return made


def meta_graph_of(saved_model, tags, path):
    """The MetaGraphDef with these tags; without tags the only one. Raises: RuntimeError, ValueError where there is none."""
    wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
    have = [set(one.meta_info_def.tags) for one in saved_model.meta_graphs]
    for meta, own in zip(saved_model.meta_graphs, have):
        if own == wanted or wanted is None and len(have) == 1:
            return meta
    if wanted is None:
        raise ValueError(f"[saved_model] {path} has {len(have)} MetaGraphDefs, with the tags {[sorted(one) for one in have]}; give tags=")
    raise ValueError(f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel {path}, with available "
                     f"tags '{[sorted(one) for one in have]}'.")


def checked_array(proto):
    """The NumPy array of a TensorProto of a file, its sizes checked before memory is taken: where there are fewer values than
    elements, the last one is repeated. Raises: DataLossError; UnimplementedError for a dtype that Lockstep does not have."""
    import numpy
    dtype = BY_CODE[proto.dtype] if 0 < proto.dtype < len(BY_CODE) else None
    if dtype is None or dtype.name in ("resource", "variant"):
        from .._dtypes import of_number
        raise errors.UnimplementedError(None, None, f"[saved_model] constants of {getattr(of_number(proto.dtype), 'name', proto.dtype)} "
                                        "are not taken")
    shape = [one.size for one in proto.tensor_shape.dim]
    count = 1
    for size in shape:
        if size < 0 or (count := count * size) > 1 << 40:
            raise broken(f"sizes of a constant must be counts; got {shape}")
    width = 8 if dtype.name == "string" else 2 if dtype.name == "bfloat16" else numpy.dtype(dtype.as_numpy_dtype).itemsize
    if proto.tensor_content:
        if len(proto.tensor_content) != count * width:
            raise broken(f"a constant of the shape {shape} must have {count * width} bytes; "
                         f"got {len(proto.tensor_content)}")
        return _from_bytes(proto.tensor_content, dtype, shape)
    values = list(proto.string_val) if dtype.name == "string" else next(
        (found for name in _VALUES if (found := getattr(proto, name))), [])
    if len(values) > max(count, 1) or len(values) < count and count * width > _MOST_REPEATED:
        raise broken(f"a constant of the shape {shape} must have its values in the file; got "
                     f"{len(values)} of {count}")
    return _from_values(values, dtype, shape, count)


def _from_bytes(data, dtype, shape):
    import numpy
    if dtype.name != "bfloat16":
        return numpy.frombuffer(data, numpy.dtype(dtype.as_numpy_dtype).newbyteorder("<")).astype(dtype.as_numpy_dtype).reshape(shape)
    return (numpy.frombuffer(data, "<u2").astype(numpy.uint32) << 16).view(numpy.float32).reshape(shape)


def _from_values(values, dtype, shape, count):
    import numpy
    if dtype.name == "string":
        made = numpy.empty(count, dtype=object)
        made[:] = (values + [values[-1] if values else b""] * count)[:count]
        return made.reshape(shape)
    if dtype.name in ("float16", "bfloat16"):
        halves = numpy.array([one & 0xffff for one in values] or [0], numpy.uint16)
        found = halves.view(numpy.float16) if dtype.name == "float16" else (halves.astype(numpy.uint32) << 16).view(numpy.float32)
    else:
        found = numpy.array(values or [0]).astype(dtype.as_numpy_dtype)
    made = numpy.full(count, found[-1])
    made[:min(len(found), count)] = found[:count]
    return made.reshape(shape)
