import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
local = strategy.experimental_local_results


def shown(x):
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.SparseTensor):
        return "sparse", x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()
    if isinstance(x, tf.IndexedSlices):
        return ("slices", x.indices.numpy().tolist(), x.values.numpy().tolist(),
                None if x.dense_shape is None else x.dense_shape.numpy().tolist())
    return [shown(one) for one in x] if isinstance(x, (tuple, list)) else x if isinstance(x, (int, str, type(None))) else x.numpy().tolist()


def tried(name, function):
    try:
        print(name, shown(function()))
    except Exception as error:
        print(name, "is refused")


rows = strategy.experimental_distribute_values_from_function(lambda c: tf.range(1, c.replica_id_in_sync_group + 2))
kinds = {"ragged": lambda r: tf.RaggedTensor.from_row_lengths(tf.cast(r, tf.float32), [tf.size(r)]),
         "ragged 3": lambda r: tf.RaggedTensor.from_nested_row_lengths(tf.cast(r, tf.float32), [[1], [tf.size(r)]]),
         "sparse": lambda r: tf.sparse.SparseTensor([[0]], tf.cast(r[:1], tf.float32), [2]),
         "slices": lambda r: tf.IndexedSlices(tf.cast(r[-1:], tf.float32), tf.constant([0]), tf.constant([4])),
         "open slices": lambda r: tf.IndexedSlices(tf.cast(r, tf.float32), r)}
for name, make in kinds.items():
    made = strategy.run(make, (rows,))
    print(name, type(made).__name__, type(local(made)[1]).__name__)
    context = tf.distribute.get_replica_context

    def all_reduced(r, op="SUM"):
        return context().all_reduce(op, {"a": make(r)})["a"]

    def merged(r):
        return context().merge_call(lambda s, x, y: (x, y), args=(make(r), r))
    print(name, "local", shown(local(made)))
    print(name, "traced", shown(local(tf.function(lambda v: strategy.run(make, (v,)))(rows))))
    print(name, "given back", shown(local(tf.function(lambda v: strategy.run(lambda r: r, (v,)))(made))))
    print(name, "nested", shown(local(strategy.run(lambda r: {"a": [make(r), r], "b": (r, make(r))}, (rows,))["b"][1])))
    print(name, "nested in a trace", shown(local(tf.function(lambda v: strategy.run(lambda r: {"a": [make(r), r]}, (v,)))(rows)["a"][0])))
    print(name, "merge_call", shown(local(strategy.run(merged, (rows,))[0])))
    print(name, "merge_call in a trace", shown(local(tf.function(lambda v: strategy.run(merged, (v,)))(rows)[0])))
    print(name, "of all", shown(strategy.run(lambda r: r, (make(tf.constant([5, 6])),))))
    print(name, "of all in a trace", shown(tf.function(lambda x: strategy.run(lambda r: r, (x,)))(make(tf.constant([5, 6])))))
    tried(f"{name} sum", lambda: strategy.reduce("SUM", made, axis=None))
    tried(f"{name} mean", lambda: strategy.reduce("MEAN", made, axis=None))
    tried(f"{name} sum in a trace", lambda: tf.function(lambda v: strategy.reduce("SUM", strategy.run(make, (v,)), axis=None))(rows))
    tried(f"{name} gathered", lambda: strategy.gather(made, axis=0))
    tried(f"{name} all_reduce", lambda: local(strategy.run(all_reduced, (rows,))))
    tried(f"{name} all_reduce in a trace", lambda: local(tf.function(lambda v: strategy.run(all_reduced, (v, "MEAN")))(rows)))
    tried(f"{name} all_gather", lambda: local(strategy.run(lambda r: context().all_gather(make(r), 0), (rows,))))


def array(r):
    made = tf.TensorArray(tf.int32, 2)
    return made.write(0, r[0]).write(1, r[-1])


print("array", shown([one.stack() for one in local(strategy.run(array, (rows,)))]))
print("array in a trace", shown(tf.function(lambda v: [one.stack() for one in local(strategy.run(array, (v,)))])(rows)))
print("array given on", shown(local(tf.function(lambda v: strategy.run(lambda a: a.stack(), (strategy.run(array, (v,)),)))(rows))))
values = strategy.experimental_distribute_values_from_function(
    lambda c: {"x": tf.constant([1.0]) * (c.replica_id_in_sync_group + 1), "r": tf.ragged.constant([[1] * (1 + c.replica_id_in_sync_group)])})
total = lambda v: (v["x"], tf.reduce_sum(v["r"]))
print("dict", shown(local(strategy.run(total, (values,)))), shown(local(tf.function(lambda v: strategy.run(total, (v,)))(values))))
print("None", shown(local(strategy.run(lambda r: (None, r), (rows,)))))
names = strategy.experimental_distribute_values_from_function(lambda c: f"replica {c.replica_id_in_sync_group}")
print("texts", [one.numpy().decode() for one in local(tf.function(lambda: strategy.run(lambda r: tf.strings.join([r, "!"]), (names,)))())])
numbers = strategy.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group)
print("numbers", shown(local(tf.function(lambda n: strategy.run(lambda r: tf.constant(1) + r, (n,)))(numbers))))

traces = []


@tf.function
def doubled(value):
    traces.append(1)
    return strategy.run(lambda r: r * 2.0, (value,))


for sizes in ([1, 2], [3, 1], [2, 2]):
    own = strategy.experimental_distribute_values_from_function(lambda c: tf.ragged.constant([[1.0] * sizes[c.replica_id_in_sync_group]]))
    print("another size", shown(local(doubled(own))), len(traces))


@tf.function
def in_loop(value, count):
    for _ in tf.range(count):
        value = strategy.run(lambda r: r + 1.0, (value,))
    return value


print("loop", shown(local(in_loop(strategy.run(kinds["ragged"], (rows,)), tf.constant(3)))))
