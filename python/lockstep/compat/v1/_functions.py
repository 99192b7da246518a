"""Functions that version 2 has no more, or in another form."""

from ..._tensor import convert_to_tensor
from ._graphs import in_graph


def while_loop(cond, body, loop_vars, *args, **kwargs):
    """`tf.while_loop`; a single variable comes without its list."""
    from ..._control_flow import while_loop as loop
    results = loop(cond, body, loop_vars, *args, **kwargs)
    return results[0] if isinstance(results, (list, tuple)) and len(results) == 1 else results


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, printing `data` when it is computed."""
    from ..._function import control_dependencies
    from ..._host_calls import print_v2
    from ...ops_array import identity
    with control_dependencies([print_v2(message or "", *data)] if in_graph() else []):
        return identity(input_)


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of NumPy arrays gives."""
    from ..._host_calls import numpy_function
    return numpy_function(func, inp, Tout)


def string_split(source, sep=None, skip_empty=True, delimiter=" ", result_type="SparseTensor", name=None):
    """The parts of a vector of texts, as a sparse matrix."""
    from ...ragged import RaggedTensor
    from ...strings import split
    parts = split(source, delimiter if sep is None else sep)
    if skip_empty:
        rows = [[one for one in row if one] for row in parts.to_list()]
        parts = RaggedTensor.from_row_lengths(convert_to_tensor([one for row in rows for one in row], dtype="string"),
                                              [len(row) for row in rows])
    return parts.to_sparse() if result_type == "SparseTensor" else parts


def to_float(x, name=None):
    from ...ops_math import cast
    return cast(x, "float32")


def where_v2(condition, x=None, y=None):
    from ...ops_array import where
    return where(condition, x, y)


def app_run(main, argv=None):
    import sys
    sys.exit(main(argv or sys.argv))
