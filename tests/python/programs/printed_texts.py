"""tf.print and tf.strings.format: quotes, numbers of Python, in functions."""
import tensorflow as tf, sys
o = sys.stdout
tf.print("v:", tf.constant("s"), output_stream=o)
tf.print(tf.constant("s"), output_stream=o)
tf.print("v:", tf.constant('a"b\n'), tf.constant(1), output_stream=o)
tf.print(tf.constant('a"b'), 1, output_stream=o)
tf.print([tf.constant("s")], output_stream=o)
tf.print(3.0, 2.5, [1.0, (2.0,)], {"a": 0.1, "b": 1e-9}, 1e22, float("nan"), output_stream=o)
tf.print("only", output_stream=o); tf.print("x", "y", 'q"', output_stream=o)
@tf.function
def f(s, x):
    tf.print("in", s, output_stream=o); tf.print(s, output_stream=o); tf.print(s, s, output_stream=o); tf.print(1.0, x, 2, output_stream=o); tf.print("s", [s, 1.0], output_stream=o)
    print(tf.strings.format("a {} b {}", (x, s))) if False else None
    return tf.strings.format("a {} b {}", (x, s)), tf.strings.format("{}", x, summarize=1), tf.strings.format("%t is %t", [x, tf.reduce_sum(x)], placeholder="%t")
print(*f(tf.constant("s"), tf.constant([1.5, 2.0, 3.0, 4.0])))
try: tf.strings.format("{} {}", tf.constant(1))
except ValueError as e: print(e)
print(tf.strings.format("no", []), tf.strings.format("{} q", tf.constant(["a", "b"])))
