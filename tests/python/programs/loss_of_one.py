# Losses of one example, or of one value for the whole batch, with weights of several ranks.
import tensorflow as tf

one = (tf.constant([[1.0]]), tf.constant([[3.0]]))
several = (tf.constant([[1.0, 2.0], [0.0, 1.0], [2.0, 2.0]]), tf.constant([[2.0, 4.0], [1.0, 1.0], [0.0, 3.0]]))
for kind in (tf.keras.losses.MeanSquaredError, tf.keras.losses.MeanAbsoluteError, tf.keras.losses.Huber):
    for reduction in ("sum", "sum_over_batch_size", "mean", "mean_with_sample_weight"):
        loss = kind(reduction=reduction)
        print(kind.__name__, reduction, [f"{float(loss(*one, sample_weight=w)):.4f}" for w in (0.5, [0.5], [[0.5]])],
              [f"{float(loss(*several, sample_weight=w)):.4f}" for w in (0.5, [0.5, 0.0, 2.0], [[0.5], [0.0], [2.0]])])
dice = tf.keras.losses.Dice()
print(f"{float(dice(*several, sample_weight=0.5)):.4f}", f"{float(dice(*one, sample_weight=[0.5])):.4f}")
