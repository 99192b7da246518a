import lockstep as tf
import json
import os

# Define cluster spec for multi-worker execution (example)
os.environ['TF_CONFIG'] = json.dumps({
    'cluster': {
        'worker': ["localhost:12345", "localhost:12346"]
    },
    'task': {'type': 'worker', 'index': 0}  # Example worker index
})

strategy = tf.distribute.MultiWorkerMirroredStrategy()

with strategy.scope():
    # Variables will be replicated on each device within each worker
    weight_m = tf.Variable(tf.random.normal((10, 10)), name="weight_m")
    bias_m = tf.Variable(tf.zeros((10,)), name="bias_m")

print("Variables created with MultiWorkerMirroredStrategy.")
