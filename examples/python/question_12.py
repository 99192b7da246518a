import lockstep as tf
import numpy as np

# Sequential execution - works predictably
tf.random.set_seed(42)
print(tf.random.normal((1,5)).numpy())

# Parallel execution- can have unpredictable outputs
strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
  tf.random.set_seed(42)
  print(strategy.run(lambda: tf.random.normal((1,5))).numpy())
