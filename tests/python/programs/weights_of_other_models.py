# Files whose weights do not fit the model: the counts of each layer, shapes, skip_mismatch, by_name, layers of another number.
import warnings

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def made(*units, **options):
    model = keras.Sequential([keras.Input((3,))] + [layers.Dense(one, name=f"d{place}", **options) for place, one in enumerate(units)])
    model.set_weights([np.full(one.shape, 1.0 + place, "float32") for place, one in enumerate(model.get_weights())])
    return model


def attempt(what, model, path, **options):
    before = [one.copy() for one in model.get_weights()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.load_weights(path, **options)
            outcome = "loads"
        except (ValueError, OSError) as error:
            outcome = type(error).__name__, str(error)[:80]
    changed = [not np.array_equal(a, b) for a, b in zip(before, model.get_weights())]
    print(what, outcome, changed, [str(one.message)[:60] for one in caught if "objects could not" in str(one.message)])


def zeroed(model):
    model.set_weights([np.zeros_like(one) for one in model.get_weights()])
    return model


made(4, 2).save_weights("two.weights.h5")
made(4, 2).save("two.keras")
made(4, 2, use_bias=False).save_weights("plain.weights.h5")
made(4, 5).save_weights("wide.weights.h5")
for path in ("two.weights.h5", "two.keras"):
    attempt(f"same {path}", zeroed(made(4, 2)), path)
    attempt(f"longer model {path}", zeroed(made(4, 2, 1)), path)
    attempt(f"longer model, skipping {path}", zeroed(made(4, 2, 1)), path, skip_mismatch=True)
    attempt(f"by name {path}", zeroed(made(4, 2)), path, by_name=True)
attempt("bias missing in the file", zeroed(made(4, 2)), "plain.weights.h5")
attempt("bias missing in the model", zeroed(made(4, 2, use_bias=False)), "two.weights.h5")
attempt("other shape", zeroed(made(4, 2)), "wide.weights.h5")
attempt("other shape, skipping", zeroed(made(4, 2)), "wide.weights.h5", skip_mismatch=True)
