"""Futures that are waited for are an order: what their functions have assigned is no lost update."""

import subprocess
import sys
import unittest

_PROGRAM = """
import concurrent.futures as futures, time
import lockstep as tf
variable = tf.Variable(0.0)
before = float(variable.numpy())
def assign():
    time.sleep(0.05)
    variable.assign(5.0)
with futures.ThreadPoolExecutor(1) as pool:
    future = pool.submit(assign)
    {wait}
    variable.assign(before + 1)
"""


def _told(wait):
    done = subprocess.run([sys.executable, "-c", _PROGRAM.format(wait=wait)], capture_output=True, text=True, check=True)
    return "lost update" in done.stderr


class FuturesOrder(unittest.TestCase):
    def test_futures_that_have_ended_are_an_order(self):
        for wait in ("future.result(timeout=60)", "futures.wait([future])", "futures.wait(fs=[future], timeout=60)",
                     "list(futures.as_completed([future], timeout=60))", "while not future.done(): time.sleep(0.01)"):
            with self.subTest(wait):
                self.assertFalse(_told(wait))

    def test_futures_that_have_not_are_none(self):
        self.assertTrue(_told("futures.wait([future], timeout=0.001); time.sleep(1)"))


if __name__ == "__main__":
    unittest.main()
