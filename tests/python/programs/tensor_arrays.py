# Lists of tensors: what lies outside of them, and elements of other shapes.
import tensorflow as tf
def attempt(what, f):
  try:
    r = f()
    print(what, '->', r)
  except Exception as e:
    print(what, '!!', type(e).__name__, str(e).split('\n')[0][:200].strip())
ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack([1., 2., 3.])
print(ta.read(1).numpy(), ta.size().numpy(), ta.stack().numpy())
attempt('oob', lambda: ta.read(7)); attempt('woob', lambda: ta.write(7, 1.))
tb = tf.TensorArray(tf.int32, 0, dynamic_size=True, clear_after_read=False, element_shape=[2]); tb = tb.write(2, [5, 6]); print(tb.stack().numpy(), tb.gather([2, 0]).numpy()); attempt('shape', lambda: tb.write(0, [1]))
tc = tf.TensorArray(tf.int32, 2); attempt('woob', lambda: tc.write(2, 1)); attempt('oob', lambda: tc.read(2)); tc = tc.write(0, 4); print(tc.stack().numpy(), tc.read(1).numpy())
td = tf.TensorArray(tf.int32, 2, infer_shape=False); td = td.write(0, [1]).write(1, [2, 3]); print(td.concat().numpy(), td.read(1).numpy() if False else '')
@tf.function
def f(n):
  t = tf.TensorArray(tf.int32, 0, dynamic_size=True)
  for i in tf.range(n): t = t.write(i, i * i)
  return t.stack(), t.size()
print([x.numpy() for x in f(tf.constant(4))])
