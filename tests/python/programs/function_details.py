import tensorflow as tf

traces = []


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def total(x):
    traces.append("total")
    return tf.reduce_sum(x)


print(total(tf.constant([1.0, 2.0])).numpy(), total([1.0, 2.0, 3.0]).numpy(), traces)
print(total.experimental_get_tracing_count())
for bad in (tf.constant([[1.0]]), tf.constant([1])):
    try:
        print(total(bad))
    except Exception as e:
        print(type(e).__name__)


@tf.function
def f(x, training=False):
    traces.append("f")
    print("tracing", x, training)
    tf.print("running", x)
    return x * 2 if training else x


import sys
f(1)
f(2)
f(1)
f(tf.constant(1))
f(tf.constant(2))
f(tf.constant(1.0), training=True)
f(tf.constant([1, 2]))
print(f.experimental_get_tracing_count(), len(traces))
sys.stdout.flush()
g = f.get_concrete_function(tf.TensorSpec([3], tf.int32), training=True)
print(g(tf.constant([1, 2, 3])).numpy().tolist())
try:
    g(tf.constant([1, 2, 3]), training=False)
except (TypeError, RuntimeError) as e:
    print("refused")
print(g.structured_input_signature)
print(g.output_shapes, g.output_dtypes)
print([t.shape for t in g.outputs])

counter = 0


@tf.function
def side_effect(x):
    global counter
    counter += 1
    return x + counter


print(side_effect(tf.constant(1)).numpy(), side_effect(tf.constant(1)).numpy(), counter)


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(0)
        self.w = None

    @tf.function
    def add(self, n):
        if self.w is None:
            self.w = tf.Variable(10)
        self.v.assign_add(n)
        return self.v + self.w


c, d = Counter(), Counter()
print(c.add(1).numpy(), c.add(tf.constant(2)).numpy(), d.add(5).numpy())


@tf.function
def makes_variable(x):
    v = tf.Variable(1.0)
    return v + x


try:
    makes_variable(1.0)
    print("made")
except ValueError as e:
    print("ValueError")


@tf.function
def returns_many(x):
    return {"a": x, "b": [x + 1, (x + 2, None)]}


print(returns_many(tf.constant(1)))


@tf.function(reduce_retracing=True)
def r(x):
    traces.append("r")
    return tf.shape(x)


traces.clear()
for n in range(1, 6):
    r(tf.zeros([n]))
print(traces)


@tf.function
def varargs(*args, **kwargs):
    return sum(args) + sum(kwargs.values())


print(varargs(tf.constant(1), tf.constant(2), k=tf.constant(3)).numpy())
print(f.pretty_printed_concrete_signatures() if False else "ok")
print(total.function_spec if False else total.name if hasattr(total, "name") else "", total.python_function([1.0]).numpy())
tf.config.run_functions_eagerly(True)
traces.clear()
total(tf.constant([1.0])); total(tf.constant([1.0]))
print(traces)
tf.config.run_functions_eagerly(False)
try:
    with tf.Graph().as_default():
        leaked = tf.constant(1)
    leaked + 1
    print(leaked.numpy())
except (TypeError, NotImplementedError, AttributeError, RuntimeError) as e:
    print("refused")
outside = []


@tf.function
def leak(x):
    outside.append(x + 1)
    return x


leak(tf.constant(1))
try:
    print(outside[0] + 1)
except (TypeError, RuntimeError) as e:
    print("refused")
