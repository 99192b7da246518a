import tensorflow as tf, numpy as np
d = tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), output_signature=tf.TensorSpec([], tf.int32))
e = d.apply(tf.data.experimental.assert_cardinality(3)); print(e.cardinality(), len(e), list(e.as_numpy_iterator()))
for n in (2, 4):
    try: print(list(d.apply(tf.data.experimental.assert_cardinality(n)).as_numpy_iterator()))
    except tf.errors.FailedPreconditionError as ex: print("refused")
print(list(tf.data.Dataset.range(4).map(lambda x: 6 // x).apply(tf.data.experimental.ignore_errors()).as_numpy_iterator()))
print(list(tf.data.Dataset.range(4).map(lambda x: 6 // (x - 3)).ignore_errors().as_numpy_iterator()))
print(tf.constant_initializer(3)([2]), tf.constant_initializer(3)([2], tf.float32), tf.constant_initializer([1., 2.])([2]))
l = tf.keras.layers.Dense(1, kernel_initializer=tf.constant_initializer(2), bias_initializer=tf.constant_initializer(1.5)); print(l(tf.ones([1, 2])))
try: tf.Variable([1., 2.], shape=[3])
except ValueError as ex: print(ex)
x = tf.Variable([1., 2.], shape=[None]); print(x.numpy())
class S(tf.keras.utils.PyDataset):
    def __len__(self): return 3
    def __getitem__(self, i): return np.ones((2, 1), "float32") * i, np.ones((2, 1), "float32")
m = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="zeros")]); m.compile("sgd", "mse")
class C(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None): print(self.params["steps"], self.params["epochs"])
m.fit(S(), epochs=2, verbose=0, callbacks=[C()]); print(m.predict(S(), verbose=0).shape)
