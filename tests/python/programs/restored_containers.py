"""Containers of a module or a checkpoint: how they print, and that what they receive later is restored."""
import collections
import copy
import json
import pickle
import tempfile

import tensorflow as tf


class Holder(tf.Module):
    pass


saved = tf.train.Checkpoint()
saved.items = [tf.Variable(1.0), [tf.Variable(2.0)]]
saved.table = {"a": tf.Variable(3.0), "b": {"c": tf.Variable(4.0)}}
saved.module = Holder()
saved.module.parts = [tf.Variable(5.0), {"d": tf.Variable(6.0)}]
path = saved.save(tempfile.mkdtemp() + "/c")
print([name for name, _ in tf.train.list_variables(path)])
later = tf.train.Checkpoint()
later.restore(path)
later.items, later.table, later.module = [], {}, Holder()
print(later.items, later.table, repr(later.table))
made = [tf.Variable(0.0) for _ in range(6)]
later.items.append(made[0])
later.items.append([])
later.items[1].append(made[1])
later.table["a"] = made[2]
later.table["b"] = {"c": made[3]}
later.module.parts = []
later.module.parts.append(made[4])
later.module.parts.extend([{"d": made[5]}])
print([float(one) for one in made])
print(len(later.items), [v.numpy() for v in later.module.variables])
t = Holder()
t.p, t.d, t.e, t.n = [1, [2], {"a": 3}], {"a": [1], "b": 2}, [], {}
t.s, t.o, t.dd = {1}, collections.OrderedDict(a=1), collections.defaultdict(list, a=1)
for key in "pdensod":
    value = getattr(t, key)
    print(key, repr(value), str(value))
outside = []
t.shared = outside
outside.append(tf.Variable(7.0))
print(len(t.shared), [float(one) for one in t.variables])
t.p, t.d = [1, 2], {"a": [1]}
print(json.dumps(t.p))
for f in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x + [3], lambda x: [3] + x, lambda x: x * 2,
          lambda x: x[:1], lambda x: x == [1, 2], lambda x: isinstance(x, list), list, tuple, lambda x: x.copy(), sorted):
    print(f(t.p))
for f in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x == {"a": [1]}, lambda x: isinstance(x, dict),
          dict, lambda x: x.copy(), lambda x: list(x.items()), lambda x: {**x, "b": 1}):
    print(f(t.d))
