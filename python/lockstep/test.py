"""Helpers of tests: `tf.test`."""

import contextlib
import shutil
import tempfile
import unittest

import numpy

from . import errors, nest
from ._tape import GradientTape
from ._tensor import convert_to_tensor


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether an op of TensorFlow would be placed on a GPU of CUDA: never."""
    return False


def is_built_with_cuda():
    return False


def is_built_with_gpu_support():
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_rocm():
    return False


def is_built_with_xla():
    return False


def gpu_device_name():
    return ""


def compute_gradient(f, x, delta=None):
    """(the Jacobians of `f` at the list `x` by gradients, the same by central differences).

    For each input a matrix [elements of f(*x), elements of the input], as NumPy arrays. delta: the step of the differences,
    1/1024 if None. Raises: ValueError where x is no list. Source: tf.test.compute_gradient."""
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of arguments. Got: {type(x)}")
    x = [convert_to_tensor(one) for one in x]
    step = 1.0 / 1024 if delta is None else delta
    with GradientTape(persistent=True) as tape:
        for one in x:
            tape.watch(one)
        y = convert_to_tensor(f(*x))
    exact, measured = [], []
    for i, one in enumerate(x):
        exact.append(numpy.reshape(tape.jacobian(y, one, unconnected_gradients="zero").numpy(), [y.numpy().size, -1]))
        columns = []
        for place in range(one.numpy().size):
            ends = []
            for move in (step, -step):
                changed = one.numpy().copy()
                changed.flat[place] += move
                ends.append(convert_to_tensor(f(*x[:i], convert_to_tensor(changed), *x[i + 1:])).numpy().reshape(-1))
            columns.append((ends[0] - ends[1]) / (2 * step))
        measured.append(numpy.stack(columns, 1).astype(one.dtype.as_numpy_dtype) if columns else numpy.zeros_like(exact[-1]))
    return tuple(exact), tuple(measured)


def _array(value):
    return numpy.asarray(value.numpy() if hasattr(value, "numpy") else value)


class TestCase(unittest.TestCase):
    """Assertions about tensors, arrays, and structures of them."""

    def setUp(self):
        super().setUp()
        from .random import set_seed
        set_seed(87654321)

    def _each(self, check, a, b):
        if not nest.is_nested(a) or isinstance(a, (list, tuple)) and not any(nest.is_nested(one) or hasattr(
                one, "shape") for one in a):
            return check(_array(a), _array(b))
        if isinstance(a, dict):
            self.assertCountEqual(a, b)
            return [self._each(check, a[key], b[key]) for key in a]
        if not hasattr(b, "__len__") or len(a) != len(b):
            return check(_array(a), _array(b))
        return [self._each(check, one, two) for one, two in zip(a, b)]

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        self._each(lambda one, two: numpy.testing.assert_allclose(one, two, rtol=rtol, atol=atol, err_msg=msg or ""), a, b)

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3,
                                      half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        def check(one, two):
            kinds = {one.dtype.name, two.dtype.name}
            wide = (bfloat16_rtol, bfloat16_atol) if "bfloat16" in kinds else (half_rtol, half_atol) if (
                "float16" in kinds) else (float_rtol, float_atol) if "float32" in kinds else (rtol, atol)
            numpy.testing.assert_allclose(one.astype("float64"), two.astype("float64"), rtol=max(rtol, wide[0]),
                                          atol=max(atol, wide[1]), err_msg=msg or "")
        self._each(check, a, b)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol)
        except AssertionError:
            return
        raise AssertionError(msg or "The two values are close at all elements.")

    def assertAllEqual(self, a, b, msg=None):
        numpy.testing.assert_array_equal(_array(a), _array(b), err_msg=msg or "")

    def assertNotAllEqual(self, a, b, msg=None):
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(msg or "The two values are equal at all elements.")

    def assertAllGreater(self, a, comparison_target):
        self.assertTrue((_array(a) > comparison_target).all(), f"{a} > {comparison_target}")

    def assertAllGreaterEqual(self, a, comparison_target):
        self.assertTrue((_array(a) >= comparison_target).all(), f"{a} >= {comparison_target}")

    def assertAllLess(self, a, comparison_target):
        self.assertTrue((_array(a) < comparison_target).all(), f"{a} < {comparison_target}")

    def assertAllLessEqual(self, a, comparison_target):
        self.assertTrue((_array(a) <= comparison_target).all(), f"{a} <= {comparison_target}")

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        target = _array(target)
        low = target > lower_bound if open_lower_bound else target >= lower_bound
        high = target < upper_bound if open_upper_bound else target <= upper_bound
        self.assertTrue((low & high).all(), f"{target} is not in the range of {lower_bound} to {upper_bound}")

    def assertAllInSet(self, target, expected_set):
        self.assertTrue(numpy.isin(_array(target), list(expected_set)).all(), f"{target} is not in {expected_set}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for one, two in zip(farray1, farray2):
            self.assertNear(float(one), float(two), err, msg)

    def assertNear(self, f1, f2, err, msg=None):
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r}" + (f" ({msg})" if msg else ""))

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        self.assertTrue(numpy.linalg.norm(_array(ndarray1) - _array(ndarray2)) < err, msg)

    def assertDTypeEqual(self, target, expected_dtype):
        from ._dtypes import as_dtype
        self.assertEqual(as_dtype(_array(target).dtype if not hasattr(target, "dtype") else target.dtype),
                         as_dtype(expected_dtype))

    def assertShapeEqual(self, input_a, input_b, msg=None):
        self.assertEqual(tuple(_array(input_a).shape), tuple(_array(input_b).shape), msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertEndsWith(self, actual, expected_end, msg=None):
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} does not end with {expected_end!r}")

    def assertLen(self, container, expected_len, msg=None):
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container, msg=None):
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container, msg=None):
        self.assertNotEqual(len(container), 0, msg)

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        if callable(expected_err_re_or_predicate):
            return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)
        return self.assertRaisesRegex(errors.OpError, expected_err_re_or_predicate)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """The error must be of the type, and the predicate hold for it, or the expression be found in its text."""
        import re
        holds = expected_err_re_or_predicate
        if not callable(holds):
            def holds(error):
                return re.search(expected_err_re_or_predicate, str(error))
        try:
            yield
        except exception_type as error:
            if not holds(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def evaluate(self, tensors):
        """The values; of tensors of a graph, in the default session."""
        from ._tensor import Tensor

        def value(one):
            if isinstance(one, Tensor) and not one._symbolic or hasattr(one, "numpy") and not isinstance(one, Tensor):
                return one.numpy()
            if isinstance(one, Tensor):
                from .compat.v1 import get_default_session
                return get_default_session().run(one)
            return one
        return nest.map_structure(value, tensors)

    def get_temp_dir(self):
        """A folder of this test's own, which goes with it."""
        if not hasattr(self, "_temp_dir"):
            self._temp_dir = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, self._temp_dir, ignore_errors=True)
        return self._temp_dir

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """Nothing where ops run eagerly; otherwise a session of the graph."""
        from .compat import v1
        if v1.executing_eagerly():
            yield None
            return
        with v1.Session(graph=graph, config=config) as made:
            yield made

    cached_session = test_session = session


def main(argv=None):
    unittest.main(argv=argv)
