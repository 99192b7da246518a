import json
import os
import socket
import tensorflow as tf

distribute = tf.distribute
with socket.socket() as free:
    free.bind(("localhost", 0))
    port = free.getsockname()[1]
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": [f"localhost:{port}"]}, "task": {"type": "worker", "index": 0}})
workers = distribute.MultiWorkerMirroredStrategy()
print(type(workers).__name__, isinstance(workers, distribute.MultiWorkerMirroredStrategy))
resolver = workers.cluster_resolver
print(resolver.task_type, resolver.task_id, resolver.cluster_spec().jobs, workers.num_replicas_in_sync)
extended = workers.extended
print(extended.worker_devices, extended.parameter_devices, extended.should_checkpoint, extended.should_save_summary,
      extended.experimental_between_graph, extended.experimental_require_static_shapes)
with workers.scope():
    v = tf.Variable([1.0, 2.0], name="v")
    n = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    r = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
print(v, type(v).__name__, type(r).__name__, v.device, [one.name for one in v.values])


@tf.function
def step(x):
    context = distribute.get_replica_context()
    n.assign_add(2.0)
    r.assign(5.0)
    return x * 2.0, context.replica_id_in_sync_group, context.num_replicas_in_sync


print(workers.run(step, args=(tf.constant([1.0, 2.0]),)), n.numpy(), r.numpy())


def rows(context):
    print(context, context.num_replicas_in_sync, context.get_per_replica_batch_size(4))
    return tf.data.Dataset.range(8).shard(context.num_input_pipelines, context.input_pipeline_id).batch(4)


print([x.numpy().tolist() for x in workers.distribute_datasets_from_function(rows)])
print(workers.reduce("SUM", workers.run(lambda: tf.constant(4.0)), axis=None), workers.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0))
with workers.scope():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
x = tf.ones([8, 2])
print([round(one, 4) for one in model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0).history["loss"]])
manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, v=v), "saved", 1)
print(manager.save(), manager.latest_checkpoint)
v.assign([9.0, 9.0])
manager.checkpoint.restore(manager.latest_checkpoint)
print(v.numpy(), distribute.get_replica_context().num_replicas_in_sync)
