import tensorflow as tf
import numpy as np, tempfile, os
def _bytes_feature(value):
    if isinstance(value, type(tf.constant(0))): value = value.numpy()
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
def _float_feature(value): return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
def _int64_feature(value): return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
print(_bytes_feature(b'test_string')); print(_bytes_feature(u'test_bytes'.encode('utf-8')))
print(_float_feature(np.exp(1))); print(_int64_feature(3)); print(_int64_feature(1))
feature = _float_feature(np.exp(1)); print(feature.SerializeToString())
n = 20; rng = np.random.RandomState(0)
f0 = rng.randint(0, 2, n); f1 = rng.randint(0, 5, n); strings = np.array([b'cat', b'dog', b'chicken', b'horse', b'goat']); f2 = strings[f1]; f3 = rng.randn(n)
def serialize_example(a, b, c, d):
    feature = {'feature0': _int64_feature(a), 'feature1': _int64_feature(b), 'feature2': _bytes_feature(c), 'feature3': _float_feature(d)}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
se = serialize_example(0, 4, b'goat', 0.9876); print(len(se)); ex = tf.train.Example.FromString(se); print(len(str(ex)))
print(ex.features.feature['feature2'].bytes_list.value[0], ex.features.feature['feature3'].float_list.value)
ds = tf.data.Dataset.from_tensor_slices((f0, f1, f2, f3)); print(ds)
def tf_serialize(a, b, c, d):
    s = tf.py_function(lambda *a: serialize_example(*[x.numpy() for x in a]), (a, b, c, d), tf.string); return tf.reshape(s, ())
ser = ds.map(tf_serialize); print(ser)
d = tempfile.mkdtemp(); fn = os.path.join(d, 'test.tfrecord')
with tf.io.TFRecordWriter(fn) as w:
    for s in ser: w.write(s.numpy())
raw = tf.data.TFRecordDataset([fn]); print(raw)
for r in raw.take(1): print(len(r.numpy()))
desc = {'feature0': tf.io.FixedLenFeature([], tf.int64, default_value=0), 'feature1': tf.io.FixedLenFeature([], tf.int64, default_value=0),
        'feature2': tf.io.FixedLenFeature([], tf.string, default_value=''), 'feature3': tf.io.FixedLenFeature([], tf.float32, default_value=0.0)}
parsed = raw.map(lambda p: tf.io.parse_single_example(p, desc)); print(parsed)
for p in parsed.take(2): print({k: v.numpy() for k, v in p.items()})
for p in raw.batch(5).map(lambda p: tf.io.parse_example(p, desc)).take(1): print({k: v.numpy().tolist() for k, v in p.items()})
for raw_record in raw.take(1):
    example = tf.train.Example(); example.ParseFromString(raw_record.numpy()); print(len(str(example)))
    for key, f in sorted(example.features.feature.items()): print(key, f.WhichOneof('kind'), list(getattr(f, f.WhichOneof('kind')).value))
v = tf.train.Example(features=tf.train.Features(feature={'xs': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3])), 'm': tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2., 3., 4.]))}))
p = tf.io.parse_single_example(v.SerializeToString(), {'xs': tf.io.VarLenFeature(tf.int64), 'm': tf.io.FixedLenFeature([2, 2], tf.float32)}); print(p['m']); print(tf.sparse.to_dense(p['xs']))
p = tf.io.parse_single_example(v.SerializeToString(), {'xs': tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}); print(p['xs'])
try: tf.io.parse_single_example(v.SerializeToString(), {'no': tf.io.FixedLenFeature([], tf.int64)})
except tf.errors.InvalidArgumentError as e: print("InvalidArgumentError", "no" in str(e))
with tf.io.TFRecordWriter(fn + ".gz", options="GZIP") as w: w.write(b"abc")
print(list(tf.data.TFRecordDataset(fn + ".gz", compression_type="GZIP").as_numpy_iterator()))
t = tf.io.serialize_tensor(tf.constant([[1., 2.]])); print(tf.io.parse_tensor(t, tf.float32))
print(tf.io.decode_raw(tf.constant(b"\x01\x00\x02\x00"), tf.int16), tf.io.decode_csv(["1,2.5,a", "3,,b"], [[0], [1.5], [""]]))
with open(os.path.join(d, "a.txt"), "w") as f: f.write("x,y\n1,2\n3,4\n")
print(list(tf.data.TextLineDataset(os.path.join(d, "a.txt")).skip(1).as_numpy_iterator()), list(tf.data.experimental.CsvDataset(os.path.join(d, "a.txt"), [tf.int32, tf.float32], header=True).as_numpy_iterator()))
print(tf.io.read_file(os.path.join(d, "a.txt")), tf.io.gfile.exists(fn), [os.path.basename(f) for f in sorted(tf.io.gfile.glob(d + "/*"))])
print([os.path.basename(x.decode()) for x in tf.data.Dataset.list_files(d + "/*.txt").as_numpy_iterator()])
try: list(tf.data.TFRecordDataset("/nonexistent"))
except tf.errors.NotFoundError as e: print("NotFoundError")
