import lockstep as tf

strategy = tf.distribute.experimental.CentralStorageStrategy()

with strategy.scope():
    # Variables created in central storage (parameter server)
    weight_c = tf.Variable(tf.random.normal((10, 10)), name="weight_c")
    bias_c = tf.Variable(tf.zeros((10,)), name="bias_c")

print("Variables created with CentralStorageStrategy.")
