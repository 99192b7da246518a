"""Training by parameter servers as TensorFlow's users write it: the chief alone calls `fit`.

Each task runs this program with its own TF_CONFIG, which names the jobs chief, worker and ps."""

import json
import os

import numpy as np

import lockstep as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id,
                                  protocol=resolver.rpc_layer or "grpc", start=True)
    server.join()

x = np.arange(640 * 8, dtype=np.float32).reshape(640, 8) % 13 / 13
y = (x.sum(axis=1) > 4).astype(np.int32)


def dataset_fn(input_context):
    batch_size = input_context.get_per_replica_batch_size(32)
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(640, seed=1).batch(batch_size).repeat()


# Without this variable the steps are asynchronous, as TensorFlow's.
mode = json.loads(os.environ.get("MODE", "{}"))
strategy = tf.distribute.experimental.ParameterServerStrategy(resolver, **mode)
tf.keras.utils.set_random_seed(1)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(16, activation="relu"),
                                 tf.keras.layers.Dense(2)])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), metrics=["accuracy"],
                  loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(tf.keras.utils.experimental.DatasetCreator(dataset_fn), epochs=5, steps_per_epoch=20, verbose=0)
loss, accuracy = model.evaluate(tf.data.Dataset.from_tensor_slices((x, y)).batch(64), verbose=0)
print(json.dumps({"steps": int(model.optimizer.iterations), "accuracy": round(accuracy, 4),
                  "falls": bool(history.history["loss"][-1] < history.history["loss"][0]),
                  "on": model.trainable_variables[0].device, "digest": model.weights_digest()}))
