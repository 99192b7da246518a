"""Gradients of one's own for kinds of ops: `tf.RegisterGradient` and `Graph.gradient_override_map`."""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


@tf.RegisterGradient("Reversed")
def reversed_gradient(op, upstream):
    return -2.0 * upstream


@tf.RegisterGradient("GuidedRelu")
def guided(op, upstream):
    return tf.where(upstream > 0.0, upstream * tf.cast(op.outputs[0] > 0.0, tf.float32), tf.zeros_like(upstream))


@tf.RegisterGradient("Both")
def both(op, upstream):
    print("both:", op.type, len(op.inputs), op.outputs[0].shape)
    return upstream * 10.0, upstream * 20.0


@tf.RegisterGradient("First")
def first(op, upstream):
    return upstream * op.inputs[1], None


@tf.RegisterGradient("Straight")
def straight(op, upstream):
    return upstream


tf.no_gradient("Nothing")


def tried(what, call):
    try:
        print(what, call())
    except (TypeError, KeyError) as error:
        print(what, type(error).__name__, str(error)[:43])


tried("no name", lambda: tf.RegisterGradient(3))
tried("taken", lambda: tf.RegisterGradient("Both")(both))
tried("returned", lambda: straight.__name__)
graph = tf.Graph()
tried("no map", lambda: graph.gradient_override_map(3).__enter__())
tried("no names", lambda: graph.gradient_override_map({3: "Both"}).__enter__())
with graph.as_default():
    x = v1.placeholder(tf.float32, [3], name="x")
    w = v1.get_variable("w", initializer=[0.3, -1.2, 2.6])
    with graph.gradient_override_map({"Identity": "Reversed"}):
        turned = tf.identity(x, name="turned")
    print(turned.name)
    with graph.gradient_override_map({"Relu": "GuidedRelu", "Mul": "Both"}):
        relu = tf.nn.relu(x)
        product = tf.multiply(x, relu, name="product")
        with graph.gradient_override_map({"Mul": "First"}):
            inner = x * tf.ones([3])
        outer = x * tf.ones([3])
    with graph.gradient_override_map({"Round": "Straight", "Sign": "Straight", "Tanh": "Nothing"}):
        rounded, signs, flat = tf.round(w * 2.0), tf.sign(w), tf.tanh(w)
    plain = tf.identity(x)
    wanted = {
        "turned": turned, "of turned": tf.gradients(turned * 3.0, x)[0],
        "of relu": tf.gradients(relu * tf.constant([1.0, -1.0, 1.0]), x)[0],
        "of product": tf.gradients(product, x)[0], "of inner": tf.gradients(inner, x)[0], "of outer": tf.gradients(outer, x)[0],
        "rounded": rounded, "of rounded": tf.gradients(rounded, w)[0], "of signs": tf.gradients(tf.reduce_sum(signs * x), w)[0],
        "of plain": tf.gradients(plain * 3.0, x)[0]}
    # An adversary behind a layer that turns gradients around.
    hidden = tf.tanh(tf.tensordot(w, x, 1))
    with graph.gradient_override_map({"Identity": "Reversed"}):
        seen = tf.identity(hidden)
    loss = tf.square(hidden - 1.0) + tf.square(seen)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    start = v1.global_variables_initializer()
with v1.Session(graph=graph) as session:
    session.run(start)
    for what, value in session.run(wanted, {x: [1.0, 2.0, -3.0]}).items():
        print(what, np.round(value, 4).tolist())
    for _ in range(3):
        session.run(train, {x: [0.5, -0.5, 0.1]})
    print(np.round(session.run([loss, w], {x: [0.5, -0.5, 0.1]})[1], 4).tolist())
