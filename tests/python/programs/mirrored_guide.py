import tensorflow as tf
import numpy as np
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
tf.keras.utils.set_random_seed(1)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice())
print("Number of devices: {}".format(strategy.num_replicas_in_sync))
BUFFER_SIZE = 32; BATCH = 4; GLOBAL = BATCH * strategy.num_replicas_in_sync
x = np.linspace(0, 1, 32, dtype="float32")[:, None]; y = (3 * x + 1)
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL); dist = strategy.experimental_distribute_dataset(ds)
print(dist.element_spec if False else type(dist).__name__)
def create_model():
    reg = tf.keras.regularizers.L2(1e-4)
    return tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(4, activation="relu", kernel_regularizer=reg), tf.keras.layers.Dense(1)])
with strategy.scope():
    loss_object = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE if hasattr(tf.keras.losses, "Reduction") else None)
    def compute_loss(labels, predictions, model_losses):
        loss = tf.nn.compute_average_loss(loss_object(labels, predictions), global_batch_size=GLOBAL)
        if model_losses: loss += tf.nn.scale_regularization_loss(tf.add_n(model_losses))
        return loss
    test_loss = tf.keras.metrics.Mean(name="test_loss"); mae = tf.keras.metrics.MeanAbsoluteError(name="mae")
    model = create_model(); optimizer = tf.keras.optimizers.Adam(learning_rate=0.01); checkpoint = tf.train.Checkpoint(optimizer=optimizer, model=model)
def train_step(inputs):
    a, b = inputs
    with tf.GradientTape() as tape: p = model(a, training=True); loss = compute_loss(b, p, model.losses)
    g = tape.gradient(loss, model.trainable_variables); optimizer.apply_gradients(zip(g, model.trainable_variables)); mae.update_state(b, p); return loss
@tf.function
def distributed_train_step(batch):
    per = strategy.run(train_step, args=(batch,)); return strategy.reduce(tf.distribute.ReduceOp.SUM, per, axis=None)
for epoch in range(3):
    total = 0.0; n = 0
    for b in dist: total += float(distributed_train_step(b)); n += 1
    print(f"Epoch {epoch + 1}, Loss: {float(total / n):.4f}, MAE: {float(mae.result()):.4f}"); mae.reset_state()
@tf.function
def whole(d):
    t = tf.constant(0.)
    for b in d: t += strategy.reduce("SUM", strategy.run(train_step, args=(b,)), axis=None)
    return t
print(f"{float(whole(dist)):.4f}")
it = iter(dist); print(f"{float(distributed_train_step(next(it))):.4f}")
v = None
with strategy.scope(): v = tf.Variable(1.0); m = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM); mean_v = tf.Variable(0., aggregation=tf.VariableAggregation.MEAN)
def rep():
    ctx = tf.distribute.get_replica_context(); rid = tf.cast(ctx.replica_id_in_sync_group, tf.float32); m.assign_add(rid + 1.); mean_v.assign(rid * 2.); return ctx.all_reduce(tf.distribute.ReduceOp.SUM, rid), ctx.num_replicas_in_sync
try: strategy.run(lambda: v.assign(1.))
except ValueError as e: print("ValueError", str(e)[:90])
pr = strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group); print(pr); print(pr.values, strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(lambda: tf.constant([1., 3.])), axis=0).numpy(), strategy.gather(strategy.run(lambda: tf.constant([[1.]])), axis=0).numpy())
dv = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(float(c.replica_id_in_sync_group))); print(strategy.run(lambda z: z * 10, args=(dv,)))
df = strategy.distribute_datasets_from_function(lambda ctx: tf.data.Dataset.range(8).shard(ctx.num_input_pipelines, ctx.input_pipeline_id).batch(ctx.get_per_replica_batch_size(4))); print([ [t.numpy().tolist() for t in strategy.experimental_local_results(b)] for b in df][:2])
print(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_strategy().__class__.__name__)
with strategy.scope(): print(tf.distribute.has_strategy(), tf.distribute.get_strategy() is strategy, tf.distribute.get_replica_context())
with strategy.scope():
    keras_model = create_model(); keras_model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(0.1), metrics=["mae"])
h = keras_model.fit(ds, epochs=2, verbose=0); print([round(l, 4) for l in h.history["loss"]], [round(l, 4) for l in keras_model.evaluate(ds, verbose=0)], keras_model.predict(x[:2], verbose=0).shape)
print(strategy.extended.worker_devices, strategy.extended.parameter_devices, strategy.cluster_resolver, strategy.extended.num_replicas_in_sync if hasattr(strategy.extended, "num_replicas_in_sync") else "")
def merge_fn(s, t): return s.extended.reduce_to("SUM", t, t) if hasattr(s.extended, "reduce_to") else t
