import tensorflow as tf


def told(what):
    try:
        made = what()
        print(type(made).__name__ == "Variable", getattr(made, "numpy", lambda: made)())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, "is not supported" in str(error), "accept keyword argument 'variables'" in str(error))


v = tf.Variable(2.0)


def in_place(sign, target):
    space = {"w": target}
    exec(f"w {sign}= 3.0", space)
    return space["w"]


for sign in ("+", "*", "/", "**", "-", "//", "%"):
    told(lambda: in_place(sign, v))
print(v.numpy())
told(lambda: in_place("+", tf.constant(1.0) + v))
told(lambda: in_place("+", tf.keras.Variable(1.0)))
with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
    mirrored = tf.Variable(1.0)
told(lambda: in_place("+", mirrored))
layer = tf.keras.layers.Dense(1)
layer.build((1, 1))
told(lambda: in_place("+", layer.bias))


@tf.function
def traced():
    w = v
    w += 1.0
    return w


told(traced)

rows = tf.Variable([1.0, 2.0, 3.0, 4.0])
rows.scatter_nd_max([[0], [1]], [9.0, -9.0])
print(rows.scatter_nd_min([[2], [3]], [9.0, -9.0]).numpy())


@tf.custom_gradient
def unaware(x):
    return x * v, lambda dy: dy


@tf.custom_gradient
def aware(x):
    def gradient(dy, **kwargs):
        return dy * v, [dy * 7.0 for _ in kwargs["variables"]]
    return x * v, gradient


@tf.custom_gradient
def frozen(x):
    return x * still, lambda dy: dy * 5.0


still = tf.Variable(1.0, trainable=False)
x = tf.constant(3.0)
for _ in range(2):
    told(lambda: unaware(x))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, z = aware(x), frozen(x)
print([one.numpy() for one in tape.gradient(y, [x, v])], tape.gradient(z, x).numpy())
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.function(aware)(x)
print([one.numpy() for one in tape.gradient(y, [x, v])])
