import json, os, socket
s = socket.socket(); s.bind(("localhost", 0)); port = s.getsockname()[1]; s.close()
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": [f"localhost:{port}"]}, "task": {"type": "worker", "index": 0}})
import tensorflow as tf
import numpy as np
import tempfile
tf_config = json.loads(os.environ["TF_CONFIG"]); num_workers = len(tf_config["cluster"]["worker"]); print(num_workers)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=tf.distribute.experimental.CommunicationOptions(implementation=tf.distribute.experimental.CommunicationImplementation.RING))
def _is_chief(task_type, task_id, cluster_spec): return task_type is None or task_type == "chief" or (task_type == "worker" and task_id == 0)
print(_is_chief(strategy.cluster_resolver.task_type, strategy.cluster_resolver.task_id, strategy.cluster_resolver.cluster_spec()))
tf.keras.utils.set_random_seed(1)
def mnist_dataset(batch_size):
    rng = np.random.RandomState(0); x = rng.rand(64, 28, 28).astype(np.float32); y = rng.randint(0, 10, 64).astype(np.int64)
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(batch_size)
def dataset_fn(global_batch_size, input_context):
    b = input_context.get_per_replica_batch_size(global_batch_size); d = mnist_dataset(b); d = d.shard(input_context.num_input_pipelines, input_context.input_pipeline_id); return d
multi = strategy.distribute_datasets_from_function(lambda ctx: dataset_fn(32, ctx))
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((28, 28)), tf.keras.layers.Reshape((28, 28, 1)), tf.keras.layers.Conv2D(4, 3, activation="relu"), tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
    optimizer = tf.keras.optimizers.RMSprop(learning_rate=0.001); acc = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
@tf.function
def train_step(iterator):
    def step_fn(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            p = model(x, training=True); per = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)(y, p); loss = tf.nn.compute_average_loss(per)
        g = tape.gradient(loss, model.trainable_variables); optimizer.apply_gradients(zip(g, model.trainable_variables)); acc.update_state(y, p); return loss
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step_fn, args=(next(iterator),)), axis=None)
epoch = tf.Variable(initial_value=tf.constant(0, dtype=tf.dtypes.int64), name="epoch"); step_in_epoch = tf.Variable(initial_value=tf.constant(0, dtype=tf.dtypes.int64), name="step_in_epoch")
d = tempfile.mkdtemp(); checkpoint = tf.train.Checkpoint(model=model, epoch=epoch, step_in_epoch=step_in_epoch); manager = tf.train.CheckpointManager(checkpoint, directory=d, max_to_keep=1)
while epoch.numpy() < 2:
    iterator = iter(multi); total = 0.0; n = 0
    while step_in_epoch.numpy() < 4: total += train_step(iterator); n += 1; step_in_epoch.assign_add(1)
    print("Epoch: %d, accuracy: %f, train_loss: %.4f." % (epoch.numpy(), acc.result(), total / n)); acc.reset_state(); manager.save(); epoch.assign_add(1); step_in_epoch.assign(0)
print(os.path.basename(manager.latest_checkpoint), len(manager.checkpoints))
with strategy.scope():
    m2 = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)]); m2.compile("sgd", "mse")
o = tf.data.Options(); o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
ds = tf.data.Dataset.from_tensor_slices((np.ones((8, 4), "float32"), np.ones((8, 1), "float32"))).batch(4).with_options(o)
print([round(v, 4) for v in m2.fit(ds, epochs=2, verbose=0, steps_per_epoch=2, callbacks=[tf.keras.callbacks.ModelCheckpoint(d + "/w.weights.h5", save_weights_only=True)]).history["loss"]] != [])
print(strategy.extended.worker_devices if False else "", strategy.experimental_local_results(strategy.run(lambda: tf.constant(1.))), strategy.reduce("MEAN", tf.constant(4.), axis=None).numpy())
