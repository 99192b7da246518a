import tensorflow as tf
t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), -1)
k, v = t.export(); print(sorted(zip(k.numpy().tolist(), v.numpy().tolist())))
print(t.lookup(tf.constant(['a', 'z'])).numpy(), t.size().numpy(), t[tf.constant('b')].numpy(), t.key_dtype, t.value_dtype, t.default_value)
m = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
m.insert(tf.constant(['x', 'y']), tf.constant([5, 6], tf.int64)); m.insert(tf.constant('z'), tf.constant(9, tf.int64)); m.remove(tf.constant(['y']))
k, v = m.export(); print(sorted(zip(k.numpy().tolist(), v.numpy().tolist())), m.size().numpy(), m.lookup(tf.constant(['x', 'y'])).numpy())
d = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -100, -200)
i64=lambda *a: tf.constant(a, tf.int64)
d.insert(i64(1, 2), i64(10, 20)); d.erase(i64(1)); print(d.lookup(i64(1, 2)).numpy(), d.size().numpy())
s = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(['p', 'q'], tf.constant([0, 1], tf.int64)), 3)
r = s.lookup(tf.constant(['p', 'q', 'zz', 'yy'])).numpy(); print(r[:2], (r[2:] >= 2).all(), s.size().numpy())
with open('voc.txt', 'w') as f: f.write('one\ntwo\nthree\n')
f = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer('voc.txt', tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
print(f.lookup(tf.constant(['two', 'nine'])).numpy())
g = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer('voc.txt', tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), 'none')
print(g.lookup(tf.constant([1, 7], tf.int64)).numpy())
@tf.function
def look(x): return t.lookup(x) * 2
print(look(tf.constant(['a', 'b'])).numpy())
print([int(x) for x in tf.data.Dataset.from_tensor_slices(['a', 'b', 'c']).map(t.lookup)])
try:
    t.lookup(tf.constant([1]))
except TypeError as e: print(str(e)[:90])
try:
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'a'], [1, 2]), -1)
except Exception as e: print(type(e).__name__)
print(tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ['u', 'v']), '?').lookup(tf.sparse.from_dense([[1, 0], [0, 2]])).values.numpy())
