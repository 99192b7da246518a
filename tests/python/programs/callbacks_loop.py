import tensorflow as tf
import numpy as np
# sequential against distributed: one replica gives the same training as none
tf.keras.utils.set_random_seed(11)
rng = np.random.RandomState(3); X = rng.rand(48, 5).astype("float32"); Y = (X @ np.array([1., -2., 3., 0., .5], "float32"))[:, None]
def build(): 
    return tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(8, activation="tanh", kernel_initializer=tf.keras.initializers.GlorotUniform(seed=4)), tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.GlorotUniform(seed=5))])
plain = build(); plain.compile("sgd", "mse"); a = plain.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]
one = tf.distribute.OneDeviceStrategy("/cpu:0")
with one.scope(): m1 = build(); m1.compile("sgd", "mse")
b = m1.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]
mirrored = tf.distribute.MirroredStrategy()
with mirrored.scope(): m2 = build(); m2.compile("sgd", "mse")
c = m2.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]
print([round(v, 4) for v in a], np.allclose(a, b), np.allclose(a, c))
loop = build(); opt = tf.keras.optimizers.SGD(0.01); losses = []
ds = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
@tf.function
def train(x, y):
    with tf.GradientTape() as tape: loss = tf.reduce_mean(tf.square(loop(x, training=True) - y))
    opt.apply_gradients(zip(tape.gradient(loss, loop.trainable_variables), loop.trainable_variables)); return loss
for _ in range(3): losses.append(float(np.mean([train(x, y) for x, y in ds])))
print(np.allclose(losses, a), [w.shape for w in loop.get_weights()], np.allclose(loop.get_weights()[0], plain.get_weights()[0], atol=1e-6))
sched = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5, staircase=True); s = build(); s.compile(tf.keras.optimizers.SGD(sched), "mse"); s.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0); print(round(float(s.optimizer.learning_rate), 4), int(s.optimizer.iterations))
acc_model = build(); opt2 = tf.keras.optimizers.SGD(0.01); acc = [tf.Variable(tf.zeros_like(v)) for v in acc_model.trainable_variables]
for i, (x, y) in enumerate(tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)):
    with tf.GradientTape() as tape: loss = tf.reduce_mean(tf.square(acc_model(x) - y)) / 2.0
    for v, g in zip(acc, tape.gradient(loss, acc_model.trainable_variables)): v.assign_add(g)
    if i % 2 == 1:
        opt2.apply_gradients(zip(acc, acc_model.trainable_variables)); [v.assign(tf.zeros_like(v)) for v in acc]
print(np.allclose(acc_model.get_weights()[0], np.array(acc_model.get_weights()[0])), round(float(acc_model.evaluate(X, Y, verbose=0) if acc_model.compiled else tf.reduce_mean(tf.square(acc_model(X) - Y))), 4))
reg = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.L2(0.1), activity_regularizer=tf.keras.regularizers.L1(0.01))]); reg.compile("sgd", "mse"); print(round(float(reg.evaluate(X, np.zeros((48, 2)), verbose=0)), 4))
cw = build(); cw.compile("sgd", "mse"); print([round(v, 4) for v in cw.fit(X, Y, sample_weight=np.linspace(0, 1, 48), epochs=2, batch_size=48, verbose=0).history["loss"]])
