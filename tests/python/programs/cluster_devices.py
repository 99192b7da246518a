import tensorflow as tf
import json, os
os.environ["TF_CONFIG"] = json.dumps({
    "cluster": {"chief": ["host0:2222"], "worker": ["host1:2222", "host2:2222"], "ps": ["host3:2222"]},
    "task": {"type": "worker", "index": 1}})
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
spec = resolver.cluster_spec()
print(spec)
print(sorted(spec.jobs), spec.num_tasks("worker"), spec.task_indices("worker"), spec.task_address("worker", 1), spec.job_tasks("ps"))
print(spec.as_dict() == {"chief": ["host0:2222"], "worker": ["host1:2222", "host2:2222"], "ps": ["host3:2222"]})
print(resolver.task_type, resolver.task_id, resolver.master(), resolver.rpc_layer)
print(resolver.master("ps", 0), resolver.num_accelerators() == {} or True)
simple = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}), task_type="worker", task_id=0, num_accelerators={"GPU": 2}, rpc_layer="grpc")
print(simple.master("worker", 1), simple.num_accelerators(), simple.task_type, simple.task_id)
union = tf.distribute.cluster_resolver.UnionResolver(simple, tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"ps": ["c:3"]})))
print(sorted(union.cluster_spec().as_dict().items()))
c = tf.train.ClusterSpec({"worker": {1: "w1:1", 3: "w3:1"}, "ps": ["p0:1"]})
print(c.task_indices("worker"), c.as_dict(), c == tf.train.ClusterSpec(c.as_dict()), bool(c), c.as_cluster_def().job[0].name)
print(repr(tf.train.ClusterSpec({})), bool(tf.train.ClusterSpec({})))
for f in (lambda: c.task_address("worker", 2), lambda: c.num_tasks("evaluator"), lambda: tf.train.ClusterSpec(5)):
    try: f()
    except (ValueError, TypeError) as e: print(type(e).__name__, e)
setter = tf.compat.v1.train.replica_device_setter(cluster=spec)
with tf.Graph().as_default():
    with tf.compat.v1.device(setter):
        v = tf.compat.v1.get_variable("v", [2]); w = tf.compat.v1.get_variable("w", [2]); s = v + w
    print(v.device, w.device, s.device)
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(tf.zeros([784, 10]), name="w2")
    with tf.device("/job:worker/task:1/cpu:0"):
        y = tf.matmul(tf.ones([1, 784]), w)
    print(w.device, y.device, y.op.device)
    with tf.device("/job:worker/task:0"), tf.device("/device:CPU:0"):
        z = tf.constant(1.0)
    print(z.device)
del os.environ["TF_CONFIG"]
empty = tf.distribute.cluster_resolver.TFConfigClusterResolver(); print(empty.cluster_spec().as_dict(), repr(empty.master()))
server = tf.distribute.Server.create_local_server(); print(":" in server.target, server.server_def.job_name, server.server_def.task_index)
with tf.compat.v1.Session(server.target, graph=tf.Graph()) as sess:
    with sess.graph.as_default():
        a = tf.compat.v1.Variable(2.0); b = a * 3.0; i = tf.compat.v1.global_variables_initializer()
    sess.run(i); print(sess.run(b))
print(tf.distribute.cluster_resolver.ClusterResolver.__name__, tf.distribute.cluster_resolver.KubernetesClusterResolver.__name__, tf.distribute.cluster_resolver.SlurmClusterResolver.__name__, tf.distribute.cluster_resolver.TPUClusterResolver.__name__, tf.distribute.cluster_resolver.GCEClusterResolver.__name__)
