import tensorflow as tf
import numpy as np
import os, tempfile, glob
tf.keras.utils.set_random_seed(2); logs = tempfile.mkdtemp()
w = tf.summary.create_file_writer(logs + "/a")
with w.as_default(step=5):
    tf.summary.scalar("loss", 0.5); tf.summary.scalar("loss", 0.25, step=6); tf.summary.histogram("h", tf.range(10.)); tf.summary.text("t", "hello"); tf.summary.image("i", tf.zeros([1, 4, 4, 3]))
    with tf.name_scope("scope"): tf.summary.scalar("inner", 1.0)
    print(tf.summary.experimental.get_step(), tf.summary.should_record_summaries().numpy())
    with tf.summary.record_if(False): print(tf.summary.scalar("skipped", 1.).numpy())
    tf.summary.experimental.set_step(9); print(int(tf.summary.experimental.get_step()))
w.flush(); w.close()
def read(folder):
    for f in sorted(glob.glob(folder + "/*")):
        for e in tf.compat.v1.train.summary_iterator(f):
            for v in e.summary.value:
                yield e.step, v.tag, v.metadata.plugin_data.plugin_name, v
for step, tag, plugin, v in read(logs + "/a"): print(step, tag, plugin, tf.make_ndarray(v.tensor).tolist() if plugin == "scalars" else "")
x = np.random.rand(32, 4).astype("float32"); y = x.sum(1)
m = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3, name="a"), tf.keras.layers.Dense(1, name="b")]); m.compile("sgd", "mse", metrics=["mae"])
m.fit(x, y, epochs=2, validation_split=0.25, verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(logs + "/tb", histogram_freq=1, update_freq="epoch", write_graph=False)])
class Print(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print("Starting training; got log keys: {}".format(list((logs or {}).keys())))
    def on_train_end(self, logs=None): print("Stop training; got log keys: {}".format(list(logs.keys())))
    def on_epoch_begin(self, epoch, logs=None): print("Start epoch {}".format(epoch), list(logs.keys()))
    def on_epoch_end(self, epoch, logs=None): print("End epoch {}".format(epoch), sorted(logs.keys()))
    def on_test_begin(self, logs=None): print("Start testing", list(logs.keys()))
    def on_test_end(self, logs=None): print("Stop testing", sorted(logs.keys()))
    def on_predict_begin(self, logs=None): print("Start predicting", list(logs.keys()))
    def on_predict_end(self, logs=None): print("Stop predicting", list(logs.keys()))
    def on_train_batch_begin(self, batch, logs=None): print("...Training: start of batch {}".format(batch), list(logs.keys()))
    def on_train_batch_end(self, batch, logs=None): print("...Training: end of batch {}".format(batch), sorted(logs.keys()))
    def on_test_batch_end(self, batch, logs=None): print("...Evaluating: end of batch {}".format(batch), sorted(logs.keys()))
    def on_predict_batch_end(self, batch, logs=None): print("...Predicting: end of batch {}".format(batch), sorted(logs.keys()), logs["outputs"].shape)
m.fit(x, y, batch_size=16, epochs=1, verbose=0, validation_split=0.5, callbacks=[Print()]); m.evaluate(x, y, batch_size=32, verbose=0, callbacks=[Print()]); m.predict(x, batch_size=32, verbose=0, callbacks=[Print()])
lr = tf.keras.callbacks.LearningRateScheduler(lambda e, r: r * 0.5, verbose=1); m.fit(x, y, epochs=2, verbose=0, callbacks=[lr]); print(round(float(m.optimizer.learning_rate), 6))
es = tf.keras.callbacks.EarlyStopping(monitor="loss", patience=1, min_delta=10., restore_best_weights=True, verbose=1); h = m.fit(x, y, epochs=5, verbose=0, callbacks=[es]); print(len(h.epoch), es.stopped_epoch)
rl = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.2, patience=1, min_lr=1e-5, min_delta=10., verbose=1); m.fit(x, y, epochs=3, verbose=0, callbacks=[rl])
csv = tf.keras.callbacks.CSVLogger(logs + "/log.csv"); m.fit(x, y, epochs=2, verbose=0, callbacks=[csv]); print(open(logs + "/log.csv").read().splitlines()[0])
lc = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, l: print("lambda", e, sorted(l))); m.fit(x, y, epochs=1, verbose=0, callbacks=[lc, tf.keras.callbacks.TerminateOnNaN()])
hist = tf.keras.callbacks.History(); m.fit(x, y, epochs=2, verbose=0, callbacks=[hist]); print(sorted(hist.history), hist.epoch, hist.params["epochs"], sorted(hist.params))
cl = tf.keras.callbacks.CallbackList([Print()], model=m) if False else None
tf.debugging.set_log_device_placement(False); print(tf.config.list_logical_devices("CPU")[0].name, tf.config.experimental.get_device_policy() if False else "")
m.fit(x, y, batch_size=8, epochs=2, verbose=2) if False else None
