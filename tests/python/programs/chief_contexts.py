"""The context that a chief's code is in: outside of its strategy, in its scope, in a function it schedules, in a replica."""
import tensorflow as tf
import socket, os, sys
def port():
    s = socket.socket(); s.bind(("localhost", 0)); p = s.getsockname()[1]; s.close(); return p
cluster = {"worker": [f"localhost:{port()}" for _ in range(2)], "ps": [f"localhost:{port()}" for _ in range(2)]}
spec = tf.train.ClusterSpec(cluster)
conf = tf.compat.v1.ConfigProto(); conf.inter_op_parallelism_threads = 4
servers = [tf.distribute.Server(spec, job_name=j, task_index=i, config=conf, protocol="grpc", start=True) for j in cluster for i in range(len(cluster[j]))]
strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc"))
coord = tf.distribute.coordinator.ClusterCoordinator(strategy)
def show(what):
    c = tf.distribute.get_replica_context()
    print(what, tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_strategy() is strategy, c is None, None if c is None else (c.num_replicas_in_sync, c.strategy is strategy))
show("out")
with strategy.scope():
    show("in")
    try: strategy.run(lambda: show("run"))
    except Exception as e: print(type(e).__name__, e)
    v = tf.Variable([1., 2.]); w = tf.Variable(3., aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA, trainable=False); m = tf.Variable(0, aggregation=tf.VariableAggregation.MEAN); 
    print(v.device, w.device, m.device, v.aggregation, w.aggregation, m.aggregation, w.trainable, v.synchronization)
try: strategy.run(lambda: show("run2"))
except Exception as e: print(type(e).__name__, e)
@tf.function
def step():
    def rep():
        show("rep")
        c = tf.distribute.get_replica_context()
        print(c.all_reduce("SUM", tf.constant(2.0)).shape, c.merge_call(lambda s, x: (s is strategy, tf.distribute.in_cross_replica_context()), args=(v,)))
        v.assign_add([1., 1.]); return c.all_reduce(tf.distribute.ReduceOp.SUM, v * 2.)
    show("fn")
    return strategy.run(rep)
print(coord.schedule(step).fetch())
with strategy.scope():
    print(coord.schedule(step).fetch())
    try: tf.distribute.MirroredStrategy(["CPU:0"]).scope().__enter__(); print("entered")
    except Exception as e: print(type(e).__name__, str(e)[:48])
    with strategy.scope(): show("nested")
print(v.numpy(), repr(v)[:40])
with strategy.scope():
    m.assign(5); m.assign_add(2); print(m.numpy(), (v + 1).numpy(), tf.reduce_sum(v * w).numpy())
    loc = strategy.experimental_local_results(v); print(len(loc), loc[0] is v)
    print(strategy.gather(tf.constant([1.]), axis=0))
sys.stdout.flush(); os._exit(0)
