"""Control flow over tensors in functions that run() calls, under the default strategy and a chief's."""
import tensorflow as tf
import socket, os, sys
def port():
    s = socket.socket(); s.bind(("localhost", 0)); p = s.getsockname()[1]; s.close(); return p
cluster = {"worker": [f"localhost:{port()}"], "ps": [f"localhost:{port()}"]}
spec = tf.train.ClusterSpec(cluster)
conf = tf.compat.v1.ConfigProto(); conf.inter_op_parallelism_threads = 4
servers = [tf.distribute.Server(spec, job_name=j, task_index=i, config=conf, protocol="grpc", start=True) for j in cluster for i in range(len(cluster[j]))]
strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc"))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    v = tf.Variable(0.0); acc = tf.keras.metrics.Mean(); table = tf.Variable(tf.zeros([4]))
def rep(x):
    if x > 2.0: y = x * 10.0
    else: y = -x
    for i in tf.range(3): y += tf.cast(i, tf.float32)
    v.assign_add(y); acc.update_state(y)
    return y
@tf.function
def step(x): return strategy.run(rep, args=(x,))
for st in (tf.distribute.get_strategy(), tf.distribute.MirroredStrategy(["CPU:0"]), tf.distribute.OneDeviceStrategy("CPU:0")):
    w = tf.Variable(0.)
    def rep2(x):
        if x > 2.0: return x
        return -x
    @tf.function
    def step2(x): return st.run(rep2, args=(x,))
    print(step2(tf.constant(3.)).numpy(), step2(tf.constant(1.)).numpy())
print([coord.schedule(step, args=(tf.constant(x),)).fetch() for x in (1., 3.)], v.numpy(), acc.result().numpy())
@tf.function
def multi(it):
    total = 0.0
    for _ in tf.range(3): total += tf.reduce_sum(next(it))
    return total
per = iter(coord.create_per_worker_dataset(lambda: tf.data.Dataset.range(1, 100).batch(2).map(lambda x: tf.cast(x, tf.float32))))
print(coord.schedule(multi, args=(per,)).fetch())
@tf.function
def boom(x):
    if x > 1: raise_op = tf.debugging.Assert(False, ["boom", x])
    return x
rv = coord.schedule(boom, args=(tf.constant(5),))
try: rv.fetch()
except Exception as e: print(type(e).__name__)
try: coord.schedule(step, args=(tf.constant(1.),)); coord.join()
except Exception as e: print(type(e).__name__)
rv = coord.schedule(step, args=(tf.constant(1.),)); coord.join(); print(rv.fetch(), rv.get(), coord.done())
print(coord.fetch([rv, (rv, {"k": 1.5}), None]))
@tf.function
def noret(): v.assign(7.)
print(coord.schedule(noret).fetch(), v.numpy())
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def sig(x): return {"m": tf.reduce_mean(x), "l": [x, x + 1]}
r = coord.schedule(sig, args=([1., 2.],)); print(r.fetch())
r = coord.schedule(sig.get_concrete_function(), args=(tf.constant([1., 2., 3.]),)); print(r.fetch()["m"])
sys.stdout.flush(); os._exit(0)
