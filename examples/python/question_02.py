import lockstep as tf

strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
    x = tf.Variable(tf.zeros([10], dtype=tf.float32))

    @tf.function
    def worker_function():
        global_x = strategy.run(lambda: x)
        return global_x # global x

    received_x = worker_function().numpy()

    received_x[0] = 5.0  # Attempted modification of the returned tensor copy

    updated_x = worker_function().numpy()


    print(f"Initial received x: {received_x[0]}...")
    print(f"Updated received x: {updated_x[0]}...")
