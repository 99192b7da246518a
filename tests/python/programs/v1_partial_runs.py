"""Runs in parts: `partial_run_setup` and `partial_run`."""
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
a, b, c = (v1.placeholder(tf.float32, [], name=name) for name in "abc")
total = tf.add(a, b, name="total")
product = tf.multiply(total, c, name="product")


def tried(run):
    try:
        print(run())
    except (tf.errors.InvalidArgumentError, ValueError, TypeError, RuntimeError) as error:
        lines = str(error).strip().split("\n")
        print(type(error).__name__, lines[2 if lines[0].startswith("Graph execution") else 0])


with v1.Session() as session:
    # A value goes out, and what is made of it comes back in.
    handle = session.partial_run_setup([total, product], [a, b, c])
    first = session.partial_run(handle, total, feed_dict={a: 1, b: 2})
    print(type(handle).__name__, first, session.partial_run(handle, product, feed_dict={c: first * 10}))
    tried(lambda: session.partial_run(handle, product))

    # Structures, names, several at once, nothing at all.
    handle = session.partial_run_setup([total, product], [a, b, c])
    print([float(one) for one in session.partial_run(handle, [total, product], {a: 1, b: 2, c: 3})])
    handle = session.partial_run_setup({"sum": total, "all": product}, ["a:0", b, c])
    print(session.partial_run(handle, [], {"a:0": 4.0}))
    print({key: float(one) for key, one in session.partial_run(handle, {"s": "total:0"}, {b: 4.0}).items()})
    print(session.partial_run(handle, (product,), {c: 0.5})[0])

    # Two at a time.
    one, other = (session.partial_run_setup([total, product], [a, b, c]) for _ in range(2))
    print(one == other)
    print(session.partial_run(one, total, {a: 1, b: 1}), session.partial_run(other, total, {a: 5, b: 1}),
          session.partial_run(one, product, {c: 2}), session.partial_run(other, product, {c: 2}))

    # What was not announced, or comes twice.
    handle = session.partial_run_setup([total, product], [a, b, c])
    session.partial_run(handle, total, {a: 1, b: 2})
    tried(lambda: session.partial_run(handle, product, {a: 1}))
    tried(lambda: session.partial_run(handle, total))
    tried(lambda: session.partial_run(handle, product, {c: 2}))
    handle = session.partial_run_setup([total], [a, b])
    tried(lambda: session.partial_run(handle, product, {a: 1, b: 2}))
    tried(lambda: session.partial_run(handle, total, {a: 1, b: 2, c: 3}))
    tried(lambda: session.partial_run("none", total, {a: 1}))
    tried(lambda: session.partial_run_setup([], [a]))
    tried(lambda: session.partial_run_setup(["missing:0"], [a]))
    tried(lambda: session.partial_run_setup([3], [a]))

with v1.Session() as session:
    handle = session.partial_run_setup([total, product], [a, b, c])
    tried(lambda: session.partial_run(handle, product, {c: 2}))
    tried(lambda: session.partial_run(handle, product, {a: 1, b: 1}))
    handle = session.partial_run_setup([total, product.op], [a, b, c])
    tried(lambda: session.partial_run(handle, product.op, {a: 1, b: 1, c: 2}))

# Each op happens once: random numbers stay, and a variable is added to once.
noise = tf.random.uniform([3])
scaled = noise * c
with v1.Session() as session:
    handle = session.partial_run_setup([noise, scaled], [c])
    drawn = session.partial_run(handle, noise)
    print((drawn * 2.0 == session.partial_run(handle, scaled, {c: 2.0})).all())
count = v1.get_variable("count", initializer=1.0, use_resource=True)
added = count.assign_add(a)
doubled = added * 2.0
later = doubled + b
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    handle = session.partial_run_setup([added, doubled, later], [a, b])
    print(session.partial_run(handle, doubled, {a: 2.0}), session.run(count))
    print(session.partial_run(handle, later, {b: 1.0}), session.partial_run(handle, added), session.run(count))

# A longer chain, whose middle is asked for.
layers = [v1.placeholder(tf.float32, [2], name="begin")]
gates = []
for number in range(4):
    gates.append(v1.placeholder(tf.float32, [2], name=f"gate_{number}"))
    layers.append(tf.tanh(layers[-1] * 0.5) + gates[-1])
with v1.Session() as session:
    handle = session.partial_run_setup(layers[1:], [layers[0], *gates])
    value = [1.0, 2.0]
    for number in range(4):
        fed = {gates[number]: value}
        value = session.partial_run(handle, layers[number + 1], {**fed, **({layers[0]: value} if number == 0 else {})})
        print(number, [round(float(one), 5) for one in value])
try:
    session.partial_run_setup([total], [a, b])
except RuntimeError as error:
    print("closed:", str(error)[:34])
