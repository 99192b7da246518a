import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
data = tf.data.Dataset.range(6).map(
    lambda x: tf.numpy_function(lambda a: np.full((2, 3), a, np.float32), [x], tf.float32))
weights = tf.Variable(tf.ones([3, 1]))
print(data.element_spec)


@tf.function
def following(iterator):
    return tf.reduce_mean(next(iterator))


iterator = iter(data)
print([following(iterator).numpy() for _ in range(2)], next(iterator).numpy().tolist(), following(iterator).numpy())
print(iterator.element_spec)


@tf.function
def total(elements):
    made = 0.0
    for x in elements:
        made += tf.reduce_sum(x @ weights)
    return made


print(total(data).numpy(), total(data).numpy(), total(iter(data)).numpy())


@tf.function
def rest(iterator):
    made = 0.0
    one = iterator.get_next_as_optional()
    while one.has_value():
        made += tf.reduce_sum(one.get_value())
        one = iterator.get_next_as_optional()
    return made


print(rest(iterator).numpy(), rest(iterator).numpy())

nested = tf.data.Dataset.range(3).map(lambda x: {
    "a": tf.py_function(lambda a: tf.fill([int(a) + 1], a), [x], tf.int64),
    "b": (x, tf.numpy_function(lambda a: np.array([b"q"] * int(a + 1)), [x], tf.string))})


@tf.function
def parts(iterator):
    element = next(iterator)
    return tf.reduce_sum(element["a"]), element["b"][0], tf.strings.length(element["b"][1])


iterator = iter(nested)
print([[one.numpy().tolist() for one in parts(iterator)] for _ in range(3)])
try:
    parts(iterator)
except tf.errors.OutOfRangeError:
    print("end")

strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
shared = strategy.experimental_distribute_dataset(data)
print(shared.element_spec)


@tf.function
def step(iterator):
    return strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x @ weights), (next(iterator),)), axis=None)


@tf.function
def epoch(elements):
    made = 0.0
    for x in elements:
        made += strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x @ weights), (x,)), axis=None)
    return made


iterator = iter(shared)
print([step(iterator).numpy() for _ in range(3)], epoch(iterator).numpy(), epoch(shared).numpy(), epoch(shared).numpy())
print(strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(4)).element_spec)
