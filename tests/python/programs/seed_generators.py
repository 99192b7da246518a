import tensorflow as tf
import numpy as np
keras = tf.keras
I = keras.initializers
for name in ["RandomNormal", "RandomUniform", "TruncatedNormal", "GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal",
             "LecunUniform", "LecunNormal", "VarianceScaling", "Orthogonal"]:
    generator = keras.random.SeedGenerator(3)
    make = getattr(I, name)(seed=generator)
    first, second = make((2, 3)).numpy(), make((2, 3)).numpy()
    print(name, np.round(first, 4).tolist(), np.round(second, 4).tolist(), generator.state.numpy().tolist())
layer = keras.layers.Dense(2, kernel_initializer=I.HeNormal(seed=keras.random.SeedGenerator(5)))
print(np.round(layer(tf.ones([1, 3])).numpy(), 4).tolist())
