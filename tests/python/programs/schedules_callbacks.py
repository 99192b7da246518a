import numpy as np
import tensorflow as tf

S = tf.keras.optimizers.schedules
schedules = {
    "exp": S.ExponentialDecay(0.1, 10, 0.5, staircase=True), "poly": S.PolynomialDecay(0.1, 10, 0.01, power=2.0, cycle=True),
    "piece": S.PiecewiseConstantDecay([3, 6], [1.0, 0.5, 0.1]), "inv": S.InverseTimeDecay(0.1, 5, 0.5),
    "cos": S.CosineDecay(0.1, 10, alpha=0.1, warmup_target=0.2, warmup_steps=3),
    "restart": S.CosineDecayRestarts(0.1, 4, t_mul=2.0, m_mul=0.5)}
for name, s in schedules.items():
    print(name, [round(float(s(i)), 5) for i in (0, 2, 5, 9, 15)])


class Halving(S.LearningRateSchedule):
    def __call__(self, step):
        return 0.1 * tf.pow(0.5, tf.cast(step, tf.float32))

    def get_config(self):
        return {}


v = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(Halving())
for _ in range(3):
    opt.apply([tf.constant(1.0)], [v])
    print(round(float(v), 5), round(float(opt.learning_rate), 5), int(opt.iterations))
try:
    opt.learning_rate = 0.5
except TypeError as e:
    print("TypeError")
x, y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")
tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
events = []


class Trace(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        events.append(("begin", epoch, sorted(logs or {})))

    def on_epoch_end(self, epoch, logs=None):
        events.append(("end", epoch, sorted(logs)))
        if epoch == 3:
            self.model.stop_training = True

    def on_train_batch_end(self, batch, logs=None):
        events.append(("batch", batch))


rates = []
history = model.fit(x, y, epochs=6, batch_size=4, verbose=0, callbacks=[
    Trace(), tf.keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.5 if epoch else lr),
    tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(round(float(model.optimizer.learning_rate), 5))),
    tf.keras.callbacks.TerminateOnNaN(), tf.keras.callbacks.CSVLogger("log.csv")])
print(events[:5], len(events))
print(rates, sorted(history.history), history.epoch, len(open("log.csv").read().splitlines()))
plateau = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=1, min_delta=10.0, verbose=0)
early = tf.keras.callbacks.EarlyStopping(monitor="loss", patience=2, min_delta=10.0, restore_best_weights=True)
history = model.fit(x, y, epochs=8, verbose=0, callbacks=[plateau, early])
print(len(history.epoch), early.stopped_epoch, early.best_epoch, round(float(model.optimizer.learning_rate), 8))
try:
    tf.keras.callbacks.EarlyStopping(mode="best")
    print("taken")
except ValueError:
    print("ValueError")
try:
    tf.keras.callbacks.ReduceLROnPlateau(factor=1.0)
except ValueError as e:
    print(e)
swap = tf.keras.callbacks.SwapEMAWeights() if hasattr(tf.keras.callbacks, "SwapEMAWeights") else None
backup = tf.keras.callbacks.BackupAndRestore("backup")
calls = []


class Crash(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        calls.append(epoch)
        if len(calls) == 2:
            raise RuntimeError("crash")


try:
    model.fit(x, y, epochs=4, verbose=0, callbacks=[backup, Crash()])
except RuntimeError as e:
    print(e)
model.fit(x, y, epochs=4, verbose=0, callbacks=[tf.keras.callbacks.BackupAndRestore("backup"), Crash()])
print(calls)
