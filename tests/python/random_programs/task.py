"""One task of a job that runs a random program: task.py KIND SEED REPLICAS STRATEGY FOLDER [middle]

KIND is models or steps, STRATEGY multi_worker or servers (parameter servers, synchronous). Worker 0 writes what is left to
`left.npz` in FOLDER. Each task writes its process id there, to a file of its name. With `middle`, `fit` waits a little at
each batch; in the second of them worker 0 writes the file `middle`, and all wait while there is a file `hold`."""
import os
import pathlib
import sys
import time

import lockstep as tf

import models
import steps
from results import write

BATCHES_TO_THE_MIDDLE = 2
SECONDS_PER_BATCH = 0.1


class Slow(tf.keras.callbacks.Callback):
    def __init__(self, task, folder):
        super().__init__()
        self.task, self.folder, self.batches = task, folder, 0

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        time.sleep(SECONDS_PER_BATCH)
        if self.batches == BATCHES_TO_THE_MIDDLE:
            if self.task == "worker 0":
                (self.folder / "middle").touch()
            while (self.folder / "hold").exists():
                time.sleep(0.01)


def main(kind, seed, replicas, strategy, folder, middle=""):
    task, folder = os.environ["LOCKSTEP_TASK"], pathlib.Path(folder)
    (folder / task).write_text(str(os.getpid()))
    made = {"multi_worker": lambda: tf.distribute.MultiWorkerMirroredStrategy(replicas=int(replicas)),
            "servers": lambda: tf.distribute.ParameterServerStrategy(mode="synchronous", replicas=int(replicas))}[strategy]()
    left = {"models": models, "steps": steps}[kind].train(int(seed), made, [Slow(task, folder)] if middle else [])
    if task == "worker 0":
        write(folder / "left.npz", left)


if __name__ == "__main__":
    main(*sys.argv[1:])
