import lockstep as tf
import time

strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
    x = tf.Variable(tf.zeros([10], dtype=tf.float32))
    increment = tf.constant(1.0, dtype=tf.float32)

    @tf.function
    def worker_function():
        initial_val = strategy.run(lambda: x)
        new_val = strategy.run(lambda: x + increment)
        # This simulates operations running in parallel during training
        tf.print('Inside worker function')
        return new_val

    initial_tensor = worker_function().numpy()
    time.sleep(1) # simulate other tasks

    # Modify initial tensor via assign
    x.assign(tf.ones([10]))
    final_tensor = worker_function().numpy()
    print(f'Initial_tensor[0]: {initial_tensor[0]} ...')
    print(f'Final_tensor[0]: {final_tensor[0]} ...')
