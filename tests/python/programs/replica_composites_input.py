import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
local = strategy.experimental_local_results


def shown(x):
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.SparseTensor):
        return tf.sparse.to_dense(x).numpy().tolist()
    if isinstance(x, dict):
        return {key: shown(one) for key, one in x.items()}
    return [shown(one) for one in x] if isinstance(x, (tuple, list)) else x.numpy().tolist()


rows = tf.data.Dataset.from_tensor_slices((tf.ragged.constant([[1], [2, 3], [], [4], [5, 6, 7]]), tf.range(5.0))).batch(3)
divided = strategy.experimental_distribute_dataset(rows)
print(divided.element_spec)
traces = []


@tf.function
def step(batch):
    traces.append(1)
    return strategy.run(lambda b: (tf.reduce_sum(b[0]), tf.reduce_sum(b[1]), b[0].nrows()), (batch,))


@tf.function
def loop(dataset):
    total = 0
    for batch in dataset:
        total += strategy.reduce("SUM", strategy.run(lambda b: tf.reduce_sum(b[0]), (batch,)), axis=None)
    return total


@tf.function(input_signature=[divided.element_spec])
def signed(batch):
    return strategy.run(lambda b: tf.reduce_sum(b[0]), (batch,))


@tf.function
def next_of(iterator):
    return strategy.run(lambda b: tf.reduce_sum(b[0]), (next(iterator),))


@tf.function
def optionals(iterator):
    total, one = 0, iterator.get_next_as_optional()
    while one.has_value():
        total += strategy.reduce("SUM", strategy.run(lambda b: tf.reduce_sum(b[0]), (one.get_value(),)), axis=None)
        one = iterator.get_next_as_optional()
    return total


for batch in divided:
    print(shown(local(batch)), shown(local(step(batch))), shown(local(signed(batch))), len(traces))
print(int(loop(divided)), shown(local(next_of(iter(divided)))), int(optionals(iter(divided))))

sparse = tf.data.Dataset.from_tensor_slices(
    {"s": tf.sparse.from_dense([[1, 0, 0], [0, 2, 0], [0, 0, 3], [4, 0, 0], [0, 5, 6]]), "y": tf.range(5)}).batch(3)


@tf.function
def sparse_loop(dataset):
    total = 0
    for batch in dataset:
        total += strategy.reduce("SUM", strategy.run(lambda b: tf.reduce_sum(b["s"].values) + tf.reduce_sum(b["y"]), (batch,)), axis=None)
    return total


for dataset in (strategy.experimental_distribute_dataset(sparse), strategy.distribute_datasets_from_function(lambda c: sparse)):
    for batch in dataset:
        print(shown(local(batch)))
    print(int(sparse_loop(dataset)))
from_function = strategy.distribute_datasets_from_function(lambda c: rows)
print([shown(local(batch)) for batch in from_function], int(loop(from_function)))
