import tensorflow as tf
import numpy as np
import json
keras = tf.keras
ops = keras.ops
x = keras.Input((4,), name="x")
y = keras.layers.Dense(4, kernel_initializer="ones", name="d1")(x)
y = x + y * 0.5 - 1
y = ops.mean(ops.exp(-ops.square(y)), axis=-1, keepdims=True)
z = y[:, 0:1] / 3.0
z = ops.concatenate([z, -x, x ** 2, 1 - x, abs(x)], axis=-1)
z = ops.reshape(z, (-1, 17))
m = keras.activations.relu(z, max_value=1.0)
n = keras.activations.gelu(z) + ops.softmax(z, axis=-1)
k = ops.cast(z > 0, "float32") + ops.clip(z, 0.0, 0.5)
w = ops.where(z > 0.1, m, n) @ ops.transpose(ops.ones_like(z))
out = ops.sum(k, axis=1) + ops.amax(n, axis=-1)
model = keras.Model(x, [out, ops.stack([m, n], axis=1), z[..., None], z[:, 2]], name="net")
model.summary()
print([l.name for l in model.layers], [o.name for o in model.operations])
for one in model.get_config()["layers"]:
    print(one["class_name"], one["module"], one["name"], one["registered_name"], one["config"] if "keras.src" in one["module"] else "")
    if "keras.src" in one["module"]:
        print(json.dumps(one["inbound_nodes"]))
data = np.linspace(-1, 1, 12).astype("float32").reshape(3, 4)
first = model.predict(data, verbose=0)
for one in first:
    print(one.shape, np.round(one.reshape(-1)[:4], 4).tolist())
again = keras.models.model_from_json(model.to_json())
again.set_weights(model.get_weights())
print([np.allclose(a, b) for a, b in zip(first, again.predict(data, verbose=0))])
model.save("net.keras")
back = keras.models.load_model("net.keras")
print([np.allclose(a, b) for a, b in zip(first, back.predict(data, verbose=0))])
copy = keras.models.clone_model(model)
print(len(copy.layers), len(copy.operations), copy.count_params())

inp = keras.Input((8, 8, 2))
c = ops.max_pool(keras.layers.Conv2D(3, 3, padding="same", kernel_initializer="ones")(inp), 2)
c = ops.average_pool(c, pool_size=2, strides=1, padding="same")
f = ops.expand_dims(keras.layers.Flatten()(c), axis=1)
q, r = ops.split(f, 2, axis=-1)
model = keras.Model(inp, ops.multiply(x1=q, x2=r) * ops.sigmoid(q))
print(model.output_shape, model.count_params())
model.save("c.keras")
image = np.ones((1, 8, 8, 2), "float32")
print(np.allclose(model(image), keras.models.load_model("c.keras")(image)))
print(ops.reshape(np.arange(4), newshape=(2, 2)).shape, ops.add(x1=1.0, x2=2.0).numpy(), ops.expand_dims(x=np.ones(2), axis=0).shape)
try:
    model.get_layer("multiply")
except ValueError as e:
    print(e)
