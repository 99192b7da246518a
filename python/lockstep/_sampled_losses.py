"""Losses over a sample of many classes: `tf.nn.nce_loss` and `tf.nn.sampled_softmax_loss`."""

from . import nn, ops_array, ops_math
from ._candidate_samplers import compute_accidental_hits, log_uniform_candidate_sampler
from ._dtypes import as_dtype, int64
from ._tensor import convert_to_tensor


def _rows(params, ids, strategy, dtype):
    """Rows of a table, or of one divided into several."""
    if isinstance(params, (list, tuple)) and len(params) == 1:
        params = params[0]
    if isinstance(params, (list, tuple)):
        from .compat import v1
        found = v1.nn.embedding_lookup(list(params), ids, strategy)
    else:
        found = nn.embedding_lookup(params, ids)
    return ops_math.cast(found, dtype)


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
                    strategy, seed):
    """(logits, labels) of the true and the sampled classes. Shapes: [batch, num_true + num_sampled]."""
    inputs, labels = convert_to_tensor(inputs), ops_math.cast(convert_to_tensor(labels), int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_counts, sampled_counts = (ops_array.stop_gradient(convert_to_tensor(one)) for one in sampled_values)
    flat = ops_array.reshape(labels, [-1])
    ids = ops_array.concat([flat, ops_math.cast(sampled, int64)], 0)
    count = ops_array.shape(flat)[0]
    rows, shifts = (_rows(one, ids, strategy, inputs.dtype) for one in (weights, biases))
    true_rows, sampled_rows, true_shifts, sampled_shifts = rows[:count], rows[count:], shifts[:count], shifts[count:]
    true_rows = ops_array.reshape(true_rows, [-1, num_true, rows._shape[-1] or ops_array.shape(rows)[1]])
    true_logits = ops_math.reduce_sum(ops_array.expand_dims(inputs, 1) * true_rows, -1) + ops_array.reshape(true_shifts, [-1, num_true])
    sampled_logits = ops_math.matmul(inputs, sampled_rows, transpose_b=True) + sampled_shifts
    if remove_accidental_hits:
        sampled_logits += _hits(labels, sampled, num_true, sampled_logits)
    true_logits -= ops_math.cast(ops_math.log(true_counts), inputs.dtype)
    sampled_logits -= ops_math.cast(ops_math.log(sampled_counts), inputs.dtype)
    marks = [ops_array.ones_like(true_logits) / num_true, ops_array.zeros_like(sampled_logits)]
    return ops_array.concat([true_logits, sampled_logits], 1), ops_array.concat(marks, 1)


def _hits(labels, sampled, num_true, logits):
    """The lowest float at sampled classes that are true ones of their row, else 0."""
    rows, places, weights = compute_accidental_hits(labels, sampled, num_true)
    indices = ops_array.stack([ops_math.cast(rows, int64), places], 1)
    marked = ops_array.scatter_nd(indices, ops_array.ones_like(weights), ops_array.shape(logits, out_type=int64))
    lowest = convert_to_tensor(as_dtype("float32").min, dtype="float32")
    return ops_math.cast(ops_array.where(marked > 0, lowest, convert_to_tensor(0.0)), logits.dtype)


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, name="nce_loss"):
    """Noise-contrastive estimation (Gutmann and Hyvarinen, 2010): the logistic loss of each example's true classes and of
    `num_sampled` others.

    Args: weights [num_classes, dim], or a list that divides them; biases [num_classes]; labels [batch, num_true]; inputs
    [batch, dim]; sampled_values: what a candidate sampler gave, by default the log-uniform one. Returns: [batch]."""
    return nce_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, "div")


def nce_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, strategy):
    """`nce_loss` with weights divided by a strategy, "div" or "mod"."""
    logits, marks = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                    remove_accidental_hits, strategy, None)
    return ops_math.reduce_sum(nn.sigmoid_cross_entropy_with_logits(labels=marks, logits=logits), -1)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, seed=None, name="sampled_softmax_loss"):
    """The softmax loss over each example's true classes and `num_sampled` others. Arguments and result as `nce_loss`."""
    return sampled_softmax_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                   remove_accidental_hits, "div", seed)


def sampled_softmax_loss_of(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                            remove_accidental_hits, strategy, seed):
    """`sampled_softmax_loss` with weights divided by a strategy, "div" or "mod"."""
    logits, marks = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                    remove_accidental_hits, strategy, seed)
    return nn.softmax_cross_entropy_with_logits(labels=ops_array.stop_gradient(marks), logits=logits)
