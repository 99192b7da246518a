import tensorflow as tf
s = tf.distribute.MultiWorkerMirroredStrategy()
print(s.cluster_resolver.task_type, s.cluster_resolver.task_id, s.cluster_resolver.cluster_spec(), repr(s.cluster_resolver.master()), s.num_replicas_in_sync)
with s.scope():
    v = tf.Variable(1.5); w = tf.Variable([2.5], aggregation=tf.VariableAggregation.SUM, synchronization=tf.VariableSynchronization.ON_READ)
print(v, w)
print(v.aggregation, w.aggregation, tf.Variable(1.).aggregation, tf.Variable(1., aggregation=tf.VariableAggregation.MEAN).aggregation)
print(tf.Variable(1.).aggregation == tf.VariableAggregation.NONE, tf.VariableAggregation.NONE, repr(tf.VariableAggregation.SUM), tf.VariableSynchronization.AUTO, tf.Variable(1.).synchronization)
print(hash(tf.VariableAggregation.NONE) == hash(tf.compat.v1.VariableAggregation.NONE), tf.compat.v1.VariableAggregation.NONE == tf.VariableAggregation.NONE, list(tf.compat.v1.VariableAggregation), list(tf.VariableAggregation))
import pickle, copy
x = tf.Variable([1., 2.], name="xx", trainable=False)
y = pickle.loads(pickle.dumps(x)); print(y, y.trainable)
try: tf.unstack(tf.ones([2]), num=3)
except Exception as e: print(type(e).__name__)
try: 
    with tf.device("/foo:bar"): tf.constant(1)
except ValueError as e: print(e)
try: 
    with tf.device("/job:w/gpu:x"): tf.constant(1)
except ValueError as e: print(e)
try: 
    with tf.device("nonsense"): print(tf.constant(1) + 1)
except Exception as e: print(type(e).__name__, str(e)[:100])
try: 
    with tf.device(""): print((tf.constant(1) + 1).device)
except Exception as e: print(type(e).__name__, str(e)[:100])
o = tf.data.Options(); o.experimental_deterministic = False; print(o.deterministic)
o.deterministic = True; print(o.experimental_deterministic)
for c in ("ExponentialDecay", "PiecewiseConstantDecay", "PolynomialDecay", "InverseTimeDecay", "CosineDecayRestarts"):
    a = {"ExponentialDecay": (0.1, 10, 0.9), "PiecewiseConstantDecay": ([1, 2], [.1, .2, .3]), "PolynomialDecay": (0.1, 10), "InverseTimeDecay": (.1, 10, .5), "CosineDecay": (.1, 10), "CosineDecayRestarts": (.1, 10)}[c]
    k = getattr(tf.keras.optimizers.schedules, c)(*a); print(k.get_config())
    print(getattr(tf.keras.optimizers.schedules, c).from_config(k.get_config())(3).numpy())
print(tf.random.experimental.create_rng_state(1, "philox"), tf.random.create_rng_state([1, 2], 1))
