"""Datasets that are chosen from, resampled and checked, and windows as datasets."""
import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [tf.nest.map_structure(lambda one: one.numpy().tolist(), element) for element in dataset]


def kind(make):
    try:
        dataset = make()
        return type(values(dataset)).__name__
    except Exception as error:
        return type(error).__name__


classes = [0, 0, 0, 1, 0, 1, 0, 0, 1, 2] * 4
for seed in 3, 11:
    tf.random.set_seed(seed)
    given = Dataset.from_tensor_slices(classes)
    pairs = Dataset.from_tensor_slices((np.arange(40), classes))
    print(values(given.rejection_resample(lambda one: one, [0.4, 0.3, 0.3], [0.6, 0.3, 0.1], seed=5)))
    print(values(given.rejection_resample(lambda one: one, [0.2, 0.3, 0.5], seed=seed)))
    print(values(pairs.rejection_resample(lambda _, one: one, [0.5, 0.5, 0.0], [0.6, 0.3, 0.1], seed=2)))
    print(values(given.rejection_resample(lambda one: one, [0.6, 0.3, 0.1], [0.6, 0.3, 0.1], seed=2))[:3])
    low, high = Dataset.range(5).repeat(), Dataset.range(10, 15).repeat()
    print(values(Dataset.sample_from_datasets([low, high], Dataset.from_tensors([0.2, 0.8]).repeat(), seed=3).take(12)))
    print(values(Dataset.sample_from_datasets([low, high, low], [0.2, 0.0, 0.8], seed=3).take(12)))
few = Dataset.range(3)
for weights in [1.0, 0.0], [0.0, 0.0]:
    made = Dataset.sample_from_datasets([few, Dataset.range(7, 9)], weights, seed=3)
    print(values(made), int(made.cardinality()))
print(int(Dataset.sample_from_datasets([few]).cardinality()), int(Dataset.counter().take(4).cardinality()),
      values(Dataset.counter(3, -2).take(3)), values(Dataset.counter(0.5, 0.25, tf.float32).take(3)))
rows = Dataset.range(5).map(lambda one: tf.fill([one], one))
print(int(rows.ragged_batch(2).cardinality()), int(rows.ragged_batch(2, drop_remainder=True).cardinality()))
windows = Dataset.range(7).window(3)
print(windows.element_spec, int(windows.cardinality()), len(windows))
print(Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]}).window(2).element_spec)
sums = windows.map(lambda window: window.reduce(np.int64(0), lambda total, one: total + one))
print(values(sums), sums.element_spec, len(sums))
print(values(windows.skip(1).repeat(2).flat_map(lambda window: window)))
for make in (
        lambda: Dataset.sample_from_datasets([]),
        lambda: Dataset.sample_from_datasets([few, few], [0.5]),
        lambda: Dataset.choose_from_datasets([few, few], few.map(lambda one: tf.cast(one, tf.int32))),
        lambda: Dataset.choose_from_datasets([few, Dataset.from_tensors(1.5)], few),
        lambda: Dataset.choose_from_datasets([few, few], few),
        lambda: few.unbatch(),
        lambda: Dataset.from_tensors(([1, 2, 3], [1, 2])).unbatch(),
        lambda: few.take_while(lambda one: one),
        lambda: Dataset.from_tensor_slices([1.0]).unique(),
        lambda: few.interleave(lambda one: few, 1, 0),
        lambda: few.scan(np.int64(0), lambda total, one: total + one),
        lambda: Dataset.from_generator(lambda: iter([[1], [1, 2]]), output_types=tf.int32).padded_batch(2),
        lambda: Dataset.from_generator(lambda: iter([1]), tf.int32, output_signature=tf.TensorSpec([], tf.int32))):
    print(kind(make))
