import tensorflow as tf

e = tf.distribute.experimental
for name in ("CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
             "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy",
             "ValueContext", "coordinator", "partitioners"):
    print(name, hasattr(e, name))
print(e.CommunicationImplementation.RING.value, e.CommunicationImplementation.AUTO, list(e.CommunicationImplementation)[0].name)
options = e.CommunicationOptions(bytes_per_pack=50 * 1024 * 1024, timeout_seconds=120.0,
                                 implementation=e.CommunicationImplementation.RING)
print(options.bytes_per_pack, options.timeout_seconds, options.implementation.value)
try:
    e.CommunicationOptions(bytes_per_pack=-1)
except ValueError as error:
    print("ValueError", str(error)[:30])
try:
    e.CommunicationOptions(implementation="FAST")
except (ValueError, TypeError) as error:
    print(type(error).__name__)
c = e.ValueContext(num_replicas_in_sync=4, replica_id_in_sync_group=1)
print(c.num_replicas_in_sync, c.replica_id_in_sync_group)
i = tf.distribute.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4)
print(i.get_per_replica_batch_size(12), i)
try:
    i.get_per_replica_batch_size(7)
except ValueError as error:
    print(error)
o = tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_per_replica_buffer_size=2)
print(o.experimental_replication_mode, o.experimental_place_dataset_on_device)
print(tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN.name, tf.distribute.InputReplicationMode.PER_WORKER)
s = tf.distribute.OneDeviceStrategy("/cpu:0")
print(s.extended.worker_devices, s.run(lambda x: x + 1, args=(tf.constant(1),)).numpy())
d = tf.distribute.get_strategy()
print(type(d).__name__, d.num_replicas_in_sync)
m = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
print(m.num_replicas_in_sync)
p = tf.distribute.experimental.partitioners
print(p.FixedShardsPartitioner(2)(tf.TensorShape([10, 3]), tf.float32),
      p.MinSizePartitioner(4, 8)(tf.TensorShape([10, 3]), tf.float32),
      p.MaxSizePartitioner(16)(tf.TensorShape([6, 1]), tf.float32))
r = tf.distribute.cluster_resolver.SimpleClusterResolver(
    tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": ["c:3"]}), task_type="worker", task_id=1)
print(r.cluster_spec(), r.task_type, r.task_id, r.environment, r.rpc_layer)
print(r.master("ps", 0), r.num_accelerators())
u = tf.distribute.cluster_resolver.UnionResolver(r) if hasattr(tf.distribute.cluster_resolver, "UnionResolver") else None
print(u.cluster_spec())
spec = tf.train.ClusterSpec({"worker": {1: "x:1", 3: "y:1"}})
print(spec.num_tasks("worker"), spec.task_indices("worker"), spec.job_tasks("worker"), spec.jobs, spec.as_dict())
for bad in (lambda: spec.task_address("worker", 0), lambda: spec.num_tasks("ps"), lambda: tf.train.ClusterSpec({"w": 1})):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
print(spec == tf.train.ClusterSpec({"worker": {1: "x:1", 3: "y:1"}}), bool(tf.train.ClusterSpec({})))
