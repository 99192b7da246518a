# Metrics that have one name, and metrics that the program keeps; R2.
import numpy as np
import tensorflow as tf

K = tf.keras
x = np.float32([[.5, -.5, 0], [-.4, .6, 1], [.3, 0, -.8]])
y = np.eye(3, dtype="float32")[[1, 0, 2]]
weights = np.float32([1, 2, 0])


def rounded(values):
    return {name: round(float(one), 4) for name, one in values.items()}


def fitted(metrics, weighted, eagerly):
    model = K.Sequential([K.Input((3,)), K.layers.Dense(3, activation="softmax", kernel_initializer="identity")])
    model.compile("sgd", "mse", metrics=metrics(), weighted_metrics=weighted and weighted(), run_eagerly=eagerly)
    history = model.fit(x, y, sample_weight=weights, verbose=0).history
    print(sorted(rounded({name: one[0] for name, one in history.items()}).items()))
    print([round(float(one), 4) for one in model.evaluate(x, y, verbose=0)],
          sorted(rounded(model.evaluate(x, y, verbose=0, return_dict=True)).items()))


M = K.metrics
for eagerly in (False, True):
    fitted(lambda: [M.CategoricalCrossentropy(), M.CategoricalCrossentropy(label_smoothing=.2)], None, eagerly)
    fitted(lambda: ["mse", M.MeanSquaredError(name="m"), M.MeanAbsoluteError(name="m")], lambda: ["mse", "mse"], eagerly)
    fitted(lambda: ["accuracy", "accuracy"], lambda: ["accuracy"], eagerly)

inputs = K.Input((3,))
outputs = [K.layers.Dense(3, name=name, kernel_initializer="identity")(inputs) for name in ("a", "b")]
model = K.Model(inputs, outputs)
first, second = M.MeanAbsoluteError(name="e"), M.MeanAbsoluteError(name="e")
model.compile("sgd", ["mse", "mse"], metrics={"a": [first, "mse"], "b": second}, weighted_metrics={"a": ["mse"]})
history = model.fit(x, [y, 2 * y], epochs=2, verbose=0).history
print({name: [round(one, 4) for one in values] for name, values in sorted(history.items())})
print(round(float(first.result()), 4), round(float(second.result()), 4), first.name)
print([round(float(one), 4) for one in model.evaluate(x, [y, 2 * y], verbose=0)])

r2 = M.R2Score()
print([one.path.split("/")[-1] for one in r2.variables])
for kind in ("uniform_average", "variance_weighted_average", None):
    for regressors in (0, 1):
        r2 = M.R2Score(kind, regressors)
        for _ in range(2):
            r2.update_state(np.float32([[1, 2], [3, 5], [4, 1]]), np.float32([[1, 2.5], [2, 5], [4, 2]]), sample_weight=weights)
        print(kind, regressors, np.round(np.asarray(tf.convert_to_tensor(r2.result())), 4).tolist(),
              [(one.name, np.round(one.numpy(), 3).tolist()) for one in r2.variables])
r2.reset_state()
print([one.numpy().tolist() for one in r2.variables])
for wrong in (lambda: M.R2Score("sum"), lambda: M.R2Score(num_regressors=-1), lambda: M.R2Score()([1., 2.], [1., 2.])):
    try:
        wrong()
    except ValueError as error:
        print(error)
short = K.layers.UnitNormalization()
for length in (1e-3, 1e-6, 1e-9, 1e-12, 1e-13, 0):
    print(length, np.round(short(np.float32([[length, length]])).numpy(), 5).tolist())
