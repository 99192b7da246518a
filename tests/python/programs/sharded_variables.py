"""Sharded variables on parameter servers: slices, scatters, lookups, partitioners, checkpoints."""
import os, socket, tempfile
import tensorflow as tf
def port():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); p = s.getsockname()[1]; s.close(); return p
cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{port()}"], "ps": [f"127.0.0.1:{port()}" for _ in range(2)]})
config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=4)
servers = [tf.distribute.Server(cluster, j, i, config=config) for j, n in (("worker", 1), ("ps", 2)) for i in range(n)]
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
strategy = tf.distribute.ParameterServerStrategy(resolver, tf.distribute.experimental.partitioners.MinSizePartitioner(min_shard_bytes=8, max_shards=2))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    table = tf.Variable(lambda: tf.reshape(tf.range(10.0), [5, 2]), name="table")
    small = tf.Variable([1.0], name="small")
    step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")
print(type(table).__name__, type(small).__name__ == "ShardedVariable", [v.shape.as_list() for v in table.variables])
print(table[1:4].numpy().tolist(), table[-1].numpy().tolist(), table[:, 1].numpy().tolist(), table[4, 0].numpy())
table.scatter_add(tf.IndexedSlices(tf.ones([2, 2]) * 10, tf.constant([0, 4])))
print(table.numpy().tolist())
table.scatter_sub(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3])))
table.scatter_update(tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([1])))
table.scatter_mul(tf.IndexedSlices(tf.fill([1, 2], 2.0), tf.constant([3])))
table.scatter_div(tf.IndexedSlices(tf.fill([1, 2], 4.0), tf.constant([2])))
table.scatter_max(tf.IndexedSlices(tf.fill([1, 2], 5.0), tf.constant([1])))
table.scatter_min(tf.IndexedSlices(tf.fill([1, 2], 3.0), tf.constant([4])))
print(table.numpy().tolist())
print(table.sparse_read(tf.constant([0, 4])).numpy().tolist())
@tf.function
def lookup(ids):
    rows = tf.nn.embedding_lookup(table, ids)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
    grads = tape.gradient(loss, table.variables)
    step.assign_add(1)
    return rows, [tf.convert_to_tensor(g) for g in grads]
rows, grads = coordinator.schedule(lookup, args=(tf.constant([0, 4, 4]),)).fetch()
print(rows.tolist(), [g.tolist() for g in grads])
print(step.numpy(), (table + 1.0).numpy()[0].tolist(), tf.reduce_sum(table).numpy())
folder = tempfile.mkdtemp()
checkpoint = tf.train.Checkpoint(table=table, step=step)
path = checkpoint.save(os.path.join(folder, "c"))
print(os.path.basename(path), tf.train.list_variables(path))
table.assign(tf.zeros([5, 2]))
print(tf.reduce_sum(table).numpy())
checkpoint.restore(path).assert_consumed()
print(tf.reduce_sum(table).numpy())
whole = tf.Variable(tf.zeros([5, 2]))
tf.train.Checkpoint(table=whole).restore(path).expect_partial()
print(whole.numpy().tolist())
P = tf.distribute.experimental.partitioners
print(P.FixedShardsPartitioner(3)(tf.TensorShape([10, 2]), tf.float32), P.MinSizePartitioner(16, 4)(tf.TensorShape([10, 2]), tf.float32), P.MaxSizePartitioner(16)(tf.TensorShape([10, 2]), tf.float32))
