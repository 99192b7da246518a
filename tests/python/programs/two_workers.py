"""Two real processes of MultiWorkerMirroredStrategy: first values, sums, gathers and shards."""
import json, os, socket, subprocess, sys
if "TF_CONFIG" not in os.environ:
    sockets = [socket.socket() for _ in range(2)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    workers = [f"127.0.0.1:{s.getsockname()[1]}" for s in sockets]
    for s in sockets:
        s.close()
    tasks = [subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=dict(os.environ, TF_CONFIG=json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": i}}))) for i in range(2)]
    for i, t in enumerate(tasks):
        out, _ = t.communicate(timeout=100)
        print(f"--- worker {i}: {t.returncode}\n{out}", end="")
    sys.exit()
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
r = strategy.cluster_resolver
print(strategy.num_replicas_in_sync, r.task_type, r.task_id, r.cluster_spec().num_tasks("worker"), strategy.extended.should_checkpoint)
tf.keras.utils.set_random_seed(7)
with strategy.scope():
    v = tf.Variable(float(r.task_id + 3), aggregation=tf.VariableAggregation.SUM, name="v")
    local = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
print(v.numpy())
@tf.function
def step():
    def fn():
        ctx = tf.distribute.get_replica_context()
        i = tf.cast(ctx.replica_id_in_sync_group, tf.float32)
        local.assign_add(i * 2.0 + 1.0)
        v.assign_add(i + 1.0)
        return ctx.all_reduce("SUM", i + 1.0), ctx.all_gather(tf.reshape(i, [1]), axis=0), i * 10.0
    return strategy.run(fn)
s, g, i = step()
print(s.numpy(), g.numpy().tolist(), strategy.reduce("SUM", i, axis=None).numpy(), strategy.gather(tf.reshape(i, [1]), axis=0).numpy().tolist())
print(v.numpy(), local.numpy(), local.read_value().numpy(), [float(x) for x in strategy.experimental_local_results(local)])
ds = tf.data.Dataset.range(10).batch(4)
print([[z.numpy().tolist() for z in strategy.experimental_local_results(x)] for x in strategy.experimental_distribute_dataset(ds)])
def fn(ctx):
    return tf.data.Dataset.range(8).shard(ctx.num_input_pipelines, ctx.input_pipeline_id).batch(ctx.get_per_replica_batch_size(4))
print([[z.numpy().tolist() for z in strategy.experimental_local_results(x)] for x in strategy.distribute_datasets_from_function(fn)])
vals = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group + 5))
print([x.numpy() for x in strategy.experimental_local_results(vals)], strategy.reduce("MEAN", vals, axis=None).numpy())
