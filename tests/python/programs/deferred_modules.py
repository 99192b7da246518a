# A checkpoint that was restored before a module had its variables: they get their values when the module gets them.
import tempfile

import tensorflow as tf

d = tempfile.mkdtemp()


class Net(tf.Module):
    def __init__(self):
        super().__init__("net")
        self.w = tf.Variable([1.0, 2.0], name="w")
        self.parts = [tf.Variable(3), {"k/x": tf.Variable(4.0)}]


class Later(tf.Module):
    pass


path = tf.train.Checkpoint(net=Net(), step=tf.Variable(7)).save(d + "/ck")
later = Later()
checkpoint = tf.train.Checkpoint(net=later)
status = checkpoint.restore(path)
try:
    status.assert_consumed()
except AssertionError:
    print("not all yet")
later.other = tf.Variable(5.0)
later.w = tf.Variable([0.0, 0.0])
print(later.w.numpy(), later.other.numpy())
later.w.assign([8.0, 8.0])
later.parts = [tf.Variable(0), {"k/x": tf.Variable(0.0)}]
print(later.w.numpy(), later.parts[0].numpy(), later.parts[1]["k/x"].numpy())
checkpoint.step = tf.Variable(0)
print(checkpoint.step.numpy())
inner = Later()
inner.w = tf.Variable([6.0, 6.0])
again = tf.train.Checkpoint()
again.restore(path).expect_partial()
again.net = inner
print(inner.w.numpy())
print(tf.string.size, tf.TensorShape([None, 3]).most_specific_compatible_shape([2, 3]), tf.TensorShape([2]).most_specific_compatible_shape([2, 3]))
with tf.GradientTape() as tape:
    x = tf.constant([1.0, 2.0])
    tape.watch(x)
    y = x * x
try:
    tape.batch_jacobian(y, x)
except ValueError as error:
    print(error)
