"""`keras.callbacks.BackupAndRestore`."""

import os
import shutil

from .. import _refused
from ._writable import require_writable
from .callbacks import Callback


class BackupAndRestore(Callback):
    """Saves training to a directory, and goes on from the save that is found there.

    A save holds all that decides how training goes on: weights, the optimizer's slots and counters, random numbers, the
    place in the data, and what other callbacks have counted (Keras's holds weights and the epoch)."""

    def __init__(self, backup_dir, save_freq="epoch", double_checkpoint=False,
                 delete_checkpoint=True):
        _refused.only("BackupAndRestore", double_checkpoint=(double_checkpoint, False))
        super().__init__()
        if not backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Invalid value for argument `save_freq`. Received: save_freq={save_freq}. Expected either 'epoch' or "
                             "an integer value.")
        self.backup_dir, self.save_freq = os.fspath(backup_dir), save_freq
        self.delete_checkpoint = delete_checkpoint
        self._steps, self._last_batch = 0, -1  # batches so far, and the last one's number

    def on_train_begin(self, logs=None):
        require_writable(self.model, self.backup_dir)

    def on_epoch_end(self, epoch, logs=None):
        if self.save_freq == "epoch":
            self.model._saves.save_training(self.backup_dir)

    def on_train_batch_end(self, batch, logs=None):
        if self.save_freq != "epoch":
            before = self._steps
            self._steps += batch + 1 if batch <= self._last_batch else batch - self._last_batch
            self._last_batch = batch
            if self._steps // self.save_freq > before // self.save_freq:
                self.model._saves.save_training(self.backup_dir)

    def set_model(self, model):
        super().set_model(model)
        if os.path.isdir(self.backup_dir) and os.listdir(self.backup_dir):
            model._saves.resume_training(self.backup_dir)

    def on_train_end(self, logs=None):
        if self.delete_checkpoint and not self.model.stop_training:
            shutil.rmtree(self.backup_dir, ignore_errors=True)
