"""LOCKSTEP_SCHEDULE, by which `lockstep race` runs programs under many orders of their threads, with Python's threads."""
import os
import subprocess
import sys
import unittest

START = """
import queue, threading
from concurrent.futures import ThreadPoolExecutor
import lockstep as tf
v = tf.Variable(0.0, name="v")
def together(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(v.numpy())
"""


def run(program, seed, limit=120):
    """What the program prints under the order of a seed; None where it does not end within so many seconds."""
    environment = dict(os.environ, LOCKSTEP_SCHEDULE=str(seed), LOCKSTEP_LOG="error")
    try:
        done = subprocess.run([sys.executable, "-c", START + program], capture_output=True, text=True, timeout=limit,
                              env=environment)
    except subprocess.TimeoutExpired:
        return None
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class SchedulesTest(unittest.TestCase):
    def outcomes(self, program, seeds=8):
        """All that the program prints under some seeds, each of which replays."""
        prints = [run(program, seed) for seed in range(seeds)]
        self.assertEqual(run(program, seeds - 1), prints[-1])
        return set(prints)

    def test_a_lost_update_is_found(self):
        self.assertEqual(self.outcomes("""
def add(): v.assign(v + 1.0)
together(add, add)"""), {"1.0", "2.0"})

    def test_functions_take_turns(self):
        self.assertEqual(self.outcomes("""
add = tf.function(lambda: v.assign(v + 3.0))
double = tf.function(lambda: v.assign(v * 2.0))
together(add, double)"""), {"3.0", "6.0"})

    def test_what_is_right_is_so_in_every_order(self):
        self.assertEqual(self.outcomes("""
lock = threading.Lock()
def add():
    for _ in range(2):
        with lock: v.assign(v + 1.0)
together(add, add)""", 6), {"4.0"})

    def test_threads_that_wait_for_a_queue_go_on(self):
        self.assertEqual(self.outcomes("""
things = queue.Queue()
def put():
    for number in (1.0, 2.0): v.assign_add(0.5); things.put(number)
together(put, lambda: [v.assign_add(things.get()) for _ in range(2)])""", 4), {"4.0"})

    def test_threads_that_fail_go_out_of_the_way(self):
        self.assertEqual(self.outcomes("""
threading.excepthook = lambda arguments: print(arguments.exc_value)
def look():
    if v.numpy() == 1.0: raise ValueError("too late")
together(look, lambda: v.assign_add(1.0))"""), {"1.0", "too late\n1.0"})

    def test_several_threads_wait_for_one_queue(self):
        self.assertGreater(len(self.outcomes("""
things = queue.Queue()
def put():
    for number in (1.0, 2.0, 3.0): things.put(number)
def take():
    for _ in range(2): v.assign(v * 2.0 + things.get())
together(put, take, take, lambda: things.put(4.0))""")), 1)

    def test_threads_that_wait_for_each_other_stay_so(self):
        program = """
one, other = threading.Lock(), threading.Lock()
def add(first, second):
    with first, second: v.assign_add(1.0)
together(lambda: add(one, other), lambda: add(other, one))"""
        ends = {run(program, seed, limit=8) for seed in range(4)}
        self.assertEqual(ends, {"2.0", None})

    def test_pools_take_turns(self):
        self.assertGreater(len(self.outcomes("""
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda number: v.assign(v * 2.0 + number), (1.0, 2.0, 3.0, 4.0)))
print(v.numpy())""")), 1)


if __name__ == "__main__":
    unittest.main()
