import lockstep as tf

# Assume we are using a distributed strategy (e.g., MultiWorkerMirroredStrategy)
# This example runs locally but mimics distributed behavior
strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
    x = tf.Variable(tf.zeros([10]), dtype=tf.float32) # variable on device
    y = tf.Variable(tf.ones([10]), dtype=tf.float32) # variable on device

    @tf.function
    def worker_function():
      global_x = strategy.run(lambda: x)  # get x on each device (copy)
      strategy.run(lambda: tf.assign(global_x, y)) # copy y to x
      return global_x # global x

    initial_x = worker_function().numpy()

    # Now, modify local x's value (simulate an operation that might overwrite)
    x.assign(tf.zeros([10])+5.0) # modify the value after initiating the send

    # get new tensor's value
    received_x = worker_function().numpy()

    print(f"Initial x: {initial_x[0]} ...")
    print(f"Received x after modification: {received_x[0]}...")
