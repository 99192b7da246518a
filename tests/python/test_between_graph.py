"""Replication between graphs: each worker is a process of its own that builds the same graph and runs it by its server."""
import os
import signal
import socket
import subprocess
import sys
import time
import unittest

TASK = r'''
import os, sys
import numpy as np
import lockstep as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
job, index, synchronous, addresses = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "sync", sys.argv[4:]
cluster = tf.train.ClusterSpec({"ps": addresses[:2], "worker": addresses[2:]})
server = tf.distribute.Server(cluster, job_name=job, task_index=index)
workers = len(addresses) - 2

def ends(i):
    with tf.device(f"/job:ps/task:{i}"):
        return v1.FIFOQueue(workers, tf.int32, shapes=[()], shared_name=f"ends{i}")

if job == "ps":
    end = ends(index).dequeue()
    with v1.Session(server.target) as session:
        for _ in range(workers):
            session.run(end)
    print("ended", flush=True)
    os._exit(0)

with v1.device(v1.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)):
    x, y = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.float32, [None, 1])
    w = v1.get_variable("w", [2, 1], initializer=v1.random_normal_initializer(seed=3))
    b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = v1.train.get_or_create_global_step()
    optimizer = v1.train.GradientDescentOptimizer(0.3)
    hooks = [v1.train.StopAtStepHook(last_step=200)]
    if synchronous:
        optimizer = v1.train.SyncReplicasOptimizer(optimizer, workers, workers)
    train = optimizer.minimize(loss, global_step=step)
    if synchronous:
        hooks.append(optimizer.make_session_run_hook(index == 0))
    twice = v1.py_func(lambda value: np.float32(2 * value), [loss], tf.float32)
told = [ends(i).enqueue(1) for i in range(2)]
rows = np.random.RandomState(index).rand(64, 2).astype(np.float32)
goal = rows @ np.array([[1.], [2.]], np.float32) + .5
losses = []
with v1.train.MonitoredTrainingSession(master=server.target, is_chief=index == 0, hooks=hooks) as session:
    while not session.should_stop():
        value, doubled, _ = session.run([loss, twice, train], {x: rows, y: goal})
        assert abs(doubled - 2 * value) < 1e-6
        losses.append(value)
print("fell" if losses[-1] < losses[0] or len(losses) < 3 else losses, flush=True)
with v1.Session(server.target) as session:
    for one in told:
        session.run(one)
os._exit(0)
'''

WAITS = r'''
import sys, lockstep as tf
v1 = tf.compat.v1
server = tf.distribute.Server.create_local_server()
with tf.Graph().as_default():
    queue = v1.FIFOQueue(1, tf.int32, shapes=[()])
    taken = queue.dequeue()
    with v1.Session(server.target if sys.argv[1] == "server" else "") as session:
        print("waits", flush=True)
        try:
            session.run(taken)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        session.run(queue.enqueue(7))
        print(session.run(taken), flush=True)
'''


LEAVES = r'''
import threading, time, lockstep as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
taken = v1.FIFOQueue(1, tf.int32, shapes=[()]).dequeue()
session = v1.Session()
for _ in range(4):
    threading.Thread(target=lambda: session.run(taken), daemon=True).start()
time.sleep(0.2)
session.close()
'''


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class BetweenGraph(unittest.TestCase):
    def train(self, how):
        addresses = [f"127.0.0.1:{free_port()}" for _ in range(4)]
        # The one that waits for all others comes first.
        tasks = [("worker", 1), ("ps", 0), ("ps", 1), ("worker", 0)]
        running = [subprocess.Popen([sys.executable, "-c", TASK, job, str(index), how, *addresses], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for job, index in tasks]
        try:
            said = [one.communicate(timeout=120) for one in running]
        finally:
            for one in running:
                if one.poll() is None:
                    one.kill()
        for (job, index), one, (printed, errors) in zip(tasks, running, said):
            with self.subTest(job=job, index=index):
                self.assertEqual((printed.strip(), one.returncode), ("ended" if job == "ps" else "fell", 0), errors[-3000:])

    def test_workers_train_asynchronously(self):
        self.train("async")

    def test_workers_train_by_gathered_gradients(self):
        self.train("sync")

    def test_threads_that_wait_let_the_program_end(self):
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, "terminate" in done.stderr), (0, False), done.stderr[-2000:])

    def test_ctrl_c_ends_a_wait_and_takes_nothing(self):
        for where in ("here", "server"):
            with self.subTest(where):
                waits = subprocess.Popen([sys.executable, "-c", WAITS, where], text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE)
                self.assertEqual(waits.stdout.readline(), "waits\n")
                time.sleep(0.5)
                waits.send_signal(signal.SIGINT)
                try:
                    printed, errors = waits.communicate(timeout=60)
                finally:
                    waits.kill()
                self.assertEqual(printed.splitlines(), ["interrupted", "7"], errors[-3000:])


if __name__ == "__main__":
    unittest.main()
