"""Version 1: graphs, placeholders, sessions, optimizers."""
import concurrent.futures
import queue
import tempfile
import threading
import time
import unittest

import numpy as np

import lockstep
import lockstep.compat.v1 as tf


class Graphs(unittest.TestCase):
    def test_a_regression(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 2], name="x")
            y = tf.placeholder(tf.float32, [None, 1])
            w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
            b = tf.Variable(tf.zeros([1]), name="b")
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
            self.assertEqual((x.name, loss.name), ("x:0", "Mean:0"))
            self.assertEqual(str(loss), 'Tensor("Mean:0", shape=(), dtype=float32)')
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            gradient = tf.gradients(loss, [w])[0]
            xs = np.random.RandomState(0).rand(16, 2).astype("float32")
            feeds = {x: xs, y: xs.sum(1, keepdims=True)}
            with tf.Session() as session:
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "'w'"):
                    session.run(w)
                session.run(tf.global_variables_initializer())
                first = session.run(loss, feeds)
                for _ in range(100):
                    _, last = session.run([train, loss], feeds)
                self.assertLess(last, first / 10)
                self.assertEqual(session.run(gradient, feeds).shape, (2, 1))
                self.assertEqual(session.run("x:0", feeds).shape, (16, 2))
                self.assertIsNone(session.run(train, feeds))
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "placeholder"):
                    session.run(loss)
                with self.assertRaisesRegex(ValueError, "Cannot feed value of shape"):
                    session.run(loss, {x: xs[:, :1], y: xs[:, :1]})
                with self.assertRaises(ValueError):
                    session.run("nothing:0")
            self.assertEqual([one.name for one in tf.trainable_variables()], ["w:0", "b:0"])
        with self.assertRaisesRegex(RuntimeError, "closed Session"):
            session.run(loss)

    def test_control_dependencies(self):
        graph = tf.Graph()
        with graph.as_default():
            count = tf.Variable(1.0)
            add = tf.assign_add(count, 1.0)
            with tf.control_dependencies([add]):
                after = tf.identity(count)
            done = tf.group(add)
            init = tf.global_variables_initializer()
        with tf.Session(graph=graph) as session:
            session.run(init)
            self.assertEqual([session.run(after) for _ in range(3)], [2, 3, 4])
            self.assertIsNone(session.run(done))
            self.assertEqual(session.run({"c": count})["c"], 5)
            self.assertEqual(count.eval(), 5)

    def test_runs_of_threads_are_whole(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.Variable(0.0)
            update = x.assign_add(1.0)
            with tf.control_dependencies([update]):
                pair = [tf.identity(x), x * 2]
            init = tf.global_variables_initializer()
        seen = []
        with tf.Session(graph=graph) as session:
            session.run(init)
            threads = [threading.Thread(target=lambda: seen.append(session.run(pair)))
                       for _ in range(10)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        self.assertEqual(sorted(float(one) for one, _ in seen), list(range(1, 11)))
        self.assertTrue(all(two == 2 * one for one, two in seen))

    def test_threads_that_begin_together_share_the_session(self):
        graph = tf.Graph()
        with graph.as_default():
            elements = tf.queue.FIFOQueue(10, [tf.int32], [[]])
            ops = [elements.enqueue(tf.constant(number)) for number in range(4)]
            size = elements.size()
        for _ in range(50):
            with tf.Session(graph=graph) as session:
                together = threading.Barrier(len(ops))
                threads = [threading.Thread(target=lambda op=op: (together.wait(), session.run(op))) for op in ops]
                for one in threads:
                    one.start()
                for one in threads:
                    one.join()
                self.assertEqual(session.run(size), len(ops))

    def test_variable_scopes(self):
        with tf.Graph().as_default():
            with tf.variable_scope("outer"):
                first = tf.get_variable("v", [1])
                with self.assertRaisesRegex(ValueError, "already exists"):
                    tf.get_variable("v", [1])
            self.assertEqual(first.name, "outer/v:0")
            with tf.variable_scope("outer", reuse=True):
                self.assertIs(tf.get_variable("v", [1]), first)
                with self.assertRaisesRegex(ValueError, "does not exist"):
                    tf.get_variable("other", [1])

    def test_optimizers_keep_their_slots_between_runs(self):
        with tf.Graph().as_default():
            w = tf.get_variable("kept", initializer=0.0)
            step = tf.train.MomentumOptimizer(1.0, 0.5).minimize(w * 1.0)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                values = []
                for _ in range(3):
                    session.run(step)
                    values.append(float(session.run(w)))
        self.assertEqual(values, [-1.0, -2.5, -4.25])

    def test_sizes_that_only_a_run_tells(self):
        texts = np.array([[b"a", b"b", b"c"], [b"d", b"e", b"f"]])
        numbers = np.array([[1., 2., 3.], [4., 5., 6.]], "float32")
        splits = np.array([0, 1, 3])
        cases = [
            (lockstep.linalg.diag, tf.float32, [None], numbers[0], [[1, 0, 0], [0, 2, 0], [0, 0, 3]]),
            (lockstep.linalg.diag_part, tf.float32, [None, None], numbers, [1, 5]),
            (lockstep.linalg.diag_part, tf.float32, [2, None], numbers, [1, 5]),
            (lambda x: lockstep.strings.reduce_join(x, [0, 1]), tf.string, [None, None], texts, b"adbecf"),
            (lambda x: lockstep.strings.reduce_join(x, 1, keepdims=True), tf.string, [None, None], texts, [[b"abc"], [b"def"]]),
            (lambda x: lockstep.strings.ngrams(x, 2), tf.string, [None, None], texts, [[b"a b", b"b c"], [b"d e", b"e f"]]),
            (lambda x: lockstep.strings.ngrams(x, 2), tf.string, [None], texts[0], [b"a b", b"b c"]),
            (lambda x: lockstep.nn.space_to_depth(tf.reshape(x, [1, 2, -1, 1])[:, :, :2], 2), tf.float32, [None, None],
             numbers, [[[[1, 2, 4, 5]]]]),
            (lambda x: lockstep.RaggedTensor.from_row_splits([7, 8, 9], x).nrows(), tf.int64, [None], splits, 2),
            (lambda x: lockstep.keras.backend.batch_flatten(tf.reshape(x, [2, -1, 3])), tf.float32, [None, None], numbers,
             numbers.tolist()),
        ]
        for number, (function, dtype, shape, value, expected) in enumerate(cases):
            with self.subTest(number), tf.Graph().as_default():
                given = tf.placeholder(dtype, shape)
                made = function(given)
                with tf.Session() as session:
                    self.assertEqual(np.asarray(session.run(made, {given: value})).tolist(), expected)
        with tf.Graph().as_default():
            given = tf.placeholder(tf.int64, [None])
            self.assertEqual(lockstep.RaggedTensor.from_row_splits([7, 8, 9], given).shape.as_list(), [None, None])

    def test_eagerly_there_are_no_placeholders(self):
        self.assertTrue(lockstep.executing_eagerly())
        with self.assertRaisesRegex(RuntimeError, "not compatible with eager"):
            tf.placeholder(tf.float32, [])


class Races(unittest.TestCase):
    def race(self):
        shared = lockstep.Variable(0.0, name="shared")
        both = threading.Barrier(2)
        errors = []

        def work():
            value = shared.value()
            both.wait()
            try:
                shared.assign(value + 1.0)
            except lockstep.errors.FailedPreconditionError as error:
                errors.append(str(error))
        threads = [threading.Thread(target=work) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return errors

    def test_lost_updates_are_told_with_lines(self):
        lockstep.experimental.take_race_reports()
        self.race()
        reports = lockstep.experimental.take_race_reports()
        self.assertEqual([one["kind"] for one in reports], ["lost update"])
        self.assertEqual(reports[0]["variable"], "shared")
        self.assertEqual(reports[0]["read"]["file"], "test_sessions.py")
        self.assertGreater(reports[0]["written"]["line"], reports[0]["read"]["line"])

    def reports_of(self, hand_over, name="shared"):
        """The reports of a program that reads 0, lets another thread assign 1, and then assigns what it has read plus
        1, by way of the host; `hand_over(work)` calls `work` in another thread, and waits for it."""
        shared = lockstep.Variable(0.0, name=name)
        value = float(shared)
        lockstep.experimental.take_race_reports()
        hand_over(lambda: shared.assign(1.0))
        shared.assign(value + 1.0)
        return [one["text"].partition(":")[0] for one in lockstep.experimental.take_race_reports()
                if one["variable"] == name]

    def test_joined_threads_do_not_race(self):
        def by_join(work):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

        def by_join_with_time(work):
            thread = threading.Timer(0.0, work)
            thread.start()
            while thread.is_alive():
                thread.join(30)

        def by_looking_whether_it_lives(work):
            thread = threading.Thread(target=work)
            self.assertFalse(thread.is_alive())
            thread.start()
            while thread.is_alive():
                time.sleep(0.001)

        class Own(threading.Thread):
            def __init__(self, work):
                super().__init__(daemon=True)
                self.work = work

            def run(self):
                self.work()

        def by_own(work):
            thread = Own(work)
            thread.start()
            thread.join()
            with self.assertRaises(RuntimeError):
                thread.start()

        def through_a_third(work):
            by_join(lambda: by_join(work))

        def by_queue(work):
            given, taken = queue.Queue(), queue.Queue()
            thread = threading.Thread(target=lambda: taken.put((given.get()(), 1)))
            thread.start()
            given.put(work)
            taken.get(timeout=60)
            self.addCleanup(thread.join)

        def by_task_done(work):
            given = queue.PriorityQueue()
            thread = threading.Thread(target=lambda: (given.get(), work(), given.task_done()))
            thread.start()
            given.put(1)
            given.join()
            self.addCleanup(thread.join)

        def by_future(work):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                pool.submit(work).result(60)

        def by_shutdown(work):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                pool.submit(work)

        def by_barrier(work):
            both = threading.Barrier(2)
            thread = threading.Thread(target=lambda: (work(), both.wait(60)))
            thread.start()
            both.wait(60)
            self.addCleanup(thread.join)

        for hand_over in (by_join, by_join_with_time, by_looking_whether_it_lives, by_own, through_a_third,
                          by_queue, by_task_done, by_future, by_shutdown, by_barrier):
            self.assertEqual(self.reports_of(hand_over, hand_over.__name__), [], hand_over.__name__)

    def test_an_order_that_events_force_loses_updates(self):
        def reports_of(late, name):
            shared = lockstep.Variable(0.0, name=name)
            has_read, has_written = threading.Event(), threading.Event()

            def slow():
                value = shared.value()
                has_read.set()
                has_written.wait(60)
                shared.assign(late(value))

            def quick():
                has_read.wait(60)
                shared.assign_add(1.0)
                has_written.set()
            threads = [threading.Thread(target=task) for task in (slow, quick)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return [one["text"].partition(":")[0] for one in lockstep.experimental.take_race_reports()
                    if one["variable"] == name]
        self.assertEqual(reports_of(lambda value: value + 1.0, "computed"), ["lost update"])
        self.assertEqual(reports_of(lambda value: value, "rolled_back"), ["lost update"])
        self.assertEqual(reports_of(lambda value: float(value) + 1.0, "of_the_host"), ["possible lost update"])

    def test_a_gradient_of_two_versions(self):
        x = lockstep.Variable(1.0, name="twice")
        has_read, has_written = threading.Event(), threading.Event()

        def add():
            has_read.wait(60)
            x.assign_add(1.0)
            has_written.set()
        other = threading.Thread(target=add)
        other.start()
        with lockstep.GradientTape() as tape:
            first = x * x
            has_read.set()
            has_written.wait(60)
            second = first + x * x
        other.join()
        lockstep.experimental.take_race_reports()
        tape.gradient(second, x)
        self.assertEqual([one["kind"] for one in lockstep.experimental.take_race_reports()], ["mixed gradient"])

    def test_what_is_only_late_is_told(self):
        threads = []

        def by_looking(work):  # at what no order follows from
            done = []
            threads.append(threading.Thread(target=lambda: (work(), done.append(1))))
            threads[-1].start()
            while not done:
                time.sleep(0.001)

        def by_an_earlier_event(work):
            early, done = threading.Event(), []
            threads.append(threading.Thread(target=lambda: (early.set(), work(), done.append(1))))
            threads[-1].start()
            early.wait(60)
            while not done:
                time.sleep(0.001)

        def by_event(work):
            done = threading.Event()
            thread = threading.Thread(target=lambda: (work(), done.set()))
            thread.start()
            self.assertTrue(done.wait(60))
            self.addCleanup(thread.join)

        def by_looking_at_an_event(work):
            done = threading.Event()
            thread = threading.Thread(target=lambda: (work(), done.set()))
            thread.start()
            while not done.is_set():
                time.sleep(0.001)
            self.addCleanup(thread.join)

        def by_semaphore(work):
            done = threading.Semaphore(0)
            thread = threading.Thread(target=lambda: (work(), done.release()))
            thread.start()
            self.assertTrue(done.acquire(timeout=60))
            self.addCleanup(thread.join)

        def by_condition(work):
            changed, there = threading.Condition(), []

            def give():
                work()
                with changed:
                    there.append(1)
                    changed.notify()
            thread = threading.Thread(target=give)
            thread.start()
            with changed:
                self.assertTrue(changed.wait_for(lambda: there, 60))
            self.addCleanup(thread.join)
        for hand_over in (by_looking, by_an_earlier_event, by_event, by_looking_at_an_event, by_semaphore, by_condition):
            self.assertEqual(self.reports_of(hand_over, hand_over.__name__), ["possible lost update"],
                             hand_over.__name__)
        for thread in threads:
            thread.join()

    def test_a_thread_that_fails_is_a_thread(self):
        seen = []
        hook, threading.excepthook = threading.excepthook, lambda args: seen.append(args.exc_type)
        try:
            def fail(work):
                def both():
                    work()
                    raise KeyError
                thread = threading.Thread(target=both)
                thread.start()
                thread.join()
            self.assertEqual(self.reports_of(fail), [])
        finally:
            threading.excepthook = hook
        self.assertEqual(seen, [KeyError])

    def test_or_raised(self):
        lockstep.experimental.set_race_check("raise")
        try:
            errors = self.race()
        finally:
            lockstep.experimental.set_race_check("warn")
            lockstep.experimental.take_race_reports()
        self.assertEqual(len(errors), 1)
        self.assertIn("test_sessions.py", errors[0])


class Assignments(unittest.TestCase):
    def test_what_is_made_of_an_assignment_carries_it_out(self):
        with tf.Graph().as_default():
            v = tf.get_variable("v", initializer=1.0)
            after = v.assign_add(1.0)
            made = [after, after * 2, tf.convert_to_tensor(after), tf.add(1.0, after), tf.stack([after, after]),
                    tf.cast(after, tf.int32), -after, after.value(), after.read_value(), tf.assign_add(v, 1.0) + 0.0]
            with tf.Session() as session:
                session.run(v.initializer)
                for number, one in enumerate(made, 2):
                    session.run(one)
                    self.assertEqual(session.run(v), number)
                self.assertEqual(session.run(made[1]), 2.0 * session.run(v))


class Saving(unittest.TestCase):
    def train(self, steps, restore=None):
        """The weight after some steps of Adam, from a checkpoint where one is named."""
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            w = tf.get_variable("w", initializer=1.0)
            train = tf.train.AdamOptimizer(0.1).minimize(tf.square(w - 3.0))
            saver = tf.train.Saver()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(steps if restore is None else restore):
                    session.run(train)
                path = saver.save(session, f"{folder}/model")
                if restore is None:
                    return session.run(w), [name for name, _ in tf.train.list_variables(path)]
            with tf.Session() as session:  # without an initializer
                saver.restore(session, path)
                for _ in range(steps - restore):
                    session.run(train)
                return session.run(w), None

    def test_adam_goes_on_where_a_checkpoint_was_made(self):
        whole, names = self.train(7)
        self.assertEqual(names, ["beta1_power", "beta2_power", "w", "w/Adam", "w/Adam_1"])
        self.assertEqual(self.train(7, restore=3)[0], whole)

    def test_init_from_checkpoint_says_what_does_not_fit(self):
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
            with tf.Session() as session:
                session.run(w.initializer)
                path = tf.train.Saver().save(session, f"{folder}/model")
            tf.get_variable("wide", [3])
            for given, text in (({"none": w}, "Tensor none is not found"), ({"w": "wide"}, r"Shape of variable wide.*\(3,\)"),
                                ({"w": "nowhere"}, "nowhere should map to a variable")):
                with self.assertRaisesRegex(ValueError, text):
                    tf.train.init_from_checkpoint(path, given)

    def test_a_supervisor_raises_what_a_thread_raised(self):
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            tf.train.get_or_create_global_step()
            supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0)

            def fail():
                raise ValueError("broken worker")
            with self.assertRaisesRegex(ValueError, "broken worker"):
                with supervisor.managed_session() as session:
                    supervisor.loop(0.01, fail)
                    supervisor.coord.wait_for_stop(10)
            with self.assertRaisesRegex(RuntimeError, "closed Session"):
                session.run(supervisor.global_step)

    def test_who_is_not_the_chief_waits_and_names_what_is_missing(self):
        with tf.Graph().as_default():
            tf.get_variable("late", initializer=1.0)
            waiter = tf.train.Supervisor(is_chief=False)
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "have no values: late"):
                waiter.prepare_or_wait_for_session(max_wait_secs=0)


if __name__ == "__main__":
    unittest.main(verbosity=0)
