"""The numbers of `keras.random`, with and without seeds."""
import numpy as np
import tensorflow as tf

keras = tf.keras
random = keras.random


def shown(values):
    return np.round(np.asarray(values), 5).tolist()


def row():
    return [shown(random.uniform((2,))), shown(random.normal((2,))), shown(random.truncated_normal((2,))),
            shown(random.randint((3,), 0, 10)), shown(random.categorical(np.zeros((1, 4), "float32"), 3)),
            shown(random.shuffle(np.arange(5))), shown(random.dropout(np.ones(4, "float32"), 0.5))]


for seed in (0, 7):
    keras.utils.set_random_seed(seed)
    for values in row():
        print(values)
keras.utils.set_random_seed(7)
print(shown(random.uniform((2,))))
keras.utils.set_random_seed(7)
keras.backend.clear_session()
print(shown(random.uniform((2,))), shown(random.uniform((2,))))


@tf.function
def draw():
    return random.uniform((2,))


print(shown(draw()), shown(draw()))
for seed in (3, 2**31 + 5, keras.random.SeedGenerator(3)):
    print(shown(random.uniform((2,), 1.0, 2.0, seed=seed)), shown(random.normal((2,), seed=seed)),
          shown(random.dropout(np.ones(6, "float32"), 0.25, seed=seed)), shown(random.shuffle(np.arange(4), seed=seed)))
grid = np.arange(6).reshape(2, 3)
print(shown(random.shuffle(grid, axis=1, seed=5)), shown(random.shuffle(grid, seed=5)))
print(shown(random.dropout(np.ones((2, 3), "float32"), 0.5, noise_shape=(2, 1), seed=1)),
      shown(random.dropout(np.ones(2, "float32"), 1.0)), shown(random.dropout(np.ones(2, "float32"), 0.0)))
print(random.randint((2,), 0, 3, dtype="uint8", seed=1).dtype, random.uniform((2,), dtype="float64", seed=1).dtype,
      random.categorical(np.zeros((1, 4), "float32"), 3, seed=1).dtype)
keras.backend.set_floatx("float64")
print(random.uniform((2,), seed=1).dtype, random.normal((2,), seed=1).dtype)
keras.backend.set_floatx("float32")
generator = random.SeedGenerator(4)
print(shown(generator.next()), shown(generator.next(ordered=False)), shown(generator.next()), generator.get_config()["seed"])
for seed in ("a", 1.5):
    try:
        random.uniform((2,), seed=seed)
    except ValueError as error:
        print(error)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dropout(0.5)])
print(shown(model.weights[0]), shown(random.uniform((2,))), shown(model(np.ones((2, 3)), training=True)))
