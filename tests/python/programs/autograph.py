import tensorflow as tf
@tf.function
def f(x):
    while tf.reduce_sum(x) > 1:
        tf.print(x)
        x = tf.tanh(x)
    return x
f(tf.constant([0.5, 0.75, 0.25, 0.1, 0.9]))
@tf.function
def fizzbuzz(n):
    for i in tf.range(1, n + 1):
        if i % 15 == 0: tf.print('FizzBuzz')
        elif i % 5 == 0: tf.print('Buzz')
        elif i % 3 == 0: tf.print('Fizz')
        else: tf.print(i)
fizzbuzz(tf.constant(15))
@tf.function
def test_tf_cond(x):
    if x > 0: y = x * 2; pass
    else: y = -x; pass
    return y
print(test_tf_cond(tf.constant(3)), test_tf_cond(tf.constant(-4)))
batch_size, seq_len, feature_size = 2, 3, 4
def rnn_step(inp, state): return inp + state
@tf.function
def dynamic_rnn(rnn_step, input_data, initial_state):
    input_data = tf.transpose(input_data, [1, 0, 2])
    max_seq_len = tf.shape(input_data)[0]
    states = tf.TensorArray(tf.float32, size=max_seq_len)
    state = initial_state
    for i in tf.range(max_seq_len):
        state = rnn_step(input_data[i], state)
        states = states.write(i, state)
    return tf.transpose(states.stack(), [1, 0, 2])
print(dynamic_rnn(rnn_step, tf.reshape(tf.range(24.), [batch_size, seq_len, feature_size]), tf.zeros([batch_size, feature_size])))
@tf.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0: n = n // 2
        else: n = 3 * n + 1
        steps += 1
    return steps
print([int(collatz(tf.constant(i))) for i in (1, 7, 27)])
@tf.function
def brk(n):
    total = tf.constant(0)
    for i in tf.range(n):
        if i % 2 == 1: continue
        if i > 7: break
        total += i
    return total
print(brk(tf.constant(100)))
@tf.function
def nested(n):
    s = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if (i + j) % 2 == 0: s += i * j
    return s
print(nested(tf.constant(6)))
@tf.function
def boolop(a, b):
    return (a > 0 and b > 0) or not (a < b)
print(boolop(tf.constant(1), tf.constant(2)), boolop(tf.constant(-3), tf.constant(2)))
@tf.function
def tern(x): return x if tf.reduce_sum(x) > 0 else -x
print(tern(tf.constant([-1., -2.])))
@tf.function
def ds_sum(ds):
    s = tf.constant(0, tf.int64)
    for e in ds: s += e
    return s
print(ds_sum(tf.data.Dataset.range(10)))
@tf.function
def undefined(x):
    if x > 0:
        z = x
    return z
try: undefined(tf.constant(1))
except Exception as e: print(type(e).__name__)
@tf.function
def mismatch(x):
    if x > 0: y = tf.constant(1)
    else: y = tf.constant(1.0)
    return y
try: mismatch(tf.constant(1))
except Exception as e: print(type(e).__name__)
@tf.function
def asserts(x):
    tf.debugging.assert_positive(x, message="must be positive")
    return x
try: asserts(tf.constant(-1.))
except Exception as e: print(type(e).__name__, "must be positive" in str(e))
@tf.function
def pyloop(x):
    for i in range(3): x += i
    return x
print(pyloop(tf.constant(1)))
@tf.function
def shapes():
    i = tf.constant(0); x = tf.zeros([1])
    while i < 3:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, x], 0); i += 1
    return x
print(shapes().shape)
@tf.function(autograph=False)
def noag(x): return tf.cond(x > 0, lambda: x * 2, lambda: x)
print(noag(tf.constant(4)))
try:
    @tf.function(autograph=False)
    def bad(x):
        if x > 0: return x
        return -x
    bad(tf.constant(1))
except Exception as e: print(type(e).__name__, str(e)[:60])
