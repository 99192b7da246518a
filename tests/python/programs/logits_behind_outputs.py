# Cross entropies of what a softmax or a sigmoid has made, far out where probabilities would be clipped.
import numpy as np
import tensorflow as tf

K = tf.keras
x = np.float32([[50, -50, 0], [-40, 60, 1], [30, 0, -80]])
numbers = np.array([1, 0, 2])
rows = np.eye(3, dtype="float32")[numbers]


def show(name, value):
    print(name, np.round(np.asarray(tf.convert_to_tensor(value)).astype("float64"), 2).tolist())


def model_of(activation, dtype=None):
    return K.Sequential([K.Input((3,)), K.layers.Dense(3, activation=activation, kernel_initializer="identity", dtype=dtype)])


CASES = [("softmax", "categorical_crossentropy", "CategoricalCrossentropy", rows),
         ("softmax", "sparse_categorical_crossentropy", "SparseCategoricalCrossentropy", numbers),
         ("softmax", "categorical_focal_crossentropy", "CategoricalFocalCrossentropy", rows),
         ("softmax", "binary_crossentropy", "BinaryCrossentropy", rows),
         ("sigmoid", "binary_crossentropy", "BinaryCrossentropy", rows),
         ("sigmoid", "binary_focal_crossentropy", "BinaryFocalCrossentropy", rows),
         ("sigmoid", "categorical_crossentropy", "CategoricalCrossentropy", rows)]
for activation, name, kind, labels in CASES:
    function = getattr(K.losses, name)
    model, own, plain = model_of(activation), getattr(K.activations, activation), getattr(tf.nn, activation)
    for what, make in (("model", model), ("activation", lambda t: own(tf.convert_to_tensor(t))), ("tf.nn", plain)):
        show(f"{activation} {name} of {what}:", function(labels, make(x)))
        show("  traced", tf.function(lambda t: function(labels, make(t)))(x))
        show("  class", getattr(K.losses, kind)(reduction=None)(labels, make(x)))
        if hasattr(K.metrics, kind):
            show("  metric", getattr(K.metrics, kind)()(labels, make(x)))

    def mine(y_true, y_pred):
        return function(y_true, y_pred) * 2.0

    for eagerly in (False, True):
        model.compile("sgd", mine, metrics=[mine, name] if hasattr(K.metrics, kind) else [mine], run_eagerly=eagerly)
        show("  a loss of one's own", model.evaluate(x, labels, verbose=0))
    model.compile("sgd", name)
    print("  fit", [round(one, 2) for one in model.fit(x, labels, verbose=0).history["loss"]])

for policy in ("mixed_float16", "mixed_bfloat16"):
    K.mixed_precision.set_global_policy(policy)
    for last in (None, "float32"):
        model = model_of("softmax", last)
        model.compile("sgd", "categorical_crossentropy", metrics=["categorical_crossentropy"])
        show(f"{policy}, last layer in {last}:", model.evaluate(x, rows, verbose=0))
K.mixed_precision.set_global_policy("float32")
