"""Datasets of keras.utils: splits, and windows over a series."""
import numpy as np
import tensorflow as tf

utils, Dataset = tf.keras.utils, tf.data.Dataset


def values(dataset):
    return [tf.nest.map_structure(lambda one: one.numpy().tolist(), element) for element in dataset]


series = Dataset.range(10)
pairs = Dataset.from_tensor_slices((np.arange(6), {"a": np.arange(6) * 0.5}))
for dataset, options in (
        (series, {"left_size": 0.35}), (series, {"right_size": 3}), (series, {"left_size": 2, "right_size": 0.3}),
        (series, {"left_size": 0.5, "shuffle": True, "seed": 3}), (pairs, {"left_size": 2, "shuffle": True, "seed": 1}),
        (series.batch(4), {"left_size": 0.7}), (pairs.batch(2), {"right_size": 3}),
        (np.arange(8).reshape(4, 2), {"left_size": 0.5}), ((np.arange(4), np.arange(4) * 2.0), {"left_size": 3}),
        ([np.arange(4), np.arange(4)], {"left_size": 1})):
    left, right = utils.split_dataset(dataset, **options)
    print(values(left), values(right), int(left.cardinality()), int(right.cardinality()))
for sizes in {}, {"left_size": 0}, {"left_size": 11}, {"left_size": 1.5}, {"left_size": "a"}, {"left_size": 6, "right_size": 6}:
    try:
        utils.split_dataset(series, **sizes)
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
for options in ({"sequence_stride": 2}, {"sampling_rate": 2, "batch_size": 3, "shuffle": True, "seed": 1},
                {"batch_size": None, "shuffle": True, "seed": 4}, {"start_index": 2, "end_index": 7, "batch_size": 2}):
    windows = utils.timeseries_dataset_from_array(np.arange(9), np.arange(9) * 10, 2, **options)
    print(values(windows))
    print(values(windows))
