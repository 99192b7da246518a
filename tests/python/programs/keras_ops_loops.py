import numpy as np
import tensorflow as tf

ops = tf.keras.ops
x = np.arange(6, dtype="float32").reshape(2, 3)
inputs = tf.keras.Input((3,))
parts = {
    "while": lambda t: ops.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (0, t))[1],
    "fori": lambda t: ops.fori_loop(0, 3, lambda i, a: a + 1, t),
    "map": lambda t: ops.map(lambda row: ops.cumsum(row), t),
    "vectorized": lambda t: ops.vectorized_map(lambda row: ops.sum(row), t),
    "mesh": lambda t: ops.meshgrid(t[0], t[1])[0],
    "associative": lambda t: ops.associative_scan(lambda a, b: a + b, t, axis=1),
    "switch": lambda t: ops.switch(1, [lambda a: a, lambda a: a * 2], t),
    "solve": lambda t: ops.solve(tf.constant([[2.0, 0.0], [0.0, 4.0]]), t)}
for name, part in parts.items():
    made = [np.asarray(one(tf.constant(x))).tolist() for one in (part, tf.function(part))]
    if name not in ("mesh", "solve", "while"):
        made.append(np.asarray(tf.keras.Model(inputs, part(inputs))(x)).tolist())
    print(name, made[0], [one == made[0] for one in made[1:]])
state, rows = ops.scan(lambda carry, row: (carry + ops.sum(row), carry), 0.0, x)
print(np.asarray(state), np.asarray(rows).tolist(), [np.asarray(one).tolist() for one in ops.scan(lambda c, _: (c + 1, c * 2), 0, length=3, reverse=True)])
print(ops.while_loop(lambda i: i < 5, lambda i: i + 2, 0).numpy(), ops.while_loop(lambda i, a: True, lambda i, a: [i + 1, a * 2], [0, 1.0], maximum_iterations=3)[1].numpy())
model = tf.keras.Model(inputs, ops.fori_loop(0, 2, lambda i, a: a * 0.5, ops.relu(inputs - 1)))
print(model.output.shape, model.predict(x, verbose=0).tolist())
