"""Variables under strategies: synchronization and aggregation, creation, reprs, errors."""
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
S, A = tf.VariableSynchronization, tf.VariableAggregation
made = {}
with strategy.scope():
    for s in (S.AUTO, S.ON_WRITE, S.ON_READ):
        for a in (A.NONE, A.SUM, A.MEAN, A.ONLY_FIRST_REPLICA):
            made[s.name, a.name] = tf.Variable(1.0, synchronization=s, aggregation=a)
for key, v in made.items():
    print(key, v.trainable, v.synchronization.name, v.aggregation.name, len(v.values))
def each(op):
    for key, v in made.items():
        def fn():
            i = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
            op(v, i + 1.0)
        try:
            strategy.run(tf.function(fn))
            got = [float(x) for x in strategy.experimental_local_results(v)]
            try: whole = float(v.read_value())
            except (ValueError, RuntimeError): whole = "error"
            print(key, got, whole)
        except (ValueError, RuntimeError) as e:
            print(key, type(e).__name__)
each(lambda v, x: v.assign(x))
each(lambda v, x: v.assign_add(x))
each(lambda v, x: v.assign_sub(x))
for key, v in made.items():
    if key == ("ON_READ", "NONE"):
        continue
    try:
        v.assign(4.0); print(key, [float(x) for x in strategy.experimental_local_results(v)], v.numpy() if key[1] != "NONE" or key[0] != "ON_READ" else "")
    except ValueError as e:
        print(key, "ValueError")
for key, v in list(made.items()):
    if key == ("ON_READ", "NONE"):
        continue
    try:
        v.assign_add(1.0); print(key, [float(x) for x in strategy.experimental_local_results(v)])
    except ValueError as e:
        print(key, "ValueError")
with strategy.scope():
    w = tf.Variable([1.0, 2.0], name="w")
    print(w)
    print((w * 2).numpy(), w[1].numpy(), w.shape, w.dtype, tf.reduce_sum(w).numpy(), tf.is_tensor(w))
    print(strategy.extended.variable_created_in_scope(w))

outside = tf.Variable(1.0)
print(strategy.extended.variable_created_in_scope(outside))
print(float(strategy.reduce("SUM", strategy.run(lambda: outside * 2.0), axis=None)))
@tf.function
def creates():
    def fn():
        if "lazy" not in made:
            made["lazy"] = tf.Variable(5.0, aggregation=A.SUM)
        made["lazy"].assign_add(tf.ones([]))
        return made["lazy"].read_value()
    return strategy.run(fn)
with strategy.scope():
    print([float(x) for x in strategy.experimental_local_results(creates())], [float(x) for x in strategy.experimental_local_results(creates())])
