import tensorflow as tf
class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([in_features, out_features]), name='w')
        self.b = tf.Variable(tf.zeros([out_features]), name='b')
    def __call__(self, x):
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)
class MLP(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.layers = [Dense(3, 3), Dense(3, 2)]
        self.step = tf.Variable(0, trainable=False, name="step")
    @tf.function
    def __call__(self, x):
        for l in self.layers: x = l(x)
        self.step.assign_add(1)
        return x
    @tf.Module.with_name_scope
    def named(self):
        return tf.Variable(1.0, name="inner").name
m = MLP(name="mlp")
print(m(tf.constant([[2.0, 2.0, 2.0]])))
print(m.name, len(m.variables), len(m.trainable_variables), [s.name for s in m.submodules], m.step.numpy())
print([v.name for v in m.variables], m.named(), m.name_scope.name)
s = {"a": [1, 2, (3, 4)], "b": {"c": tf.constant(5)}}
print(tf.nest.flatten(s))
print(tf.nest.map_structure(lambda x: x * 2, s))
print(tf.nest.pack_sequence_as(s, [10, 20, 30, 40, 50]), tf.nest.is_nested([1]), tf.nest.is_nested(1))
try: tf.nest.assert_same_structure([1, 2], [1, [2]])
except ValueError as e: print("ValueError")
try: tf.nest.assert_same_structure({"a": 1}, {"b": 1})
except ValueError as e: print("ValueError")
print(tf.nest.map_structure(lambda a, b: a + b, (1, [2]), (10, [20])), tf.nest.flatten({"z": 1, "a": 2}), tf.nest.flatten(None), tf.nest.flatten([]))
import collections
P = collections.namedtuple("P", "x y"); print(tf.nest.map_structure(str, P(1, P(2, 3))), tf.nest.flatten(P(1, 2), expand_composites=True))
try: tf.nest.map_structure(lambda a, b: a, [1], [1, 2])
except ValueError as e: print("ValueError")
try: tf.nest.pack_sequence_as([1, 2], [1])
except ValueError as e: print(str(e).split("\n")[0][:70])
print(tf.nest.pack_sequence_as([1, [2, {"k": 3}]], ["a", "b", "c"]), tf.nest.flatten(collections.OrderedDict([("b", 1), ("a", 2)])))
