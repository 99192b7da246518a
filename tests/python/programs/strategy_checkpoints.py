"""Checkpoints from one strategy to another: slots, ON_READ variables, metrics, deferred restores, missing parts."""
import os, tempfile
import tensorflow as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
folder = tempfile.mkdtemp()
mirrored, one = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), tf.distribute.OneDeviceStrategy("CPU:0")
def parts(strategy):
    with strategy.scope():
        read_sum = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
        read_mean = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
        weight = tf.Variable([1.0, 2.0], name="weight"); opt = tf.keras.optimizers.Adam(0.1); metric = tf.keras.metrics.Mean()
        opt.build([weight])
    return dict(read_sum=read_sum, read_mean=read_mean, weight=weight, opt=opt, metrics=metric.variables)
def step(strategy, p):
    @tf.function
    def f():
        def fn():
            i = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
            p["read_sum"].assign_add(i + 1.0); p["read_mean"].assign_add(i + 1.0); p["metrics"][1].assign_add(1.0)
            p["opt"].apply_gradients([(tf.constant([1.0, -1.0]), p["weight"])])
        strategy.run(fn)
    f()
def show(strategy, p):
    print([float(x) for x in strategy.experimental_local_results(p["read_sum"])], float(p["read_sum"].read_value()), [float(x) for x in strategy.experimental_local_results(p["read_mean"])], p["weight"].numpy().round(4).tolist(), p["opt"].iterations.numpy(), [v.numpy().round(4).tolist() for v in p["opt"].variables[2:]])
p = parts(mirrored); step(mirrored, p); step(mirrored, p); show(mirrored, p)
saved = tf.train.Checkpoint(**p).save(os.path.join(folder, "m"))
print([(n, s) for n, s in tf.train.list_variables(saved) if "OBJECT_GRAPH" not in n and "_variables" not in n])
reader = tf.train.load_checkpoint(saved)
print(reader.get_tensor("read_sum/.ATTRIBUTES/VARIABLE_VALUE"), reader.get_tensor("read_mean/.ATTRIBUTES/VARIABLE_VALUE"), reader.has_tensor("weight/.ATTRIBUTES/VARIABLE_VALUE"))
q = parts(one); tf.train.Checkpoint(**q).restore(saved).assert_consumed(); show(one, q)
step(one, q); show(one, q)
back = tf.train.Checkpoint(**q).save(os.path.join(folder, "o"))
r = parts(mirrored); status = tf.train.Checkpoint(**r).restore(back); status.assert_existing_objects_matched(); show(mirrored, r)
with mirrored.scope():
    deferred = tf.train.Checkpoint(); s = deferred.restore(saved)
    deferred.weight = tf.Variable([0.0, 0.0]); print(deferred.weight.numpy().tolist(), [v.numpy().tolist() for v in deferred.weight.values])
try: s.assert_consumed()
except AssertionError: print("AssertionError")
with mirrored.scope(): other = tf.Variable([0.0, 0.0, 0.0])
try: tf.train.Checkpoint(weight=other).restore(saved)
except ValueError as e: print("ValueError")
try: tf.train.Checkpoint(nothing=tf.Variable(1.0)).restore(saved).assert_existing_objects_matched()
except AssertionError: print("AssertionError")
tf.train.Checkpoint(weight=tf.Variable([9.0, 9.0])).read(saved).expect_partial(); print(tf.train.latest_checkpoint(folder) == back)
