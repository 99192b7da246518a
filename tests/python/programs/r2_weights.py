# R2 with a weight for all, for each example and for each output, and what its variables hold of them.
import numpy as np
import tensorflow as tf

y = tf.constant([[1.0, 2.0], [3.0, 5.0], [4.0, 4.5], [0.0, 2.0]])
p = tf.constant([[1.5, 2.0], [2.0, 4.0], [4.0, 5.5], [1.0, 1.0]])
for weight in (None, 0.7, [1.0, 0.0, 2.0, 0.5], [[1.0], [0.0], [2.0], [0.5]], [[1.0, 0.5], [0.0, 1.0], [2.0, 2.0], [0.5, 0.0]]):
    metric = tf.keras.metrics.R2Score()
    metric.update_state(y, p, sample_weight=weight)
    metric.update_state(y[:2], p[:2])
    print(weight, f"{float(metric.result()):.5f}")
    print([(v.name, np.round(v.numpy().astype(float), 4).tolist()) for v in metric.variables if v.shape.rank == 1])
