import lockstep as tf

# Assume data is available as a tf.data.Dataset
dataset = tf.data.Dataset.from_tensor_slices(list(range(10)))
# Using the data in a sequential way, everything works
for i in dataset:
    print(i)

# Attempting a parallel approach without proper sharding

strategy = tf.distribute.MirroredStrategy()

with strategy.scope():
    distributed_dataset = dataset.batch(2).repeat()

    # In a real setup, data must be read and sharded by worker id. We are simulating here
    iterator = iter(distributed_dataset)

    for _ in range(4):
       print(strategy.run(lambda: next(iterator)))
