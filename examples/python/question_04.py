import lockstep as tf

strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
    # Variables are created on each device managed by the MirroredStrategy
    weight = tf.Variable(tf.random.normal((10, 10)), name="weight")
    bias = tf.Variable(tf.zeros((10,)), name="bias")

# These variables now exist across all devices in the strategy
print("Variables created with MirroredStrategy.")
