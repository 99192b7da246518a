import tensorflow as tf
@tf.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0: n = n // 2
        else: n = 3 * n + 1
        steps += 1
    return steps
print(collatz(tf.constant(27)).numpy(), collatz(7))
@tf.function
def primes(limit):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True); count = 0
    for i in tf.range(2, limit):
        is_prime = True
        for j in tf.range(2, i):
            if j * j > i: break
            if i % j == 0:
                is_prime = False
                break
        if not is_prime: continue
        found = found.write(count, i); count += 1
    return found.stack()
print(primes(tf.constant(30)).numpy())
@tf.function
def early(x):
    if tf.reduce_sum(x) < 0: return tf.zeros_like(x)
    for i in tf.range(3):
        x = x * 2
        if tf.reduce_max(x) > 10: break
    return -x
for v in ([-5.0, 1.0], [3.0, 4.0], [0.1, 0.2]): print(early(tf.constant(v)).numpy())
@tf.function
def nested(x, training=False, scale=1.0):
    def inner(y):
        return y * scale if training else y + scale
    total = tf.constant(0.0)
    for row in x:
        for value in row:
            if value < 0: continue
            total += inner(value)
    return total
m = tf.constant([[1.0, -2.0], [3.0, 4.0]]); print(nested(m).numpy(), nested(m, True, 2.0).numpy(), nested(m, training=True).numpy())
@tf.function
def comprehension(xs): return [x * 2 for x in xs], {k: v + 1 for k, v in {"a": xs[0], "b": xs[1]}.items()}, tuple(x for x in xs)
print(comprehension([tf.constant(1), tf.constant(2)]))
@tf.function
def ternary(x): return x if x > 0 else -x
print(ternary(tf.constant(-3)).numpy(), ternary(tf.constant(4)).numpy())
@tf.function
def logical(a, b): return (a > 0 and b > 0) or not (a < b)
print([bool(logical(tf.constant(i), tf.constant(j))) for i, j in ((1, 2), (-1, 2), (3, -2))])
@tf.function
def chained(x): return 0 < x < 10
print(bool(chained(tf.constant(5))), bool(chained(tf.constant(15))))
@tf.function
def zipped(a, b):
    total = 0
    for i, (x, y) in enumerate(zip(tf.unstack(a), tf.unstack(b))): total += x * y * i
    return total
print(zipped(tf.constant([1, 2, 3]), tf.constant([4, 5, 6])).numpy())
@tf.function
def over_dataset(ds):
    total = tf.constant(0, tf.int64); n = 0
    for x, y in ds.enumerate():
        if y > 5: break
        total += x * y; n += 1
    return total, n
print([int(v) for v in over_dataset(tf.data.Dataset.range(10))])
@tf.function
def power(x, n):
    result = tf.ones_like(x)
    while n > 0:
        if n % 2 == 1: result *= x
        x *= x; n //= 2
    return result
print(power(tf.constant(3), tf.constant(5)).numpy(), power.experimental_get_tracing_count())
class Model(tf.Module):
    def __init__(self): self.v = tf.Variable(0.0); self.history = []
    @tf.function
    def step(self, xs):
        for x in xs:
            if x > 1: self.v.assign_add(x)
            else: self.v.assign_sub(1.0)
        return self.v
model = Model(); print(model.step(tf.constant([2.0, 0.5, 3.0])).numpy())
@tf.function
def fizz(n):
    for i in tf.range(1, n + 1):
        if i % 15 == 0: tf.print("FizzBuzz")
        elif i % 5 == 0: tf.print("Buzz")
        elif i % 3 == 0: tf.print("Fizz")
        else: tf.print(i)
fizz(tf.constant(5))
try:
    @tf.function
    def bad(x):
        if x > 0: y = 1
        return y
    bad(tf.constant(1))
except Exception as e: print(type(e).__name__)
try:
    @tf.function
    def mismatch(x):
        if x > 0: r = tf.constant(1)
        else: r = tf.constant(1.0)
        return r
    mismatch(tf.constant(1))
except TypeError as e: print("TypeError")
f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None], tf.float32)])
print(f(tf.constant([1.0])).numpy(), f.get_concrete_function().structured_input_signature)
try: f(tf.constant([[1.0]]))
except (ValueError, TypeError) as e: print(type(e).__name__)
