"""Branches, loops and maps over tensors: built while a function is traced, else run."""

import contextlib

from . import _composites, _native, _refused, _row_loops, errors, nest
from ._axes import require_rank
from ._dtypes import TensorShape
from ._function import Function, TensorSpec, _flatten_results, _pack_results, control_dependencies
from ._tensor import convert_to_tensor, is_tensor as is_plain
from ._tensor_array import TensorArray
from ._variable import Variable


def cond(pred, true_fn=None, false_fn=None, name=None):
    """What `true_fn()` gives if `pred` holds, else what `false_fn()` gives. While a function is traced
    both are traced; they must give the same structure and dtypes."""
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if not isinstance(pred, bool):
        pred = convert_to_tensor(pred)
    if isinstance(pred, bool) or not pred._symbolic:
        made = true_fn() if bool(pred) else false_fn()
        if not _native.has_graph():
            return made
        return nest.map_structure(lambda one: convert_to_tensor(one) if isinstance(one, (bool, int, float)) else one, made)
    structures = []

    def branch(python):
        def call():
            flat, structure = _flatten_results(python())
            structures.append(structure)
            return flat
        return call
    try:
        results = _native.cond(pred, branch(true_fn), branch(false_fn))
    except errors.InvalidArgumentError as error:
        if len(structures) < 2 or structures[0] is None or structures[1] is None:
            raise
        raise TypeError("true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of return "
                        f"values. {error}") from None
    first, second = structures[0], structures[-1]
    if first != second and (nest.is_nested(first) != nest.is_nested(second)
                            or first is None or second is None):
        raise TypeError("true_fn and false_fn arguments to tf.cond must have the same number, type, "
                        f"and overall structure of return values. Got {first} and {second}.")
    return _pack_results(first, results)


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """What the function of the first predicate that holds gives.

    Raises: InvalidArgumentError where none holds and there is no default, and with `exclusive` where several hold."""
    _refused.only("case", strict=(strict, False))
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if exclusive:
        pairs = _at_most_one(pairs, len(pairs) - (default is None))

    def build(rest):
        if not rest:
            if default is None:
                raise errors.InvalidArgumentError(None, None, "[case] no predicate holds")
            return default()
        predicate, branch = rest[0]
        if len(rest) == 1 and default is None:
            with _holding(predicate, "Input error: None of conditions evaluated as True:"):
                return branch()
        return cond(predicate, branch, lambda: build(rest[1:]))
    return build(pairs)


def _holding(predicate, message):
    """A context for what is run if the predicate holds. Raises, or lets the run raise: InvalidArgumentError."""
    from ._host_calls import Assert
    check = Assert(predicate, [message])
    return contextlib.nullcontext() if check is None else control_dependencies([check])


def _at_most_one(pairs, count):
    """The pairs of a predicate and a function, of whose first `count` predicates one may hold."""
    from . import ops_array, ops_math
    if count < 2:
        return pairs
    number = ops_math.reduce_sum(ops_math.cast(ops_array.stack([one for one, _ in pairs[:count]]), "int32"))
    with _holding(number <= 1, f"Input error: exclusive=True: more than 1 of {count} conditions evaluated as True:"):
        return [(ops_array.identity(one), branch) for one, branch in pairs]


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What the function with the number `branch_index` gives; the last one, or default, beyond."""
    items = dict(branch_fns) if isinstance(branch_fns, dict) or (
        branch_fns and isinstance(branch_fns[0], tuple)) else dict(enumerate(branch_fns))
    last = default or items[max(items)]
    index = convert_to_tensor(branch_index)
    return case([(_native.equal(index, convert_to_tensor(number, dtype=index.dtype)), branch)
                 for number, branch in sorted(items.items())], last)


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
               back_prop=True, swap_memory=False, maximum_iterations=None, name=None):
    """Repeats loop_vars = body(*loop_vars) while cond(*loop_vars) holds, and gives the last ones.

    Raises: ValueError when a variable changes its shape (but for `shape_invariants`); TypeError when it changes its dtype, and for
    other structures."""
    if not callable(cond) or not callable(body):
        raise TypeError("'cond' and 'body' must be callable.")
    if not loop_vars and not isinstance(loop_vars, (list, tuple, dict)):
        raise ValueError("'loop_vars' must be provided.")
    if isinstance(loop_vars, dict):
        loop_vars = [loop_vars]
    if any(_composites.is_composite(one) for one in nest.flatten(loop_vars)):
        return _loop_of_parts(cond, body, loop_vars, shape_invariants, maximum_iterations)
    flat = [one if isinstance(one, TensorArray) else convert_to_tensor(one)
            for one in nest.flatten(loop_vars)]
    if not _native.is_tracing():
        return _loop_eagerly(cond, body, loop_vars, flat, maximum_iterations)
    return _trace_loop(cond, body, loop_vars, flat, shape_invariants, maximum_iterations)


def _loop_of_parts(cond, body, loop_vars, shape_invariants, maximum_iterations):
    """A loop whose variables include ragged and sparse tensors or extension types: a loop over their parts."""
    def next_parts(*parts):
        made = body(*_composites.whole(parts))
        return _composites.apart([made] if len(loop_vars) == 1 and _composites.is_composite(made) else made)
    invariants = None if shape_invariants is None else _composites.apart(shape_invariants)
    return _composites.whole(while_loop(lambda *parts: cond(*_composites.whole(parts)), next_parts, _composites.apart(loop_vars),
                                        invariants, maximum_iterations=maximum_iterations))


def _call_with(function, loop_vars, flat):
    packed = nest._pack(loop_vars, iter(flat))
    return function(*packed)


def _shaped_like(result, loop_vars):
    """The loop's variables in the form in which the body gives them."""
    if len(loop_vars) == 1 and not (isinstance(result, (list, tuple)) and len(result) == 1):
        return type(loop_vars)([result]) if isinstance(loop_vars, (list, tuple)) else [result]
    return result


def _again(result, loop_vars):
    if len(loop_vars) == 1 and not (isinstance(result, (list, tuple)) and len(result) == 1):
        result = [result]
    try:
        nest.assert_same_structure(list(loop_vars), list(result), check_types=True)
    except (TypeError, ValueError):
        nest.assert_same_structure(list(loop_vars), list(result), check_types=False)
    return [one if isinstance(one, TensorArray) else convert_to_tensor(one)
            for one in nest.flatten(list(result))]


def _loop_eagerly(cond, body, loop_vars, flat, maximum_iterations):
    done = 0
    while (maximum_iterations is None or done < int(maximum_iterations)) and bool(
            convert_to_tensor(_call_with(cond, loop_vars, flat))):
        result = _call_with(body, loop_vars, flat)
        flat = _again(result, loop_vars)
        loop_vars = _shaped_like(result, loop_vars)
        done += 1
    packed = nest._pack(loop_vars, iter(flat))
    return packed


def _with_element_shapes(body, loop_vars, flat):
    """The variables, where arrays without elements know from one iteration which shape theirs have."""
    lacking = [one for one in flat if isinstance(one, TensorArray) and one._lacks_shape()]
    if not lacking:
        return flat
    ends = []

    def look():
        ends.extend(_again(_call_with(body, loop_vars, flat), loop_vars))
    _native.scratch(look)
    return [first._with_shape_of(last) if isinstance(first, TensorArray) and isinstance(last, TensorArray) else first
            for first, last in zip(flat, ends)]


def _trace_loop(cond, body, loop_vars, flat, invariants, maximum_iterations):
    from ._autograph_run import declared_shapes, leaves_of, rebuilt
    flat = _with_element_shapes(body, loop_vars, flat)

    def holds(tensors):
        return [convert_to_tensor(_call_with(cond, loop_vars, rebuilt(flat, tensors)))]

    changed = []

    def step(tensors):
        made = leaves_of(_again(_call_with(body, loop_vars, rebuilt(flat, tensors)), loop_vars))
        changed[:] = [True for before, after in zip(tensors, made) if before.dtype != after.dtype]
        return made
    shapes = declared_shapes(flat, None if invariants is None else [TensorShape(one) for one in _flat_invariants(invariants)])
    limit = -1 if maximum_iterations is None else int(maximum_iterations)
    try:
        results = _native.while_loop(holds, step, leaves_of(flat), limit, shapes)
    except errors.InvalidArgumentError as error:
        raise (TypeError if changed else ValueError)(str(error)) from None
    return nest._pack(loop_vars, iter(rebuilt(flat, results)))


def _flat_invariants(invariants):
    if isinstance(invariants, (TensorShape, TensorSpec)):
        return [getattr(invariants, "shape", invariants)]
    flat = []
    for one in invariants:
        flat.extend(_flat_invariants(one) if isinstance(one, (list, tuple)) and not all(
            size is None or isinstance(size, int) for size in one) else
            [getattr(one, "shape", one)])
    return flat


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None, fn_output_signature=None):
    """`fn` of each element along axis 0, stacked. While a function is traced `fn` is traced once.

    Of a ragged or sparse tensor the elements are its rows; results that are such ones, too, give one, and where
    `fn_output_signature` is a RaggedTensorSpec the result is ragged."""
    from . import ragged, sparse
    leaves = [sparse.rows_of(one) if isinstance(one, sparse.SparseTensor) else
              one if isinstance(one, ragged.RaggedTensor) else [row.whole() for row in one._parts().rows()]
              if _composites.is_composite(one) else convert_to_tensor(one) for one in nest.flatten(elems)]
    signature = dtype if fn_output_signature is None else fn_output_signature
    plain = all(is_plain(one) for one in leaves)
    _require_leaves(leaves)
    if any(is_plain(one) and one._rank == 0 for one in leaves):
        raise ValueError("elements in elems must be 1+ dimensional Tensors, not scalars")
    rows = leaves[0]._shape[0] if is_plain(leaves[0]) else len(leaves[0])
    if _native.is_tracing() and plain and not isinstance(signature, ragged.RaggedTensorSpec):
        try:
            return _row_loops.map_rows(fn, elems, leaves, rows)
        except _row_loops.CannotStack:
            if rows is None:
                raise
    if rows == 0 and plain and not isinstance(signature, ragged.RaggedTensorSpec):
        return nest.map_structure(_none_of, _form_of(fn, elems, leaves))
    results = []
    for i in range(rows):
        with _after(results):
            results.append(_row_loops.read(fn(nest._pack(elems, iter([one[i] for one in leaves])))))
    return _stacked_results(results, elems, signature)


def _stacked_results(results, elems, signature):
    from . import ops_array, ragged
    if isinstance(signature, ragged.RaggedTensorSpec) or signature is None and isinstance(elems, ragged.RaggedTensor):
        splits = getattr(signature, "row_splits_dtype", "int64")
        return ragged.stack(results).with_row_splits_dtype(splits)
    stacked = [_composites.stacked(column) if _composites.is_composite(column[0]) else ops_array.stack(list(column))
               for column in zip(*[nest.flatten(one) for one in results])]
    return nest._pack(results[0], iter(stacked))


def _after(results):
    """A context whose ops in a graph of version 1 come after those of the last result: what it assigns is read before."""
    if not (results and _native.has_graph()):
        return contextlib.nullcontext()
    return control_dependencies([one for one in nest.flatten(results[-1]) if is_plain(one) and one._symbolic])


def _form_of(fn, elems, leaves):
    """What `fn` gives for a row, as specs."""
    row = [TensorSpec(one._shape[1:], one.dtype) for one in leaves]
    return Function(fn).get_concrete_function(nest._pack(elems, iter(row))).structured_outputs


def _none_of(row):
    """A stack of no rows of this shape and dtype."""
    from . import ops_array
    return ops_array.zeros([0] + [size or 0 for size in row.shape], row.dtype)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`fn`, which is traced once, of each element along axis 0, stacked."""
    leaves = nest.flatten(elems)
    if _native.is_tracing() or any(_composites.is_composite(one) for one in leaves):
        return map_fn(fn, elems)
    return Function(lambda given: map_fn(fn, given))(nest.map_structure(convert_to_tensor, elems))


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
         infer_shape=True, reverse=False, name=None):
    """All running values of state = fn(state, element) along axis 0. While a function is traced `fn` is traced once.

    Raises: InvalidArgumentError for no elements and no initializer; in traced functions ValueError where a state changes
    its shape."""
    from . import ops_array
    leaves = [convert_to_tensor(one) for one in nest.flatten(elems)]
    _require_rows(leaves, initializer)
    if _native.is_tracing():
        return _row_loops.scan_rows(fn, elems, leaves, initializer, reverse)
    states = _states(fn, elems, leaves, initializer, reverse)
    if not states:
        return nest.map_structure(lambda one: _none_of(convert_to_tensor(one)), initializer)
    if reverse:
        states.reverse()
    columns = zip(*[nest.flatten(one) for one in states])
    return nest._pack(states[0], iter([ops_array.stack(list(column)) for column in columns]))


def _require_leaves(leaves):
    if not leaves:
        raise ValueError("elems must be a tensor or a structure of tensors; got none")


def _require_rows(leaves, initializer):
    _require_leaves(leaves)
    for one in leaves:
        require_rank(one, 1, "elems")
    if leaves[0]._shape[0] == 0 and initializer is None:
        raise errors.InvalidArgumentError(None, None, "[scan] without an initializer at least one element is needed; got none; "
                                          "give an initializer")


def _states(fn, elems, leaves, initializer, reverse):
    """The state after each element, the last element's first for `reverse`."""
    order = list(range(leaves[0]._shape[0]))
    if reverse:
        order.reverse()
    rows = [nest._pack(elems, iter([one[i] for one in leaves])) for i in order]
    states = []
    if initializer is None:
        state = rows.pop(0)
        states.append(state)
    else:
        state = nest.map_structure(convert_to_tensor, initializer)
    for row in rows:
        state = _row_loops.read(fn(state, row))
        states.append(state)
    return states


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """The last state of state = fn(state, element) along axis 0; the initializer for no elements.

    Raises: as `scan`."""
    return _fold(fn, elems, initializer, False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """The same from the last element on."""
    return _fold(fn, elems, initializer, True)


def _fold(fn, elems, initializer, reverse):
    leaves = [convert_to_tensor(one) for one in nest.flatten(elems)]
    _require_rows(leaves, initializer)
    begin = None if initializer is None else nest.map_structure(convert_to_tensor, initializer)
    if _native.is_tracing():
        return _row_loops.fold_rows(fn, elems, leaves, begin, reverse)
    states = _states(fn, elems, leaves, begin, reverse)
    return states[-1] if states else begin
