import tensorflow as tf


def told(what):
    try:
        what()
        print("no error")
    except ValueError as error:
        print("ValueError", str(error).split(" and name")[0])


path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), w=tf.Variable([[3.0]])).save("./saved")
for shape in ([], [3], [2, 1]):
    told(lambda: tf.train.Checkpoint(v=tf.Variable(tf.zeros(shape))).restore(path))
told(lambda: tf.train.Checkpoint(v=tf.Variable(tf.zeros([2]))).restore(path).expect_partial())
told(lambda: tf.train.Checkpoint(w=tf.Variable(1.0)).read(path))
late = tf.train.Checkpoint()
late.restore(path)


def later():
    late.v = tf.Variable(tf.zeros([5]))


told(later)
model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(3)])
path = tf.train.Checkpoint(model=model).write("./model")
other = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(4)])
told(lambda: tf.train.Checkpoint(model=other).read(path))
manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), "managed", 2)
manager.save()
told(lambda: tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable([1.0])), "managed", 2).restore_or_initialize())
