import tensorflow as tf

nan, infinity = float("nan"), float("inf")
check = tf.debugging.check_numerics


def told(what):
    try:
        print("no error", what().numpy())
    except tf.errors.InvalidArgumentError as error:
        print("InvalidArgumentError", str(error).split("}} ")[-1].split(" [Op")[0].split("\n")[0])


told(lambda: check(tf.constant([1.0, nan]), "m"))
told(lambda: check(tf.constant([infinity, nan]), "m"))
told(lambda: check(tf.constant([[-infinity, 1.0]]), ""))
told(lambda: check([1.0, 2.0], "fine"))
for dtype in (tf.float16, tf.bfloat16, tf.float64):
    told(lambda: check(tf.constant([nan], dtype), dtype.name))
told(lambda: tf.debugging.assert_all_finite(tf.constant([nan]), "all finite"))
told(lambda: tf.compat.v1.verify_tensor_all_finite(tf.constant([infinity]), "verified"))


@tf.function
def traced(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = check(x, "traced") * 2
    return y, tape.gradient(y, x)


print([one.numpy().tolist() for one in traced(tf.constant([1.0, 2.0]))])
try:
    traced(tf.constant([nan, 2.0]))
except tf.errors.InvalidArgumentError as error:
    print("traced : Tensor had NaN values" in str(error))

x = tf.constant([1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = check(x, "eager") * 3
print(tape.gradient(y, x).numpy())

with tf.compat.v1.Graph().as_default():
    given = tf.compat.v1.placeholder(tf.float32, [1])
    checked = check(given, "graph") + 1
    with tf.compat.v1.Session() as session:
        print(session.run(checked, {given: [2.0]}))
        for bad in (nan, infinity):
            try:
                print(session.run(checked, {given: [bad]}))
            except tf.errors.InvalidArgumentError as error:
                print("graph : Tensor had " + ("NaN" if bad != bad else "Inf") in str(error))
