import tensorflow as tf
ds = tf.data.Dataset.from_generator(lambda: ((list(range(i)), [b'x'] * i, i) for i in range(1, 6)), output_signature=(tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.int32)))
for a, b, c in ds.padded_batch(2, padding_values=(tf.constant(-1, tf.int64), 'pad', 0)):
    print(a.numpy().tolist(), b.numpy().tolist(), c.numpy().tolist())
for a, b, c in ds.padded_batch(3, padded_shapes=([6], [None], []), padding_values=(tf.constant(-7, tf.int64), None, None), drop_remainder=True):
    print(a.numpy().tolist(), b.numpy().tolist(), c.numpy().tolist())
d2 = ds.map(lambda a, b, c: {'a': a, 'c': c})
for e in d2.padded_batch(2, padded_shapes={'a': [None], 'c': []}):
    print(e['a'].numpy().tolist(), e['c'].numpy().tolist())
print(ds.padded_batch(2).element_spec)
e = tf.data.Dataset.from_generator(lambda: ([i] * i for i in [1, 5, 2, 3, 7, 4, 1, 2]), output_signature=tf.TensorSpec([None], tf.int32))
for kw in [dict(), dict(padding_values=tf.constant(-1)), dict(padded_shapes=[8]), dict(drop_remainder=True)]:
    print(list(kw), [b.numpy().tolist() for b in e.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 3], **kw)])
print([b.numpy().tolist() for b in e.filter(lambda x: tf.shape(x)[0] < 5).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 3], pad_to_bucket_boundary=True)])
print([b.numpy().tolist() for b in tf.data.Dataset.range(6).map(lambda x: tf.fill([2], x)).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 4], no_padding=True)])
try:
    e.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2])
except ValueError as x:
    print(x)
g = tf.data.Dataset.range(10).group_by_window(key_func=lambda x: x % 3, reduce_func=lambda k, w: w.batch(2), window_size=4)
print([b.numpy().tolist() for b in g], g.element_spec)
calls = []
def gen():
    calls.append(1)
    yield from range(5)
s = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int64))
s2 = s.scan(tf.constant(0, tf.int64), lambda st, x: (st + x, st * 10 + x))
g2 = s.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), window_size=2)
n = s.map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64))
print(len(calls), s2.element_spec)
print([int(x) for x in s2], [b.numpy().tolist() for b in g2], len(calls))
try:
    for a in tf.data.Dataset.range(2).map(lambda x: tf.range(x)).batch(2): pass
except tf.errors.InvalidArgumentError as x:
    print('shapes')
