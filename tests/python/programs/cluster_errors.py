import tensorflow as tf

Spec = tf.train.ClusterSpec
Simple = tf.distribute.cluster_resolver.SimpleClusterResolver
Union = tf.distribute.cluster_resolver.UnionResolver


def told(what):
    try:
        print(what())
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("<")[0][:90])


told(lambda: Simple({"worker": ["a:1"]}))
told(lambda: Spec({"worker": [3]}))
told(lambda: Spec(["a:1"]))
told(lambda: Spec({"worker": 3}))
for first, second in (({"worker": ["a:1"]}, {"worker": ["b:1"]}), ({"worker": {0: "a:1"}}, {"worker": {0: "b:1"}}),
                      ({"worker": ["a:1"]}, {"worker": {0: "b:1"}}), ({"worker": {1: "a:1"}}, {"worker": ["b:1", "c:1"]}),
                      ({"worker": {1: "a:1"}}, {"worker": ["b:1"]}), ({"worker": {5: "a:1"}}, {"worker": {6: "b:1"}}),
                      ({"worker": {5: "a:1"}}, {"worker": {5: "b:1"}}), ({"worker": ["a:1"]}, {"worker": {3: "b:1"}})):
    told(lambda: Union(Simple(Spec(first)), Simple(Spec(second))).cluster_spec().as_dict())
told(lambda: Union())
told(lambda: Union(3))
one, mirrored = tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0"])


def mixed(outer, inner):
    with outer.scope():
        with inner.scope():
            return tf.distribute.get_strategy() is inner


told(lambda: mixed(one, mirrored))
told(lambda: mixed(mirrored, one))
told(lambda: mixed(mirrored, mirrored))
print(tf.distribute.has_strategy())
told(lambda: tf.train.CheckpointManager(tf.train.Checkpoint(), "manager", max_to_keep=0))
told(lambda: tf.train.CheckpointManager(tf.train.Checkpoint(), "manager", max_to_keep=None).checkpoints)
