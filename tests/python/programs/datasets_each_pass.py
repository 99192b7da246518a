# Datasets: numbers drawn anew in each pass, shapes of paddings, rows of lists, optionals, specs, columns of files.
import gzip
import tensorflow as tf

Dataset = tf.data.Dataset


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    print(name, tf.nest.map_structure(lambda one: str(one.numpy()) if hasattr(one, "numpy") else one, made))


def passes(dataset):
    return [[int(one) for one in dataset] for _ in range(3)]


show("random", lambda: passes(Dataset.random(seed=4).take(3)))
show("random anew", lambda: passes(Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)))
tf.random.set_seed(7)
show("random of a global seed", lambda: passes(Dataset.random(seed=4, rerandomize_each_iteration=True).take(2)))
halves = [Dataset.range(4), Dataset.range(10, 14)]
show("sampled", lambda: passes(Dataset.sample_from_datasets(halves, [0.5, 0.5], seed=3)))
show("sampled anew", lambda: passes(Dataset.sample_from_datasets(halves, [0.7, 0.3], seed=3, rerandomize_each_iteration=True)))
show("sampled to an end", lambda: passes(Dataset.sample_from_datasets(
    halves, seed=3, stop_on_empty_dataset=True, rerandomize_each_iteration=True)))

rising = Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
show("padded to 4", lambda: list(rising.padded_batch(2, padded_shapes=4)))
show("padded by -1", lambda: list(rising.padded_batch(2, padded_shapes=4, padding_values=tf.constant(-1, tf.int64))))
show("padded by another dtype", lambda: list(rising.padded_batch(2, padded_shapes=4, padding_values=-1.0)))
show("padded too little", lambda: list(rising.padded_batch(3, padded_shapes=2)))
ragged = rising.ragged_batch(2, row_splits_dtype=tf.int32)
print(ragged.element_spec, [one.row_splits.dtype.name for one in ragged])
print([one.to_list() for one in rising.apply(tf.data.experimental.dense_to_ragged_batch(2, row_splits_dtype=tf.int32))])

show("list", lambda: list(tf.data.experimental.from_list([1, 2, 3])))
show("list of pairs", lambda: list(tf.data.experimental.from_list([(1, "a"), (2, "b")])))
show("list of lists", lambda: list(tf.data.experimental.from_list([[1, 2], [3, 4]])))
show("list of dicts", lambda: list(tf.data.experimental.from_list([{"x": 1.0, "y": [1, 2]}, {"x": 2.0, "y": [3, 4]}])))
show("empty list", lambda: tf.data.experimental.from_list([]))
generated = Dataset.from_generator(lambda: iter([[1, 2], [3]]), output_types=tf.int64)
show("unbatched", lambda: list(generated.unbatch()))
show("unbatched arrays", lambda: [one.item() for one in generated.unbatch().as_numpy_iterator()])

optional = tf.experimental.Optional.from_value(42)
show("optional", lambda: [optional.has_value(), optional.get_value()])
print(optional.get_value(), optional.element_spec, tf.OptionalSpec.from_value(optional))
show("optional pair", lambda: tf.experimental.Optional.from_value((1, "a")).get_value())
empty = tf.experimental.Optional.empty(tf.TensorSpec([None], tf.float32))
print(bool(empty.has_value()), empty.element_spec)
show("empty", empty.get_value)
print(tf.data.DatasetSpec.from_value(Dataset.range(3)))
spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
print(spec.is_compatible_with(Dataset.range(3)), spec.is_compatible_with(Dataset.from_tensors(1.0)))

with gzip.open("figures.csv.gz", "wt") as file:
    file.write("a,b,c\n1,2.5,x\n4,5.5,y\n")
read = tf.data.experimental.CsvDataset("figures.csv.gz", [tf.int32, tf.string], compression_type="GZIP", header=True,
                                       exclude_cols=[1])
show("columns", lambda: list(read))
show("columns of files", lambda: list(tf.data.experimental.CsvDataset(
    ["figures.csv.gz"] * 2, [tf.float32], compression_type="GZIP", header=True, select_cols=[1])))
show("both", lambda: list(tf.data.experimental.CsvDataset("figures.csv.gz", [tf.int32], select_cols=[0], exclude_cols=[1])))
