import tensorflow as tf
import numpy as np
th, nu = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1., 2.])])
print([t.round(3).tolist() for t in th], [np.round(t, 2).tolist() for t in nu])
th, nu = tf.test.compute_gradient(lambda x, y: tf.matmul(x, y), [np.ones([2, 2], 'float64'), np.ones([2, 1], 'float64')])
print([t.shape for t in th], np.allclose(th[0], nu[0]))
class T(tf.test.TestCase):
    def test_a(self):
        self.assertAllClose([1.0], tf.constant([1.0 + 1e-8]))
        self.assertAllEqual([1], tf.constant([1]))
        self.assertShapeEqual(np.ones([2]), tf.ones([2]))
        self.assertDTypeEqual(tf.ones([2]), tf.float32)
        with self.assertRaisesRegex(ValueError, 'x'):
            raise ValueError('x')
        self.assertAllGreater(tf.constant([2.0]), 1.0)
        self.assertAllInRange([1, 2], 1, 2)
        self.assertAllInSet([1, 2], [1, 2, 3])
        self.assertNear(1.0, 1.0001, 0.01)
        self.assertNotAllClose([1.0], [2.0])
        self.assertArrayNear([1.0], [1.0], 1e-3)
        print(self.evaluate(tf.constant(3)))
        with self.cached_session():
            print(self.get_temp_dir() is not None)
        self.assertStartsWith('abc', 'a')
        self.assertLen([1], 1)
        self.assertEmpty([])
import unittest
r = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(unittest.TestLoader().loadTestsFromTestCase(T))
print(r.testsRun, len(r.errors), len(r.failures))
for e in r.errors + r.failures: print(e[1][-200:])
