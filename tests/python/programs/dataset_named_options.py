import collections

import tensorflow as tf

Pair = collections.namedtuple("Pair", "a b")
pairs = tf.data.Dataset.from_tensor_slices(Pair([1, 2, 3], [3.0, 4.0, 5.0]))


def show(what):
    try:
        made = what()
        print(list(made.as_numpy_iterator()) if isinstance(made, tf.data.Dataset) else made)
    except (AttributeError, TypeError, ValueError) as error:
        print(type(error).__name__, str(error).replace("tensorflow.python", "").split(" <class")[0][:150])


show(lambda: pairs.map(lambda p: p.a * 2))
show(lambda: pairs.map(lambda p: Pair(p.b, p.a)))
show(lambda: pairs.filter(lambda p: p.a > 1))
show(lambda: pairs.flat_map(lambda p: tf.data.Dataset.from_tensors(p)))
show(lambda: pairs.interleave(lambda p: tf.data.Dataset.from_tensors(p.b)))
show(lambda: pairs.reduce(0, lambda s, p: s + p.a).numpy())
show(lambda: pairs.scan(0, lambda s, p: (s + p.a, s)))
show(lambda: pairs.take_while(lambda p: p.a < 2))
show(lambda: pairs.batch(2).map(lambda p: tf.reduce_sum(p.b)))
show(lambda: tf.data.Dataset.zip((tf.data.Dataset.range(2), pairs)).map(lambda i, p: tf.cast(i, tf.float32) + p.b))

options = tf.data.Options()
print(hasattr(options, "numpy"), options.deterministic, options.threading.private_threadpool_size,
      options.experimental_slack, options.autotune.enabled, options.experimental_distribute.num_devices)
print(int(options.experimental_distribute.auto_shard_policy))


def put(part, name, value):
    setattr(getattr(options, part) if part else options, name, value)


show(lambda: put("", "deterministic", "x"))
show(lambda: put("", "nothing", 3))
show(lambda: put("threading", "private_threadpool_size", "many"))
show(lambda: put("threading", "private_threadpol_size", 3))
show(lambda: put("experimental_distribute", "auto_shard_policy", "x"))
show(lambda: put("experimental_optimization", "map_fusion", True))
show(lambda: put("experimental_distribute", "auto_shard_policy", tf.data.experimental.AutoShardPolicy.OFF))
show(lambda: options.threading.nothing if hasattr(options.threading, "nothing") else "none")
kept = pairs.with_options(options).options()
print(kept.experimental_optimization.map_fusion, kept.experimental_distribute.auto_shard_policy,
      kept.experimental_optimization.filter_fusion)

named = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "s": ["x", "y"], "f": [[1.0, 2.0], [3.0, 4.0]]})
pad = tf.data.experimental.pad_to_cardinality
show(lambda: named.apply(pad(3)))
print(named.apply(pad(4, mask_key="there")).element_spec, int(named.apply(pad(4)).cardinality()))
show(lambda: named.apply(pad(2)).map(lambda one: one["valid"]))
show(lambda: named.apply(pad(1)))
show(lambda: named.repeat().apply(pad(1)))
show(lambda: tf.data.Dataset.range(2).apply(pad(4)))
