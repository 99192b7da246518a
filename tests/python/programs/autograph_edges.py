import tensorflow as tf


@tf.function
def nested_break(n, limit):
    count = 0
    for i in tf.range(n):
        for j in tf.range(n):
            if i * j > limit:
                break
            count += 1
        if count > 20:
            break
    return count


print(nested_break(tf.constant(6), tf.constant(6)).numpy(), nested_break(tf.constant(2), tf.constant(6)).numpy())


@tf.function
def early(x):
    if x > 0:
        return x * 2
    else:
        if x < -5:
            return tf.constant(-1.0)
        return x


print([early(tf.constant(v)).numpy() for v in (3.0, -10.0, -2.0)])


@tf.function
def over_dataset(ds):
    total = tf.constant(0, tf.int64)
    for x in ds:
        if x == 3:
            continue
        if x > 6:
            break
        total += x
    return total


print(over_dataset(tf.data.Dataset.range(10)).numpy())


@tf.function
def list_append(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        ta = ta.write(i, i * i)
    return ta.stack()


print(list_append(tf.constant(5)).numpy())


@tf.function
def python_list():
    out = []
    for i in range(4):
        out.append(tf.constant(i) * 2)
    return tf.stack(out)


print(python_list().numpy())


@tf.function
def while_else(x):
    steps = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


print([while_else(tf.constant(n)).numpy() for n in (6, 7, 27)])


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y


try:
    print(undefined(tf.constant(1)))
except Exception as e:
    print(type(e).__name__)


@tf.function
def mismatch(x):
    if x > 0:
        return tf.constant(1)
    else:
        return tf.constant(1.0)


try:
    mismatch(tf.constant(1))
except TypeError as e:
    print("TypeError")


@tf.function
def shape_invariant(n):
    x = tf.constant([1.0])
    for _ in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, x], 0)
    return x


print(shape_invariant(tf.constant(3)).shape)


@tf.function
def bools(a, b):
    if a > 0 and b > 0:
        return "both"
    elif a > 0 or b > 0:
        return "one"
    elif not (a > -5):
        return "low"
    else:
        return "none"


print([bools(tf.constant(p), tf.constant(q)).numpy() for p, q in ((1, 1), (1, -1), (-9, 0), (-1, 0))])


@tf.function
def chained(x):
    return 1 if 0 < x < 10 else 0


print(chained(tf.constant(5)).numpy(), chained(tf.constant(50)).numpy())


def recursive(n):
    if n <= 1:
        return tf.constant(1)
    return n * recursive(n - 1)


print(tf.function(recursive)(5).numpy())


@tf.function
def asserts(x):
    tf.debugging.assert_positive(x, "x must be positive")
    return x


try:
    asserts(tf.constant(-1))
except tf.errors.InvalidArgumentError as e:
    print("InvalidArgumentError", "positive" in str(e))


@tf.function
def iterate(it):
    s = tf.constant(0, tf.int64)
    for _ in tf.range(3):
        s += next(it)
    return s


it = iter(tf.data.Dataset.range(10))
print(int(iterate(it)), int(iterate(it)))
print(tf.autograph.to_code(recursive)[:3] == "def")
