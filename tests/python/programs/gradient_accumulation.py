"""Gradients accumulate in per-replica variables and are applied together."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    w = tf.Variable([[1.0], [2.0]], name="w")
    b = tf.Variable(0.5, name="b")
    acc = [tf.Variable(tf.zeros_like(v), trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
                       aggregation=tf.VariableAggregation.SUM, name="acc") for v in (w, b)]
    opt = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    opt.build([w, b])

def micro(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x @ w + b - y)) / 8.0
    for a, g in zip(acc, tape.gradient(loss, [w, b])):
        a.assign_add(g)
    return loss

@tf.function
def apply():
    def fn():
        opt.apply_gradients([(a.read_value(), v) for a, v in zip(acc, [w, b])])
        for a in acc:
            a.assign(tf.zeros_like(a))
    strategy.run(fn)

@tf.function
def step(x, y):
    per = strategy.run(micro, args=(x, y))
    return strategy.reduce("SUM", per, axis=None)

ds = tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(16.0), [8, 2]) / 10, tf.ones([8, 1]))).batch(4)
for epoch in range(2):
    for x, y in strategy.experimental_distribute_dataset(ds):
        print(f"{step(x, y).numpy():.4f}")
    print([[round(float(tf.reduce_sum(v)), 4) for v in strategy.experimental_local_results(a)] for a in acc])
    print([round(float(tf.reduce_sum(a.read_value())), 4) for a in acc])
    apply()
    print([round(float(x), 4) for x in tf.reshape(w, [-1])], round(float(b.numpy()), 4), opt.iterations.numpy())
    print([round(float(tf.reduce_sum(a.read_value())), 4) for a in acc])
print(w.name, b.name, acc[0].name)
print(len(opt.variables), [v.path for v in opt.variables])
