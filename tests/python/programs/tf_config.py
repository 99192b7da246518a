import tensorflow as tf
import json, os
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ["localhost:12345", "localhost:23456"], "ps": ["localhost:34567"]}, "task": {"type": "worker", "index": 1}})
r = tf.distribute.cluster_resolver.TFConfigClusterResolver()
print(r.task_type, r.task_id, sorted(r.cluster_spec().as_dict().items()))
spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": ["c:3"]})
print(spec.jobs, spec.num_tasks("worker"), spec.task_address("worker", 1), spec.job_tasks("ps"), spec.as_dict(), spec == tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": ["c:3"]}), bool(spec), "worker" in spec.jobs)
config = json.loads(os.environ["TF_CONFIG"]); print(config["task"], len(config["cluster"]["worker"]))
del os.environ["TF_CONFIG"]
print(tf.config.list_logical_devices("GPU"), len(tf.config.list_physical_devices("CPU")), tf.config.list_physical_devices("CPU")[0].device_type)
with tf.device("/CPU:0"): a = tf.constant([1.0, 2.0]); b = a * 2
print(b.numpy(), "CPU:0" in b.device)
print(tf.executing_eagerly(), tf.distribute.has_strategy(), tf.distribute.get_strategy().num_replicas_in_sync, tf.__version__.split(".")[0])
ctx = tf.distribute.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4); print(ctx.get_per_replica_batch_size(16), ctx.num_input_pipelines, ctx.input_pipeline_id)
try: ctx.get_per_replica_batch_size(10)
except ValueError as e: print("ValueError")
print(tf.nest.flatten({"b": [1, 2], "a": (3,)}), tf.nest.map_structure(lambda x: x * 2, {"a": [1, 2]}), tf.nest.pack_sequence_as([1, (2, 3)], [4, 5, 6]), tf.nest.is_nested([1]))
try: tf.nest.assert_same_structure([1, 2], [1, [2]])
except ValueError as e: print("different")
opts = tf.data.Options(); opts.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA; print(len(list(tf.data.Dataset.range(4).with_options(opts))))
