# Integers where a real number is due, schedules with fractions of steps, and what a strategy's one replica holds.
import tensorflow as tf

for dtype in (tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8):
    x = tf.cast([3, 0, 5], dtype)
    leaky, quotient = tf.nn.leaky_relu(x), tf.math.divide_no_nan(x, tf.cast([2, 0, 4], dtype))
    print(dtype.name, leaky.dtype.name, leaky.numpy(), quotient.dtype.name, quotient.numpy())
print(tf.nn.leaky_relu(tf.constant([-4, 4]), alpha=0.5).numpy(), tf.math.divide_no_nan(3, 2), tf.math.divide_no_nan(3, 0))
print(tf.function(tf.nn.leaky_relu)(tf.constant([-4, 4])))

schedules = tf.keras.optimizers.schedules
for schedule in (schedules.ExponentialDecay(0.5, 2.5, 0.25), schedules.InverseTimeDecay(0.5, 0.5, 1.0, staircase=True),
                 schedules.PolynomialDecay(0.5, 7.5), schedules.PolynomialDecay(0.5, 2.5, cycle=True),
                 schedules.CosineDecay(0.5, 7.5, warmup_target=1.0, warmup_steps=2.5),
                 schedules.CosineDecayRestarts(0.5, 1.5, t_mul=1.5)):
    print(schedule.get_config(), [f"{float(schedule(step)):.5f}" for step in range(6)])


def attempt(what, act):
    try:
        print(what, float(act()))
    except ValueError:
        print(what, "ValueError")


for strategy in (tf.distribute.MirroredStrategy(["/cpu:0"]), tf.distribute.OneDeviceStrategy("/cpu:0")):
    for aggregation in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with strategy.scope():
            v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ,
                            aggregation=tf.VariableAggregation[aggregation])
        strategy.run(lambda: v.assign_add(2.0))
        attempt(aggregation + " read", lambda: v.read_value())
        attempt(aggregation + " as a tensor", lambda: tf.convert_to_tensor(v))
        attempt(aggregation + " sum", lambda: v + 1.0)
        attempt(aggregation + " in the replica", lambda: strategy.run(lambda: v.read_value()))
        if aggregation != "NONE":
            v.assign(6.0)
            attempt(aggregation + " assign_add", lambda: v.assign_add(1.0))
            attempt(aggregation + " assign_sub", lambda: v.assign_sub(1.0))
            attempt(aggregation + " after that", lambda: v.read_value())
