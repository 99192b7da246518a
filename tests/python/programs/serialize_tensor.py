import binascii
import numpy as np
import tensorflow as tf

for value in (tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(7), tf.constant([True, False]), tf.constant(["ab", "c"]),
              tf.constant([1, 2], tf.int64), tf.constant(2.5, tf.float64), tf.constant([1, 2], tf.uint8),
              tf.zeros([0, 3]), tf.constant([1.5], tf.float16), tf.constant([1.5], tf.bfloat16)):
    data = tf.io.serialize_tensor(value)
    print(value.dtype.name, data.shape, binascii.hexlify(data.numpy()).decode())
    back = tf.io.parse_tensor(data, value.dtype)
    print(back.shape, np.array_equal(np.asarray(back), np.asarray(value)))
for bad, dtype in ((b"nonsense\xff", tf.float32), (tf.io.serialize_tensor([1.0]), tf.int32)):
    try:
        tf.io.parse_tensor(bad, dtype)
    except tf.errors.InvalidArgumentError as e:
        print("InvalidArgumentError")








path = "x.tfrecord"
with tf.io.TFRecordWriter(path) as writer:
    for i in range(3):
        writer.write(tf.io.serialize_tensor(tf.fill([i + 1], float(i))).numpy())
ds = tf.data.TFRecordDataset(path).map(lambda r: tf.io.parse_tensor(r, tf.float32))
for one in ds:
    print(one)
proto = tf.make_tensor_proto([1, 2, 3])
print(tf.make_ndarray(proto), proto.dtype, [d.size for d in proto.tensor_shape.dim])


def feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[tf.io.serialize_tensor(value).numpy()]))


example = tf.train.Example(features=tf.train.Features(feature={"image": feature(np.eye(2, dtype="float32"))}))
parsed = tf.io.parse_single_example(example.SerializeToString(), {"image": tf.io.FixedLenFeature([], tf.string)})
print(tf.io.parse_tensor(parsed["image"], tf.float32))
