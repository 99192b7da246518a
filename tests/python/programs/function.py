import tensorflow as tf
import timeit
@tf.function
def add(a, b):
    return a + b
print(add(tf.ones([2, 2]), tf.ones([2, 2])))
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = add(v, 1.0)
print(tape.gradient(result, v))
@tf.function
def dense_layer(x, w, b):
    return add(tf.matmul(x, w), b)
print(dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2])))
@tf.function
def double(a):
    print("Tracing with", a)
    return a + a
print(double(tf.constant(1))); print()
print(double(tf.constant(1.1))); print()
print(double(tf.constant("a"))); print()
print(double(tf.constant("b")))
print("Obtaining concrete trace")
double_strings = double.get_concrete_function(tf.constant("a"))
print("Executing traced function"); print(double_strings(tf.constant("a"))); print(double_strings(a=tf.constant("b")))
double_strings_from_inputspec = double.get_concrete_function(tf.TensorSpec(shape=[], dtype=tf.string))
print(double_strings_from_inputspec(tf.constant("c")))
@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    print("Tracing with", x)
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)
print(next_collatz(tf.constant([1, 2])))
try:
    next_collatz(tf.constant([[1, 2], [3, 4]]))
except Exception as e:
    print(type(e).__name__)
try:
    next_collatz(tf.constant([1.0, 2.0]))
except Exception as e:
    print(type(e).__name__)
@tf.function
def f(x):
    print("Traced with", x)
    tf.print("Executed with", x)
f(1); f(1); f(2)
external_list = []
@tf.function
def side_effect(x):
    print('Python side effect')
    external_list.append(x)
side_effect(1); side_effect(1); side_effect(1)
assert len(external_list) == 1
class MyModule(tf.Module):
    def __init__(self):
        self.v = tf.Variable(0)
        self.counter = 0
    @tf.function
    def __call__(self):
        self.v.assign_add(1)
        self.counter += 1
        return self.v.value(), self.counter
m = MyModule(); print(m()); print(m()); print(m())
@tf.function
def buggy_add():
    return 1 + foo
foo = 0; print("Buggy", buggy_add()); foo = 100; print("Buggy", buggy_add())
class Count(tf.Module):
    def __init__(self):
        self.count = None
    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)
c = Count(); print(c()); print(c())
@tf.function
def bad(x):
    v = tf.Variable(1.0)
    return v
try:
    bad(1.0)
except Exception as e:
    print(type(e).__name__)
@tf.function
def leak(x):
    global leaked
    leaked = x + 1
    return x + 2
leak(tf.constant(1))
try:
    print(leaked.numpy())
except Exception as e:
    print(type(e).__name__, e)
print(double_strings.structured_input_signature if False else "", add.experimental_get_tracing_count())
fn = tf.function(lambda x, training=False: x * 2 if training else x)
print(fn(tf.constant(3)), fn(tf.constant(3), training=True))
@tf.function
def outs(x): return {"a": x, "b": (x + 1, [x + 2, None])}
print(outs(tf.constant(1)))
@tf.function(reduce_retracing=True)
def g(x): return tf.reduce_sum(x)
for n in (1, 2, 3): print(g(tf.ones([n])).numpy())
