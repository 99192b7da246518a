import threading
import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
with tf.device("CPU:1"):
    print(tf.Variable(1.0).device)
distribute = tf.distribute
for strategy in (distribute.OneDeviceStrategy("/cpu:1"), distribute.MirroredStrategy(["CPU:1"]), distribute.MirroredStrategy(["CPU:1", "CPU:0"])):
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    print(type(strategy).__name__, strategy.extended.worker_devices, strategy.extended.parameter_devices, v.device,
          strategy.extended.variable_created_in_scope(v), strategy.extended.variable_created_in_scope(tf.Variable(1)))
    print(strategy.experimental_local_results(strategy.run(lambda: distribute.get_replica_context().devices[0])))
    print(strategy.experimental_distribute_values_from_function(lambda context: context.replica_id_in_sync_group * 10))
    print(strategy.unwrap(strategy.run(lambda: tf.constant(1))))
    made = strategy.extended.update(v, lambda one: one.assign_add([1.0, 1.0]), group=False)
    print(type(made).__name__, len(made), v.numpy())

two = distribute.MirroredStrategy(["CPU:0", "CPU:1"])
ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4, 5, 6], [7]])).batch(4)
for one in two.experimental_distribute_dataset(ragged):
    print([share.to_list() for share in two.experimental_local_results(one)],
          two.experimental_local_results(two.run(lambda x: tf.reduce_sum(x), args=(one,))))
options = distribute.InputOptions(experimental_replication_mode=distribute.InputReplicationMode.PER_REPLICA)
own = two.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(3).batch(1), options)
print(type(own).__name__, [[int(x[0]) for x in two.experimental_local_results(one)] for one in own])
print(distribute.experimental.CommunicationOptions(bytes_per_pack=4))

section = tf.CriticalSection(name="section")
v = tf.Variable(0.0)


@tf.function
def both():
    first = section.execute(lambda: v.assign(10.0))
    second = section.execute(lambda: v.assign(v * 2.0))
    return first, second


print([float(one) for one in both()], v.numpy())
print(section.execute(lambda: (3, {"k": v * 2.0})), section.execute(lambda: None))
n = tf.Variable([1.0, 2.0])
for wrong in (lambda: section.execute("x"), lambda: n.scatter_add(3)):
    try:
        print(wrong())
    except TypeError as error:
        print("TypeError")
print(tf.Variable(3).count_up_to(5) if hasattr(n, "count_up_to") else "")


table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -10, -20)
words = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, "none")


def fill(worker):
    for k in range(5):
        table.insert([worker * 10 + k], [k])
        words.insert([worker * 10 + k], [f"{worker}-{k}"])


threads = [threading.Thread(target=fill, args=(worker,)) for worker in range(3)]
for one in threads:
    one.start()
for one in threads:
    one.join()
print(table.size().numpy(), table.lookup([12, 3]).numpy(), words.size().numpy(), words.lookup([24, 25]).numpy())


def stops(coordinator, error):
    try:
        raise error
    except Exception as caught:
        coordinator.request_stop(caught)


def told(what):
    try:
        print(what())
    except Exception as error:
        print(type(error).__name__, error)


first = tf.train.Coordinator()
stops(first, ValueError("first"))
stops(first, KeyError("second"))
told(lambda: first.join([]))
told(lambda: stops(first, KeyError("after the join")))
first.clear_stop()
print(first.joined, first.should_stop())
late = tf.train.Coordinator()
late.request_stop()
stops(late, ValueError("late"))
told(lambda: late.join([]))
none_clean = tf.train.Coordinator(clean_stop_exception_types=[])
threading.Thread(target=stops, args=(none_clean, tf.errors.OutOfRangeError(None, None, "the end"))).start()
none_clean.wait_for_stop(10)
told(lambda: none_clean.join([]))
