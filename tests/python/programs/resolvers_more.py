import os, json
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"chief": ["localhost:34567"], "worker": ["localhost:34568", "localhost:34569"], "ps": ["localhost:34570"]}, "task": {"type": "worker", "index": 1}, "rpc_layer": "grpc", "environment": "cloud"})
import tensorflow as tf
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
print(r.task_type, r.task_id, r.rpc_layer, r.environment)
print(r.cluster_spec())
print(r.master(), r.master("chief", 0), r.master(task_type="ps", task_id=0, rpc_layer=""))
print(r.num_accelerators())
r.task_type = "chief"; r.task_id = 0
print(r.task_type, r.task_id, r.master())
s = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {3: "a:1", 5: "b:2"}}), task_type="worker", task_id=3, rpc_layer="grpc")
print(s.cluster_spec(), s.master(), s.master("worker", 5), s.environment)
print(s.cluster_spec().task_indices("worker"), s.cluster_spec().job_tasks("worker"))
u = tf.distribute.cluster_resolver.UnionResolver(r, s)
try:
    print(u.cluster_spec())
except Exception as e: print(type(e).__name__, e)
u2 = tf.distribute.cluster_resolver.UnionResolver(tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"ps": ["x:1"]})), s)
print(u2.cluster_spec().as_dict(), u2.task_type, u2.master())
for bad in [{"task": {"type": "worker"}}, {"cluster": {"worker": ["a:1"]}}, {}]:
    os.environ["TF_CONFIG"] = json.dumps(bad)
    q = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    try: print(q.task_type, q.task_id, q.cluster_spec().as_dict(), repr(q.master()))
    except Exception as e: print(type(e).__name__, str(e)[:80])
c = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
for f in (lambda: c.num_tasks("ps"), lambda: c.task_address("worker", 7), lambda: c.job_tasks("x"), lambda: tf.train.ClusterSpec([1]), lambda: tf.train.ClusterSpec({"w": 3})):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(c == tf.train.ClusterSpec({"worker": {0: "a:1", 1: "b:2"}}), bool(c), bool(tf.train.ClusterSpec({})), c)
print(tf.train.ClusterSpec(c.as_cluster_def()) == c)
d = tf.DeviceSpec(job="worker", replica=0, task=1, device_type="GPU", device_index=0)
print(d.to_string(), d.replace(task=2).to_string(), tf.DeviceSpec.from_string("/job:ps/cpu:1"), d.make_merged_spec(tf.DeviceSpec(job="ps")).to_string())
