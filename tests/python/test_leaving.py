"""Workers that are told to end, and files that all workers write: real processes, described by TF_CONFIG."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from test_distribute import free_ports

TRAINS = """
import os, signal, sys, time
import numpy as np
import lockstep as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy(replicas=2)
me = strategy.cluster_resolver.task_id
tf.random.set_seed(5)
x = np.random.RandomState(0).rand(64, 3).astype("float32")
y = x.sum(1, keepdims=True)
HANDLER
class Own(tf.keras.Model):
    def train_step(self, data):
        return super().train_step(data)
with strategy.scope():
    inputs = tf.keras.Input((3,))
    model = MODEL(inputs, tf.keras.layers.Dense(1)(inputs))
    model.compile("adam", "mse")
class Told(tf.keras.callbacks.Callback):
    steps = 0
    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        if self.steps == 5 and me in TOLD:
            os.kill(os.getpid(), signal.SIGTERM)
told = Told()
try:
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=0, callbacks=[told])
    print("trained", told.steps, history.epoch, model.optimizer.iterations.numpy(), model.weights_digest())
finally:
    print("finally")
"""

LOOPS = """
import os, signal, numpy as np
import lockstep as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy(replicas=2)
me = strategy.cluster_resolver.task_id
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
@tf.function
def step(x):
    def of_replica(one):
        v.assign_add(tf.distribute.get_replica_context().all_reduce("SUM", one))
    strategy.run(of_replica, (x,))
with tf.experimental.StepBoundary(strategy, "counts") as boundary:
    boundary.trace(step, tf.constant([0.5, 0.25]))
    for taken in range(20):
        if taken and not boundary.pass_step(taken, [step], lambda: {"taken": taken}):
            break
        step(tf.constant([0.5, 0.25]))
        if taken == 6 and me in TOLD:
            os.kill(os.getpid(), signal.SIGTERM)
print("counted", v.numpy().tolist())
"""

SAVES = """
import os, time, numpy as np
import lockstep as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy(replicas=2)
me = strategy.cluster_resolver.task_id
tf.random.set_seed(5)
x = np.random.RandomState(0).rand(64, 3).astype("float32")
y = x.sum(1, keepdims=True)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
model.fit(x, y, batch_size=16, epochs=1, verbose=0)
def written(path, save):
    save(path)
    now = os.stat(path)
    return now.st_ino, now.st_mtime_ns
for name, save in (("m.keras", model.save), ("w.weights.h5", model.save_weights), ("w.safetensors", model.save_weights)):
    for of in ("all", str(me)):  # one path, then one each, as in TensorFlow's tutorial
        folder = os.path.join(FOLDER, of)
        os.makedirs(folder, exist_ok=True)
        print(of == "all", name, *written(os.path.join(folder, name), save))
if me == 1:
    model.save(os.path.join(FOLDER, "alone.keras"))
model.save_weights(os.path.join(FOLDER, "twice.weights.h5"))
model.set_weights([w + 1 for w in model.get_weights()])
model.save_weights(os.path.join(FOLDER, "twice.weights.h5"))
try:
    model.save(os.path.join(FOLDER, "all", "m.keras"), overwrite=False)
except ValueError as error:
    print(error)
model.save(os.path.join(FOLDER, "new.keras"), overwrite=False)
model.load_weights(os.path.join(FOLDER, "twice.weights.h5"))
print(model.weights_digest())
"""

KEEPS = """
import os
import lockstep as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy(replicas=2)
me = strategy.cluster_resolver.task_id
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
    seen = tf.Variable(0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
checkpoint = tf.train.Checkpoint(v=v, seen=seen)
manager = tf.train.CheckpointManager(checkpoint, os.path.join(FOLDER, "kept"), max_to_keep=2)
for _ in range(8):
    strategy.run(lambda: seen.assign_add(1))
    v.assign_add([1.0, 0.5])
    last = manager.save()
print(os.path.basename(last), [os.path.basename(one) for one in manager.checkpoints], int(checkpoint.save_counter))
print(os.path.basename(checkpoint.save(os.path.join(FOLDER, "saved", "ck"))))
print(os.path.basename(checkpoint.write(os.path.join(FOLDER, "written"))))
of_its_own = tf.train.CheckpointManager(checkpoint, os.path.join(FOLDER, f"own{me}"), max_to_keep=1)  # as in TensorFlow's tutorial
print(os.path.basename(of_its_own.save()), len(of_its_own.checkpoints))
later = checkpoint.save(os.path.join(FOLDER, "later"), tf.train.CheckpointOptions(enable_async=True))
checkpoint.sync()
print(os.path.basename(later))
if me == 1:
    print(os.path.basename(checkpoint.save(os.path.join(FOLDER, "alone"))))
v.assign([0.0, 0.0])
checkpoint.restore(last)
print(v.numpy().tolist(), int(seen.read_value()), int(checkpoint.save_counter))
print(sorted(os.listdir(os.path.join(FOLDER, "kept"))), sorted(os.listdir(os.path.join(FOLDER, f"own{me}"))))
"""


def outcomes(program, workers=2, one_core=False):
    """(status, lines, errors) of each worker of a job. On one core all but the first follow it, and it runs ahead."""
    core = {min(os.sched_getaffinity(0))}
    ports = [f"127.0.0.1:{port}" for port in free_ports(workers)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.py")
        path.write_text(program.replace("FOLDER", repr(folder)))
        tasks = [subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={
            **os.environ, "TF_CONFIG": json.dumps({"cluster": {"worker": ports}, "task": {"type": "worker", "index": index}})},
            preexec_fn=(lambda: os.sched_setaffinity(0, core)) if one_core else None)
            for index in range(workers)]
        results = []
        for task in tasks:
            try:
                out, err = task.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                for one in tasks:
                    one.kill()
                raise
            results.append((task.returncode, out.splitlines(), err))
        return results


class Leaving(unittest.TestCase):
    def trains(self, told, model="tf.keras.Model", handler="", workers=2):
        program = TRAINS.replace("TOLD", repr(told)).replace("MODEL", model).replace("HANDLER", handler)
        return outcomes(program, workers)

    def test_one_leaves_and_the_others_go_on_to_the_same_bits(self):
        for told, model in enumerate(("tf.keras.Model", "Own")):
            undisturbed = self.trains((), model)
            self.assertEqual([status for status, *_ in undisturbed], [0, 0], undisturbed)
            lines = undisturbed[0][1]
            self.assertRegex(lines[0], r"^trained 12 \[0, 1, 2\] 12 ")
            left, other = (results := self.trains((told,), model))[told], results[1 - told]
            self.assertEqual(left[:2], (0, ["finally"]), left)
            self.assertIn("this worker was asked to leave, and has left after step", left[2])
            self.assertEqual(other[:2], (0, lines), other)

    def test_where_all_leave_nobody_takes_it_for_the_end(self):
        for status, lines, errors in self.trains((0, 1)):
            self.assertEqual((status, lines), (128 + signal.SIGTERM, ["finally"]), errors)
            self.assertIn("the training ends after step", errors)

    def test_a_handler_of_the_programs_own_counts(self):
        for status, lines, errors in self.trains((0,), handler="signal.signal(signal.SIGTERM, lambda *_: print('heard'))"):
            self.assertEqual(status, 0, errors)
            self.assertRegex(" ".join(lines), r"trained 12 ")

    def test_outside_of_a_training_it_ends_the_process(self):
        program = TRAINS.replace("TOLD", "()").replace("MODEL", "tf.keras.Model").replace("HANDLER", "")
        program += "\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)\n"
        for status, lines, errors in outcomes(program):
            self.assertEqual((status, lines[-1:]), (-signal.SIGTERM, ["finally"][:len(lines)]), errors)

    def fails(self, model, seconds, one_core=False):
        """A callback of worker 1 raises, whose process lives on for so long."""
        program = TRAINS.replace("me in TOLD", "me == 1").replace("os.kill(os.getpid(), signal.SIGTERM)",
                                                                  "raise ValueError('broken callback')")
        program = program.replace('print("finally")', f'print("finally"); time.sleep({seconds} if me == 1 else 0)')
        results = outcomes(program.replace("MODEL", model).replace("HANDLER", ""), one_core=one_core)
        status, lines, errors = results.pop()
        self.assertEqual((status, lines), (1, ["finally"]), errors)
        self.assertIn("ValueError: broken callback", errors)
        return results[0]

    def test_one_that_fails_and_lives_on_ends_the_training_of_all(self):
        for model, one_core in (("tf.keras.Model", False), ("Own", False), ("tf.keras.Model", True), ("Own", True)):
            status, lines, errors = self.fails(model, 5, one_core)
            self.assertNotIn("worker 1 lost", errors)  # nobody waits for the other's end
            if one_core and status == 0:  # this one was through already
                self.assertRegex(lines[0], r"^trained 12 ")
                continue
            self.assertEqual((status, lines), (1, ["finally"]), errors)
            self.assertIn("got an error on worker 1, which has left the training: ValueError: broken callback; its output has more",
                          errors)

    def test_one_that_fails_in_evaluation_and_lives_on_ends_that_of_all(self):
        evaluates = """
class Broken(tf.keras.callbacks.Callback):
    def on_test_batch_end(self, batch, logs=None):
        if me == 0:
            raise ValueError("broken")
try:
    model.evaluate(x, y, batch_size=16, verbose=0, callbacks=[Broken()])
finally:
    time.sleep(5 if me == 0 else 0)
"""
        for model in ("tf.keras.Model", "Own"):
            program = (TRAINS + evaluates).replace("TOLD", "()").replace("MODEL", model).replace("HANDLER", "")
            (failed, _, own), (status, _, errors) = outcomes(program)
            self.assertEqual((failed, status), (1, 1), own + errors)
            self.assertIn("ValueError: broken", own)
            self.assertIn("got an error on worker 0, which has left the evaluation or prediction: ValueError: broken; its output",
                          errors)

    def test_without_one_that_fails_and_ends_the_others_go_on_to_the_same_bits(self):
        undisturbed = self.trains(())[0]
        self.assertEqual(self.fails("tf.keras.Model", 0)[:2], undisturbed[:2])

    def test_one_leaves_a_loop(self):
        for told in ((0,), (1,)):
            for index, (status, lines, errors) in enumerate(outcomes(LOOPS.replace("TOLD", repr(told)))):
                self.assertEqual(status, 0, errors)
                self.assertEqual(lines, [] if index in told else ["counted [21.0, 12.0]"], errors)


@unittest.skipUnless("LOCKSTEP_COMMAND" in os.environ, "the command is not built")
class Launched(unittest.TestCase):
    def launch(self, program, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "program.py")
            path.write_text(program.replace("MODEL", "tf.keras.Model").replace("HANDLER", ""))
            ran = subprocess.run([os.environ["LOCKSTEP_COMMAND"], "launch", "--workers", "2", *flags, "--", sys.executable, path],
                                 capture_output=True, text=True, timeout=120)
            return ran.returncode, ran.stderr

    def test_a_training_that_all_have_left_is_not_done(self):
        status, errors = self.launch(TRAINS.replace("TOLD", "(0, 1)"), "--min-workers", "1")
        self.assertEqual(status, 128 + signal.SIGTERM, errors)

    def test_one_whose_program_failed_on_all_is_not_done(self):
        status, errors = self.launch(TRAINS.replace("TOLD", "()") + "raise RuntimeError('wrong')\n", "--max-restarts", "1")
        self.assertEqual(status, 1, errors)
        self.assertNotIn("have come to the end of the job", errors)


    def test_an_exception_of_one_worker_ends_the_job_without_a_restart(self):
        status, errors = self.launch("import os, time\n"
                                     "if os.environ['LOCKSTEP_TASK'] == 'worker 1':\n"
                                     "    raise RuntimeError('wrong')\n"
                                     "time.sleep(60)\n")
        self.assertEqual(status, 1, errors)
        self.assertEqual(errors.count("RuntimeError: wrong"), 1, errors)
        self.assertIn("worker 1 ended with status 1; stopping the others", errors)


class Saving(unittest.TestCase):
    def test_one_writes_a_path(self):
        (first, lines, _), (second, others, errors) = outcomes(SAVES)
        self.assertEqual((first, second), (0, 0), errors)
        self.assertEqual(len(lines), 8)
        for one, other in zip(lines, others):
            own = one.startswith("False")
            (self.assertNotEqual if own else self.assertEqual)(one, other)

    def test_workers_keep_one_checkpoint_together(self):
        files = [f"ckpt-{number}.{end}" for number in (7, 8) for end in ("data-00000-of-00001", "index")]
        own = ["checkpoint", "ckpt-10.data-00000-of-00001", "ckpt-10.index"]
        for index, (status, lines, errors) in enumerate(outcomes(KEEPS)):
            self.assertEqual(status, 0, errors)
            self.assertEqual(lines, ["ckpt-8 ['ckpt-7', 'ckpt-8'] 8", "ck-9", "written", "ckpt-10 1", "later-11"] + ["alone-12"] * index
                             + ["[9.0, 6.0] 16 8", f"{['checkpoint', *files]} {own}"], errors)


if __name__ == "__main__":
    unittest.main(verbosity=0)
