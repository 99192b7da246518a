import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
keras.utils.set_random_seed(2)
title = keras.Input(shape=(4,), name="title"); body = keras.Input(shape=(6,), name="body"); tags = keras.Input(shape=(3,), name="tags")
shared = layers.Dense(5, activation="relu", name="shared", kernel_initializer="ones")
t = shared(layers.Dense(4, kernel_initializer="ones", name="pre_title")(title)); b = shared(layers.Dense(4, kernel_initializer="ones", name="pre_body")(body))
x = layers.concatenate([t, b, tags], name="joined")
priority = layers.Dense(1, name="priority", kernel_initializer="zeros")(x); department = layers.Dense(2, name="department", activation="softmax", kernel_initializer="zeros")(x)
model = keras.Model(inputs=[title, body, tags], outputs={"priority": priority, "department": department})
model.summary()
model.compile(optimizer=keras.optimizers.SGD(0.0001), loss={"priority": keras.losses.MeanSquaredError(), "department": keras.losses.CategoricalCrossentropy()}, loss_weights={"priority": 1.0, "department": 0.2}, metrics={"priority": ["mae"], "department": ["accuracy"]})
n = 8
data = {"title": np.arange(n * 4).reshape(n, 4) / 32, "body": np.ones((n, 6)), "tags": np.eye(3)[np.arange(n) % 3]}; targets = {"priority": np.arange(n)[:, None] / n, "department": np.eye(2)[np.arange(n) % 2]}
h = model.fit(data, targets, epochs=2, batch_size=4, verbose=0, shuffle=False)
for k in sorted(h.history): print(k, [round(float(v), 4) for v in h.history[k]])
print({k: round(float(v), 4) for k, v in sorted(model.evaluate(data, targets, verbose=0, return_dict=True).items())})
p = model.predict(data, verbose=0); print({k: v.shape for k, v in p.items()})
ds = tf.data.Dataset.from_tensor_slices((data, targets)).batch(4); model.fit(ds, epochs=1, verbose=0); print([l.name for l in model.layers])
print(model.get_layer("shared").count_params(), model.input_shape if not isinstance(model.input_shape, dict) else "", [i.name for i in model.inputs], sorted(model.output_names) if hasattr(model, "output_names") else "")
ext = keras.Model(model.inputs, model.get_layer("joined").output); print(ext.predict(data, verbose=0).shape)
feature = keras.Model(inputs=model.inputs, outputs=[l.output for l in model.layers if l.name in ("pre_title", "joined")]); print([o.shape for o in feature([tf.ones((2, 4)), tf.ones((2, 6)), tf.ones((2, 3))])])
for l in model.layers[:5]: l.trainable = False
model.compile("adam", loss={"priority": "mse", "department": "categorical_crossentropy"}); print(len(model.trainable_weights), len(model.non_trainable_weights))
i = keras.Input((8, 8, 1)); c = layers.Conv2D(2, 3, padding="same", activation="relu")(i); r = layers.add([i, layers.Conv2D(1, 1)(c)]); g = layers.GlobalAveragePooling2D()(r); o = layers.Dense(3)(layers.Dropout(0.5)(g))
res = keras.Model(i, o, name="toy_resnet"); res.summary(); print(res.count_params(), len(res.layers))
nested = keras.Sequential([keras.Input((8, 8, 1)), res, layers.Dense(1)], name="outer"); print(nested(np.zeros((2, 8, 8, 1))).shape, [w.shape for w in nested.weights][-2:]); nested.summary(expand_nested=False)
class Ensemble(keras.Model):
    def __init__(self, models): super().__init__(); self.models = models
    def call(self, x): return tf.add_n([m(x) for m in self.models]) / len(self.models)
ms = [keras.Sequential([layers.Dense(1, kernel_initializer=keras.initializers.Constant(float(k)))]) for k in (1, 3)]; print(Ensemble(ms)(tf.ones((1, 2))).numpy())
try: keras.Model(inputs=title, outputs=layers.Dense(1)(body))
except ValueError as e: print("disconnected" in str(e).lower() or "not connected" in str(e).lower())
